"use strict";
(() => {
  // Charts: drawn in the colours of the page, again when it changes between light and dark.
  const specs = JSON.parse(document.getElementById("chart-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const config = (isDark) => {
    const ink = isDark ? "#e6ebf0" : "#1b2733";
    const soft = isDark ? "#9fadba" : "#5b6773";
    const line = isDark ? "#33404c" : "#e3e8ed";
    const narrow = window.innerWidth < 560;
    return {
      background: "transparent",
      font: "system-ui, sans-serif",
      view: { stroke: null },
      axis: { labelColor: soft, titleColor: ink, gridColor: line, domainColor: soft, tickColor: soft,
              labelFontSize: 12, titleFontSize: 12.5, titleFontWeight: 600, labelFlush: true, labelOverlap: true },
      legend: { labelColor: ink, titleColor: soft, labelFontSize: 12, orient: "bottom", direction: "horizontal",
                columns: narrow ? 2 : 3, labelLimit: 130, symbolType: "square", titleFontWeight: 600,
                layout: { bottom: { direction: "vertical", anchor: "start" } } },
    };
  };
  // The darker of the colours are lightened on a dark page.
  const lighter = { "#0072B2": "#4aa3df", "#8c8c8c": "#b0b0b0", "#7a3b00": "#b5763a", "#B2182B": "#e5636f",
                    "#5e3c99": "#9a7fd1", "#4d4d4d": "#cfcfcf", "#ffffff": "#1a222b" };
  const shade = (spec) => dark.matches
    ? JSON.parse(Object.entries(lighter).reduce((text, [from, to]) => text.replaceAll(`"${from}"`, `"${to}"`), JSON.stringify(spec)))
    : spec;
  // A chart in a folded section has no width: it is drawn when the section opens.
  const draw = (within) => {
    for (const [name, given] of Object.entries(specs)) {
      const spec = shade(given);
      const place = within.querySelector(`[data-chart="${name}"]`);
      if (!place || !window.vegaEmbed || place.closest("details:not([open])")) continue;
      window.vegaEmbed(place, { ...spec, autosize: { type: "fit-x", contains: "padding" } }, {
        actions: false, renderer: "svg", config: config(dark.matches), tooltip: { theme: dark.matches ? "dark" : "light" },
      }).catch((error) => { place.textContent = `This chart could not be drawn: ${error.message}`; });
    }
  };
  draw(document);
  // A link to a folded section opens it.
  const unfold = () => {
    const section = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = section && section.querySelector("details.folded");
    if (folded) folded.open = true;
  };
  window.addEventListener("hashchange", unfold);
  unfold();
  // Paper cannot be unfolded.
  window.addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details.folded")) folded.open = true;
  });
  dark.addEventListener("change", () => draw(document));
  for (const folded of document.querySelectorAll("details")) {
    folded.addEventListener("toggle", () => { if (folded.open) draw(folded); });
  }

  // Tables: sort by a heading, filter by text, show the rest.
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const body = table.tBodies[0];
    const headings = [...table.tHead.rows[0].cells];
    const shown = Number(table.dataset.shown);
    const fold = () => [...body.rows].forEach((row, index) => row.classList.toggle("more", index >= shown));
    headings.forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => {
        const isNumber = heading.classList.contains("number");
        const was = heading.getAttribute("aria-sort");
        const sign = (was ? was === "ascending" : isNumber) ? -1 : 1;
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const key = (row) => row.cells[column].dataset.value;
        const compare = isNumber
          ? (a, b) => Number(key(a)) - Number(key(b))
          : (a, b) => key(a).localeCompare(key(b), undefined, { numeric: true });
        body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
        fold();
      });
    });
    const box = table.closest("section").querySelector(`input[data-for="${table.id}"]`);
    if (box) box.addEventListener("input", () => {
      const wanted = box.value.trim().toLowerCase();
      table.classList.toggle("filtered", wanted !== "");
      for (const row of body.rows) row.classList.toggle("hidden", !row.textContent.toLowerCase().includes(wanted));
    });
    const all = table.closest("section").querySelector(`button[data-all="${table.id}"]`);
    if (all) all.addEventListener("click", () => { table.classList.add("all"); all.remove(); });
  }
})();
