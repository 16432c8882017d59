"""One page about a run that opens anywhere: no network, no server, no other file."""

from __future__ import annotations

import contextlib
import csv
import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from sanlab.report import topology
from sanlab.report.fabric_tables import fabric_tables
from sanlab.report.fault_tables import fault_tables
from sanlab.report.figures import SERIES_SHOWN, figures
from sanlab.report.findings import Finding, find
from sanlab.report.findings import write as write_findings
from sanlab.report.words import show_bytes, show_count, show_percent, show_rate, show_time
from sanlab.results.columns import PERCENTILES, STAGES
from sanlab.results.latency import TAIL, has_percentile
from sanlab.results.loops import frames_share, name_of_string, stacks, taken_share
from sanlab.results.ports import credit_wait_share, on_links, waiting_for_credit
from sanlab.simulation.folder import write_file

if TYPE_CHECKING:
    from sanlab.report.fabric_tables import Entry
    from sanlab.results.run import Run

#: Rows of a table shown at first; the rest is one press away.
ROWS_SHOWN = 25
#: Most rows of a table in the page; the Parquet tables have all.
ROWS_KEPT = 600
#: Longest scenario shown in the page, in characters.
SCENARIO_SHOWN = 200_000

_TEMPLATES = Path(__file__).parent / "templates"
#: The look of every page that sanlab writes.
STYLE = _TEMPLATES / "report.css"
#: What draws charts and sorts tables in it.
REPORT_SCRIPT = _TEMPLATES / "report.js"

_CAPTIONS = {
    "response_percentiles": "Response time by percentile; each step right is ten times rarer.",
    "response_distribution": "How the response times are spread. Two humps are two kinds of I/O, "
    "such as cache hits and misses.",
    "throughput_over_time": "Throughput over simulated time, the ramp included. An I/O counts, "
    "with all its bytes, when it completes.",
    "response_over_time": "Mean response time over simulated time.",
    "errors_over_time": "I/Os that failed in each bin: no answer within the time-out of the HBA. "
    "They are in none of the other numbers.",
    "stages": "The mean I/O, stage by stage along its path; the stages sum to the response time.",
    "credit_wait_over_time": "Share of the time with a frame to send and no BB credit.",
    "frame_latencies": "Network: from the first bit out to the last bit in. End to end: from the "
    "frame's being ready in its port, so its queue is included.",
}


def build(run: Run) -> Path:
    """Write `findings.json` and `report.html` into the run folder; returns the report."""
    findings = find(run)
    write_findings(run, findings)
    path = run.folder / "report.html"
    write_file(path, render(run, findings))
    return path


def render(run: Run, findings: list[Finding]) -> str:
    """The whole report as one HTML document."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    charts = {name: figure.specification for name, figure in figures(run).items()}
    style = STYLE.read_text(encoding="utf-8")
    script = REPORT_SCRIPT.read_text(encoding="utf-8")
    scenario = run.scenario or ""
    return environment.get_template("report.html").render(
        run=run,
        manifest=run.manifest,
        cards=_cards(run),
        findings=findings,
        topology=Markup(topology.draw(run)) if run.rows("ports") else None,
        legend=Markup(topology.legend()),
        charts=charts,
        chart_data=Markup(json_in_html(charts)),
        captions=_CAPTIONS,
        tables={table.id: table for table in _tables(run)},
        rows_shown=ROWS_SHOWN,
        series_shown=SERIES_SHOWN,
        scenario=scenario[:SCENARIO_SHOWN],
        scenario_is_cut=len(scenario) > SCENARIO_SHOWN,
        style=Markup(style),
        script=Markup(script),
        vega=Markup(vega() if charts else ""),
        show_time=show_time,
        show_count=show_count,
    )


def export(run: Run, folder: Path) -> list[Path]:
    """Write every figure as SVG and PNG and every table as CSV; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures(run).items():
        config = {"background": "white", "font": "sans-serif"}
        fixed = figure.with_properties(width=640, config=config)
        svg, png = folder / f"{name}.svg", folder / f"{name}.png"
        svg.write_text(fixed.to_svg(), encoding="utf-8")
        png.write_bytes(fixed.to_png(scale=2))
        written += [svg, png]
    if run.rows("ports"):
        path = folder / "topology.svg"
        write_file(path, _standalone_topology(run))
        written.append(path)
    for name in run.tables:
        path = folder / f"{name}.csv"
        table = run.table(name)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table.column_names)
            writer.writerows(zip(*(table[c].to_pylist() for c in table.column_names), strict=True))
        written.append(path)
    return written


