"""Charts as plain dictionaries."""

from __future__ import annotations

from sanlab.vega_lite import (
    LOCALE,
    MIME_TYPE,
    SCHEMA,
    chart,
    concatenate,
    constant,
    layer,
    mark,
    nominal,
    quantitative,
)
from sanlab.words import show_count

ROWS = [{"at": 1.0, "rate": 2.0, "flow": "reads"}, {"at": 2.0, "rate": 3.0, "flow": "reads"}]
LINE = chart(
    ROWS,
    mark("line", strokeWidth=2),
    x=quantitative("at", title="time"),
    y=quantitative("rate"),
    color=nominal("flow"),
)


def test_a_chart_is_a_vega_lite_document() -> None:
    assert LINE.specification == {
        "$schema": SCHEMA,
        "data": {"values": ROWS},
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            "x": {"field": "at", "type": "quantitative", "title": "time"},
            "y": {"field": "rate", "type": "quantitative"},
            "color": {"field": "flow", "type": "nominal"},
        },
        "config": {"locale": LOCALE},
    }


def test_thousands_are_separated_as_in_texts() -> None:
    rates = [{"at": 0, "rate": 0}, {"at": 1, "rate": 2000}]
    drawn = chart(rates, mark("line"), x=quantitative("at"), y=quantitative("rate"))
    assert f">{show_count(2000)}<" in drawn.to_svg()
    own = drawn.with_properties(config={"background": "white"})
    assert own.specification["config"] == {"background": "white", "locale": LOCALE}


def test_properties_leave_the_chart_as_it_was() -> None:
    wide = LINE.with_properties(width=640)
    assert wide.specification == LINE.specification | {"width": 640}
    assert "width" not in LINE.specification


def test_layers_share_rows() -> None:
    dots = chart(None, mark("point"), x=quantitative("at"), color=constant("#000000"))
    both = layer(dots, LINE, rows=ROWS).specification
    assert both["data"] == {"values": ROWS}
    assert ["data" in each for each in both["layer"]] == [False, True]
    assert "$schema" not in both["layer"][0]
    assert list(concatenate("below", LINE, dots).specification) == [
        "$schema",
        "vconcat",
        "config",
    ]


def test_pictures_and_notebooks() -> None:
    svg = LINE.to_svg()
    assert svg.startswith("<svg")
    assert "time" in svg
    assert LINE.to_png(scale=2)[:4] == b"\x89PNG"
    assert LINE._repr_mimebundle_()[MIME_TYPE] == LINE.specification
