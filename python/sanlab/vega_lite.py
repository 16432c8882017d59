"""Charts as Vega-Lite specifications: plain dictionaries, and their display in notebooks.

A chart is a mark, rows of data and an encoding. The encoding maps each channel (x, y, color, ...)
to a field of the rows with its type, or to one value. Charts are drawn on top of each other
(`layer`), side by side or in a column (`concatenate`). Options have Vega-Lite's own names:
https://vega.github.io/vega-lite/docs/.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sanlab.words import GROUPING

#: One row of the data of a chart.
Datum = dict[str, Any]
#: What a channel shows.
Channel = dict[str, Any]
Specification = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.1.0.json"
#: Under which notebooks know a specification.
MIME_TYPE = "application/vnd.vegalite.v6+json"
#: Thousands are separated as in texts and tables.
LOCALE = {"number": {"decimal": ".", "thousands": GROUPING, "grouping": [3], "currency": ["", ""]}}


@dataclass(frozen=True)
class Chart:
    """A chart that never changes; a notebook draws it where it is the value of a cell."""

    body: Specification

    def with_properties(self, **properties: Any) -> Chart:  # noqa: ANN401  as Vega-Lite has them
        """Set properties of the whole chart, such as `width`, `height`, `title` and `config`."""
        return Chart(self.body | properties)

    @property
    def specification(self) -> Specification:
        """The chart as a whole Vega-Lite document."""
        config = {"locale": LOCALE, **self.body.get("config", {})}
        return {"$schema": SCHEMA, **self.body, "config": config}

    def to_svg(self) -> str:
        """Draw the chart as SVG, without a browser."""
        import vl_convert

        svg: str = vl_convert.vegalite_to_svg(self.specification)
        return svg

    def to_png(self, scale: float = 1.0) -> bytes:
        """Draw the chart as PNG, without a browser; `scale` multiplies its pixels."""
        import vl_convert

        png: bytes = vl_convert.vegalite_to_png(self.specification, scale=scale)
        return png

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        # A viewer that does not know the specification shows the picture.
        return {MIME_TYPE: self.specification, "image/svg+xml": self.to_svg()}


def mark(kind: str, **options: Any) -> Specification:  # noqa: ANN401  as Vega-Lite has them
    """A mark: `line`, `area`, `bar`, `point`, `rule`, `rect` or `text`."""
    return {"type": kind, **options}


def quantitative(field: str, **options: Any) -> Channel:  # noqa: ANN401  as Vega-Lite has them
    """A field of numbers on a scale."""
    return {"field": field, "type": "quantitative", **options}


def nominal(field: str, **options: Any) -> Channel:  # noqa: ANN401  as Vega-Lite has them
    """A field of names."""
    return {"field": field, "type": "nominal", **options}


def ordinal(field: str, **options: Any) -> Channel:  # noqa: ANN401  as Vega-Lite has them
    """A field of values in steps."""
    return {"field": field, "type": "ordinal", **options}


def constant(value: object) -> Channel:
    """One value for all rows."""
    return {"value": value}


def chart(
    rows: list[Datum] | None, drawn: Specification, **encoding: Channel | list[Channel]
) -> Chart:
    """A chart of one mark; without rows it draws those of the layers it stands in."""
    data = {} if rows is None else {"data": {"values": rows}}
    return Chart({**data, "mark": drawn, "encoding": encoding})


def layer(*charts: Chart, rows: list[Datum] | None = None) -> Chart:
    """Charts on top of each other; `rows` are for those that bring none."""
    data = {} if rows is None else {"data": {"values": rows}}
    return Chart({**data, "layer": [each.body for each in charts]})


def concatenate(direction: Literal["beside", "below"], *charts: Chart) -> Chart:
    """Charts beside or below each other."""
    key = "hconcat" if direction == "beside" else "vconcat"
    return Chart({key: [each.body for each in charts]})