def _standalone_topology(run: Run) -> str:
    """The topology with its colours inside, for viewers that know no style sheet of ours."""
    style = (_TEMPLATES / "topology.css").read_text(encoding="utf-8")
    drawn = topology.draw(run)
    head, _, rest = drawn.partition(">")
    return f"{head}><style>{style}</style>{rest}\n"


@dataclass(frozen=True)
class Card:
    """One headline number."""

    label: str
    value: str
    note: str = ""


def _cards(run: Run) -> list[Card]:
    summary = run.summary()

    def time_of(key: str) -> str:
        value = summary[key]
        return "–" if value is None else show_time(value * 1e6)

    def rarity(key: str, number: str) -> str:
        return "too few I/Os to tell" if summary[key] is None else f"1 I/O in {number} is slower"

    ports = on_links(run)
    waited = max((credit_wait_share(run, row) for row in ports), default=0.0)
    longest = next((row["port"] for row in waiting_for_credit(run)[:1]), "no port waited")
    cards = [
        Card("Throughput", show_rate(summary["throughput_bytes_per_s"]), "all workloads"),
        Card(
            "I/Os per second",
            "–" if summary["iops"] is None else show_count(_whole(summary["iops"])),
            f"{show_count(summary['io_count'])} I/Os",
        ),
        Card("Mean response", time_of("response_mean_us"), f"median {time_of('response_p50_us')}"),
        Card("p99 response", time_of("response_p99_us"), rarity("response_p99_us", "100")),
        Card(
            "p99.99 response",
            time_of("response_p99_99_us"),
            rarity("response_p99_99_us", "10\u202f000"),
        ),
    ]
    if not run.rows("workloads"):
        cards = _frame_cards(run)
    if summary["error_count"]:
        cards.append(Card("Errors", show_count(summary["error_count"]), "I/Os that failed"))
    if ports:
        cards.append(
            Card(
                "Busiest link",
                show_percent(summary["busiest_link_utilisation"]),
                summary["busiest_link"],
            )
        )
        cards.append(Card("Credit wait", show_percent(waited), longest))
    if summary["busiest_loop"]:
        share = show_percent(summary["busiest_loop_share"])
        cards.append(Card("Busiest loop", share, summary["busiest_loop"]))
    return cards


def _frame_cards(run: Run) -> list[Card]:
    rows = run.rows("frames")
    count = sum(row["frames_count"] for row in rows)
    cards = [Card("Frames delivered", show_count(count), "no workload completed an I/O")]
    if count:
        spent = sum(row["network_mean_ps"] * row["frames_count"] for row in rows)
        cards.append(Card("Mean frame latency", show_time(spent / count), "in the network"))
        seconds = run.manifest.simulated_ps / 1e12
        rate = sum(row["payload_bytes"] for row in rows) / seconds if seconds else None
        cards.append(Card("Payload", show_rate(rate), "all flows"))
    return cards


@dataclass(frozen=True)
class Column:
    """Heading of a column, and whether it holds numbers."""

    title: str
    is_number: bool = True
    tip: str = ""


@dataclass(frozen=True)
class Cell:
    """Text for people and the value to sort by; `bar` draws it as a share of the cell."""

    text: str
    value: float | str
    bar: float | None = None


@dataclass(frozen=True)
class Table:
    """A table of the page."""

    id: str
    columns: list[Column]
    rows: list[list[Cell]]
    left_out: int = 0
    has_filter: bool = False


def _tables(run: Run) -> list[Table]:
    tables = [
        _workloads(run),
        _stages(run),
        _ports(run),
        _waiting(run),
        _loops(run),
        _strings(run),
        _enclosures(run),
        _frames(run),
        _stations(run),
        _mirrors(run),
        _file_systems(run),
    ]
    tables += [_of_texts(*rows) for rows in (*fabric_tables(run), *fault_tables(run))]
    return [table for table in tables if table.rows]


