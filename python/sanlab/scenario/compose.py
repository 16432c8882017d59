"""A YAML text as nodes that know their place.

Two parsers share the work. libyaml, which is written in C, composes texts it surely reads as YAML
1.2 does. ruamel.yaml composes all others, and says what is wrong with a text: it takes longer to
import than a short scenario takes to simulate.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import Any

from sanlab.errors import Problem, ScenarioError

#: Texts in which YAML 1.1 and 1.2 agree on what is a line, a space or a letter. Tabs, carriage
#: returns and rare characters are left to ruamel.yaml.
_SURE_TEXT = re.compile(r"[\n -~\u00a1-\u024f\u2010-\u2027\u2030-\u205e]*")
#: What the parsers read in different ways: directives, several documents, tags, collections that
#: begin on one line within each other, a block of text that begins with an empty line or is all.
_UNSURE = re.compile(
    r"^(?:%|---|\.\.\.|[|>])|(?:^|[\s\[{,:-])!|^[ :?-]*(?:[-:?] +){3}|[|>][-+0-9]* *(?:#.*)?\n *\n",
    re.MULTILINE,
)
#: Collections within each other; libyaml would overrun the stack of the machine.
_MOST_DEPTH = 1000

#: Plain scalars that are not text, by YAML 1.2: tag, pattern, first characters.
_SCALARS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    (
        "float",
        (
            r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
            r"|[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
        "-+0123456789.",
    ),
    (
        "int",
        r"[-+]?0b[01_]+|[-+]?0o?[0-7_]+|[-+]?[0-9_]+|[-+]?0x[0-9a-fA-F_]+",
        "-+0123456789",
    ),
    ("null", r"~|null|Null|NULL", "~nN"),
)


def compose(text: str, file: str) -> Any:  # noqa: ANN401  a node of either library, untyped
    """Compose the nodes of a YAML text; None if it has none.

    Raises
    ------
    ScenarioError
        Where the text is not YAML.
    """
    if _is_sure(text):
        node, is_good = _compose_with_libyaml(text)
        if is_good:
            return node
    return _compose_with_ruamel(text, file)


def _is_sure(text: str) -> bool:
    return _SURE_TEXT.fullmatch(text) is not None and _UNSURE.search(text) is None


def _compose_with_libyaml(text: str) -> tuple[Any, bool]:
    """Return the node, and whether libyaml is there and has no objection."""
    try:
        composer = _composer()
    except ImportError:
        return None, False
    from yaml.error import YAMLError

    try:
        if text.count("[") + text.count("{") > _MOST_DEPTH and _first_deep(composer(text)):
            return None, False
        return composer(text).get_single_node(), True
    except YAMLError:
        return None, False


def _first_deep(parser: Any) -> int | None:  # noqa: ANN401  of libyaml, untyped
    """Line with the first collection within too many others."""
    depth = 0
    while parser.check_event():
        event = parser.get_event()
        kind = type(event).__name__
        depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        if depth > _MOST_DEPTH:
            return int(event.start_mark.line) + 1
    return None


@cache
def _composer() -> Any:  # noqa: ANN401  a class of libyaml, untyped
    """Class of a parser for one text, with the scalars of YAML 1.2."""
    from yaml.cyaml import CParser
    from yaml.error import YAMLError
    from yaml.resolver import BaseResolver

    class Composer(CParser, BaseResolver):  # type: ignore[misc]
        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            BaseResolver.__init__(self)

        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:  # noqa: ANN401
            if value == "" and implicit[0]:
                # The parsers disagree on the place of a value that is left out.
                raise YAMLError
            return super().resolve(kind, value, implicit)

    for tag, pattern, first in _SCALARS:
        expression = re.compile(rf"(?:{pattern})$")
        Composer.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", expression, list(first))
    return Composer


def _compose_with_ruamel(text: str, file: str) -> Any:  # noqa: ANN401  ruamel is untyped
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning, YAMLError

    yaml = YAML(typ="safe", pure=True)
    try:
        with warnings.catch_warnings():
            # YAML allows an anchor to be set again; the parser would print a warning.
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            return yaml.compose(text)
    except MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        if error.context_mark and "end of stream" in str(error.problem):
            place = error.context_mark  # where the quote or bracket was opened
        line = place.line + 1 if place else None
        column = place.column + 1 if place else None
        reason = f"This is not valid YAML: {_reason(error)}"
        problem = Problem(file, line, column, "", reason, _remedy(error, text))
    except RecursionError:
        reason = "This is nested too deeply to be a scenario"
        problem = Problem(file, _deep_line(text), None, "", reason, "Close the brackets")
    except YAMLError as error:
        lines = str(error).splitlines() or ["unreadable"]
        line, column = _place(text, getattr(error, "position", 0))
        reason = f"This is not valid YAML: {lines[0]}"
        problem = Problem(file, line, column, "", reason, "Write plain UTF-8 text")
    raise ScenarioError([problem])


def _place(text: str, position: int) -> tuple[int, int]:
    """Line and column of a character, counted from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def _deep_line(text: str) -> int | None:
    """Line with the first collection within too many others; None without libyaml."""
    try:
        composer = _composer()
    except ImportError:
        return None
    from yaml.error import YAMLError

    try:
        return _first_deep(composer(text))
    except YAMLError:
        return None


def _reason(error: Any) -> str:  # noqa: ANN401  ruamel is untyped
    problem = str(error.problem or error.context or "it cannot be read").strip()
    return problem.replace("\n", " ")


def _remedy(error: Any, text: str) -> str:  # noqa: ANN401  ruamel is untyped
    place = error.problem_mark
    lines = text.splitlines()
    if place and place.line < len(lines) and "\t" in lines[place.line]:
        return "Indent with spaces, not with tabs"
    if place and place.line < len(lines) and re.search(r"\[\d+\.\.", lines[place.line]):
        return 'Inside braces, a name with brackets needs quotes: "host[1..4]"'
    if "mapping values" in str(error.problem):
        return "Put text that contains ': ' in quotes, and one key on each line"
    if "anchor" in str(error.problem) or "alias" in str(error.problem):
        return "Text that starts with '*' or '&' needs quotes"
    return "Check indentation, brackets and quotes on this line and the one before"