def _of_texts(name: str, headings: list[str], rows: list[list[Entry]]) -> Table:
    columns = [
        Column(title, is_number=all(isinstance(row[place][1], float) for row in rows))
        for place, title in enumerate(headings)
    ]
    cells = [[Cell(text, value) for text, value in row] for row in rows]
    return _table(name, columns, cells, has_filter=True)


def _workloads(run: Run) -> Table:
    times = ("mean", *(f"p{percent:g}" for percent in TAIL if percent != 95), "max")
    columns = [
        Column("workload", is_number=False),
        Column("op", is_number=False),
        Column("I/Os"),
        Column("IOPS"),
        Column("throughput"),
        *(Column(name) for name in times),
        Column("queue full", tip="commands answered with TASK SET FULL"),
        Column("errors", tip="I/Os that failed: no answer within the time-out of the HBA"),
    ]
    rows = [
        [
            _text(row["workload"]),
            _text(row["op"]),
            _count(row["io_count"]),
            _count(_whole(row["iops"])),
            Cell(show_rate(row["throughput_bytes_per_s"]), row["throughput_bytes_per_s"]),
            _time(row["response_mean_ps"]),
            *(_tail(row, percent) for percent in TAIL if percent != 95),
            _time(row["response_max_ps"]),
            _count(row["queue_full_count"]),
            _count(row.get("error_count", 0)),
        ]
        for row in run.rows("workloads")
    ]
    return _table("workloads", columns, rows)


def _tail(row: dict[str, Any], percent: float) -> Cell:
    """A percentile, or a dash where there are too few I/Os to tell."""
    value = row[PERCENTILES[percent]]
    return _time(value) if has_percentile(row["io_count"], percent) else Cell("–", value)


def _stages(run: Run) -> Table:
    columns = [
        Column("workload", is_number=False),
        Column("op", is_number=False),
        Column("stage", is_number=False),
        Column("mean"),
        Column("share"),
        Column("what counts", is_number=False),
    ]
    rows = [
        [
            _text(row["workload"]),
            _text(row["op"]),
            _text(row["stage"]),
            _time(row["mean_ps"]),
            _share(row["share"]),
            _text(STAGES.get(row["stage"], "")),
        ]
        for row in run.rows("stages")
        if row["total_ps"] > 0
    ]
    return _table("stages", columns, rows)


def _ports(run: Run) -> Table:
    columns = [
        Column("port", is_number=False),
        Column("peer", is_number=False),
        Column("speed", is_number=False),
        Column("tx busy", tip="share of the run the transmitter was busy"),
        Column("rx busy"),
        Column("tx rate", tip="payload"),
        Column("rx rate", tip="payload"),
        Column("tx frames"),
        Column("credit wait", tip="share of the run with a frame to send and no BB credit"),
        Column("credits used", tip="most in use at once, of those granted"),
        Column("queue", tip="frames waiting at the transmitter, mean"),
    ]
    seconds = run.manifest.simulated_ps / 1e12 or 1.0
    found = sorted(
        run.rows("ports"),
        key=lambda row: (-max(row["tx_utilisation"], row["rx_utilisation"]), row["port"]),
    )
    rows = [
        [
            _text(row["port"]),
            _text(row["peer"]),
            _text(row["speed"]),
            _share(row["tx_utilisation"]),
            _share(row["rx_utilisation"]),
            _rate(row["tx_payload_bytes"] / seconds),
            _rate(row["rx_payload_bytes"] / seconds),
            _count(row["tx_frames_count"]),
            _share(credit_wait_share(run, row)),
            Cell(
                f"{row['tx_credit_max_in_use']} / {row['tx_bb_credit']}",
                row["tx_credit_max_in_use"],
            ),
            Cell(f"{row['tx_queue_mean_frames']:.2f}", row["tx_queue_mean_frames"]),
        ]
        for row in found
    ]
    return _table("ports", columns, rows, has_filter=True)


def _waiting(run: Run) -> Table:
    columns = [
        Column("port", is_number=False),
        Column("waited"),
        Column("share of the run"),
        Column("times"),
        Column("mean wait"),
        Column("credits"),
        Column("waits for", is_number=False),
    ]
    rows = [
        [
            _text(row["port"]),
            _time(row["tx_credit_wait_ps"]),
            _share(credit_wait_share(run, row)),
            _count(row["tx_credit_wait_count"]),
            _time(row["tx_credit_wait_ps"] / max(1, row["tx_credit_wait_count"])),
            _count(row["tx_bb_credit"]),
            _text(row["peer"]),
        ]
        for row in waiting_for_credit(run, 0.0)
    ]
    return _table("waiting", columns, rows)


def _loops(run: Run) -> Table:
    columns = [
        Column("loop", is_number=False),
        Column("medium", is_number=False),
        Column("speed", is_number=False),
        Column("ports"),
        Column(
            "taken", tip="owned or arbitrated for; of a switched loop by circuits, mean at once"
        ),
        Column("frames", tip="share of the run with frames, both ways together"),
        Column(
            "arbitration", tip="share of the run with nobody's circuit and somebody who wants one"
        ),
        Column("circuits"),
        Column("mean circuit"),
        Column("round trip", tip="of a word through all ports"),
    ]
    rows = []
    for row in run.rows("loops"):
        is_shared = row["medium"] == "shared"
        at_once = row["owned_share"]
        taken = _share(taken_share(row)) if is_shared else Cell(f"{at_once:.2f} at once", at_once)
        sending = row["sending_share"]
        frames = _share(frames_share(row)) if is_shared else Cell(f"{sending:.2f} at once", sending)
        rows.append(
            [
                _text(row["loop"]),
                _text(row["medium"]),
                _text(row["speed"]),
                _count(row["ports_count"]),
                taken,
                frames,
                _share(row["arbitrating_share"]) if is_shared else Cell("none", 0.0),
                _count(row["tenancies_count"]),
                _time(row["owned_ps"] / max(1, row["tenancies_count"])),
                _time(row["round_ps"]) if is_shared else Cell("by pair", 0.0),
            ]
        )
    return _table("loops", columns, rows)


def _strings(run: Run) -> Table:
    columns = [
        Column("string", is_number=False),
        Column("links"),
        Column("held", tip="share of the run and of the links that circuits hold them"),
        Column("most at once", tip="links held at once"),
        Column("circuits"),
        Column("mean circuit"),
    ]
    rows = [
        [
            _text(name_of_string(row)),
            _count(row["links_count"]),
            _share(row["utilisation"]),
            _count(row["most_held_count"]),
            _count(row["circuits_count"]),
            _time(row["held_ps"] / max(1, row["circuits_count"])),
        ]
        for row in run.rows("strings")
    ]
    return _table("strings", columns, rows)


def _enclosures(run: Run) -> Table:
    """Disks of a stack by enclosure: there may be too many to look at one by one."""
    columns = [
        Column("enclosure", is_number=False),
        Column("disks"),
        Column("requests"),
        Column("busy mean"),
        Column("busy most"),
        Column("busiest disk", is_number=False),
        Column("in system", tip="requests of a disk waiting or in service, mean"),
    ]
    disks = {row["station"]: row for row in run.rows("stations") if row["kind"] == "disk"}
    rows = []
    for stack in stacks(run).values():
        for enclosure in range(stack.enclosures):
            here = [disk for disk, where in stack.disks.items() if where == enclosure]
            found = [disks[disk] for disk in here if disk in disks]
            if not here:
                continue
            top = max(found, key=lambda row: row["utilisation"], default=None)
            count = len(here)
            rows.append(
                [
                    _text(f"{stack.name}.e{enclosure + 1}"),
                    _count(count),
                    _count(sum(row["arrivals_count"] for row in found)),
                    _share(sum(row["utilisation"] for row in found) / count),
                    _share(top["utilisation"] if top else 0.0),
                    _text(top["station"] if top else "none"),
                    _mean(sum(row["mean_in_system"] for row in found) / count),
                ]
            )
    return _table("enclosures", columns, rows)


def _mean(value: float) -> Cell:
    return Cell(f"{value:.2f}", value)


def _frames(run: Run) -> Table:
    columns = [
        Column("flow", is_number=False),
        Column("kind", is_number=False),
        Column("frames"),
        Column("payload"),
        Column("network mean"),
        Column("network max"),
        Column("end to end mean"),
        Column("end to end max"),
    ]
    rows = [
        [
            _text(row["flow"]),
            _text(row["kind"]),
            _count(row["frames_count"]),
            Cell(show_bytes(row["payload_bytes"]), row["payload_bytes"]),
            _time(row["network_mean_ps"]),
            _time(row["network_max_ps"]),
            _time(row["end_to_end_mean_ps"]),
            _time(row["end_to_end_max_ps"]),
        ]
        for row in run.rows("frames")
    ]
    return _table("frames", columns, rows)


def _stations(run: Run) -> Table:
    columns = [
        Column("station", is_number=False),
        Column("kind", is_number=False),
        Column("busy"),
        Column("servers"),
        Column("requests"),
        Column("in system", tip="requests waiting or in service, mean"),
        Column("most", tip="most requests at once"),
        Column("residence", tip="waiting and service, mean"),
    ]
    rows = [
        [
            _text(row["station"]),
            _text(row["kind"]),
            _share(row["utilisation"]),
            _count(row["servers"]),
            _count(row["arrivals_count"]),
            Cell(f"{row['mean_in_system']:.2f}", row["mean_in_system"]),
            _count(row["max_in_system"]),
            _time(row["mean_residence_ps"]),
        ]
        for row in sorted(
            run.rows("stations"), key=lambda row: (-row["utilisation"], row["station"])
        )
    ]
    return _table("stations", columns, rows, has_filter=True)


def _mirrors(run: Run) -> Table:
    columns = [
        Column("from", is_number=False),
        Column("to", is_number=False),
        Column("mode", is_number=False),
        Column("copies"),
        Column("bytes"),
        Column("throughput"),
        Column("mean time"),
        Column("most at once"),
    ]
    rows = [
        [
            _text(row["source"]),
            _text(row["target"]),
            _text(row["mode"]),
            _count(row["copies_count"]),
            Cell(show_bytes(row["bytes"]), row["bytes"]),
            _rate(row["throughput_bytes_per_s"]),
            _time(row["response_mean_ps"]),
            _count(row["max_outstanding"]),
        ]
        for row in run.rows("mirrors")
    ]
    return _table("mirrors", columns, rows)


def _file_systems(run: Run) -> Table:
    columns = [
        Column("file system", is_number=False),
        Column("allocations", tip="first writes that were allocated"),
        Column("allocating", tip="share of the time that who allocates was busy"),
        Column("journal writes", tip="of log and metadata, which no workload counts"),
        Column("bytes"),
        Column("mean time"),
    ]
    rows = [
        [
            _text(row["file_system"]),
            _count(row["allocation_count"]),
            _share(row["allocation_utilisation"]),
            _count(row["journal_write_count"]),
            Cell(show_bytes(row["journal_bytes"]), row["journal_bytes"]),
            _time(row["response_mean_ps"]),
        ]
        for row in run.rows("file_systems")
    ]
    return _table("file_systems", columns, rows)


def _table(
    name: str, columns: list[Column], rows: list[list[Cell]], *, has_filter: bool = False
) -> Table:
    left_out = max(0, len(rows) - ROWS_KEPT)
    return Table(name, columns, rows[:ROWS_KEPT], left_out, has_filter and len(rows) > 8)


def _text(text: str) -> Cell:
    return Cell(text, text)


def _count(number: float) -> Cell:
    return Cell(show_count(number), number)


def _time(ps: float) -> Cell:
    return Cell(show_time(ps), ps)


def _rate(bytes_per_s: float) -> Cell:
    return Cell(show_rate(bytes_per_s), bytes_per_s)


def _share(share: float) -> Cell:
    return Cell(show_percent(share), share, min(1.0, share))


def _whole(number: float) -> float:
    """A rate to the nearest whole number where decimals say nothing."""
    return float(round(number)) if number >= 100 else number


def json_in_html(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def vega() -> str:
    """The plotting library, once for all charts of a page (0.9 MB).

    Putting it together takes longer than the rest of the report, so it is kept in the user's cache.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sanlab"
    kept = cache / f"vega-{version('vl-convert-python')}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except OSError:
        pass
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    bundle = bundle.replace("</script", "<\\/script")
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        write_file(kept, bundle)
    return bundle
