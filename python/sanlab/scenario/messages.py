"""Messages for validation errors: place, reason and remedy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sanlab.errors import Problem
from sanlab.quantities import MOST_DIGITS, nearest
from sanlab.scenario.base import OWN_ERROR
from sanlab.scenario.document import Mark, find_mark, path_text
from sanlab.scenario.shape import is_list, known_keys

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from sanlab.scenario.document import MarkedMap, Path


def problems_of(error: ValidationError, model: type[BaseModel], root: MarkedMap) -> list[Problem]:
    """Return all problems of a validation, in the order of the file."""
    problems = [_problem(detail, model, root) for detail in error.errors(include_url=False)]
    return sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))


def _problem(detail: ErrorDetails, model: type[BaseModel], root: MarkedMap) -> Problem:
    path: Path = tuple(step for step in detail["loc"] if step != "[key]")
    if detail["type"] == OWN_ERROR and detail["ctx"].get("key"):
        path = (*path, detail["ctx"]["key"])
    reason, remedy = _words(detail, model)
    mark = find_mark(root, path) or Mark(root.mark.file)
    return Problem(mark.file, mark.line, mark.column, path_text(path), reason, remedy)


def _words(detail: ErrorDetails, model: type[BaseModel]) -> tuple[str, str]:
    kind = detail["type"]
    context = detail.get("ctx", {})
    if kind == OWN_ERROR:
        return str(context["reason"]), str(context["remedy"])
    if kind == "extra_forbidden":
        return _unknown_key(detail["loc"], model)
    if kind == "missing":
        key = str(detail["loc"][-1])
        return f"The key '{key}' is missing", f"Add '{key}:'"
    if kind == "list_type" and len(detail["loc"]) == 1 and type(detail["input"]) is int:
        return _number_of_items(str(detail["loc"][0]), detail["input"])
    if kind == "literal_error":
        return _not_a_choice(str(context["expected"]), detail["input"])
    return _type_or_bound(detail, _shown(detail["input"]))


def _type_or_bound(detail: ErrorDetails, value: str) -> tuple[str, str]:
    kind = detail["type"]
    if isinstance(detail["input"], str) and kind in _QUOTED:
        what, pattern = _QUOTED[kind]
        if pattern.fullmatch(detail["input"]):
            return _for_quoted(detail["input"], value, what)
    if kind in _TYPE_WORDS:
        what, remedy = _TYPE_WORDS[kind]
        return f"{value} is not {what}", remedy
    if kind in _LENGTH_WORDS:
        what, limit, key = _LENGTH_WORDS[kind]
        return f"The list is {what}", f"{limit} {detail['ctx'][key]}"
    if kind in _BOUND_WORDS:
        what, limit, key = _BOUND_WORDS[kind]
        return f"{value} is {what}", f"{limit} {detail['ctx'][key]}"
    return str(detail["msg"]), "See the reference of the scenario file"


def _number_of_items(key: str, number: int) -> tuple[str, str]:
    """Return reason and remedy for the number of hosts in place of the list of them."""
    remedy = f"Write a group, item[1..N], with 'counts: {{N: {number}}}' or --set N={number}"
    return f"'{key}' is a list, and {number} may be how many items it has", remedy


#: What a text may hold that is not text once its quotes are gone.
_QUOTED = {
    "int_type": ("a number", re.compile(r"[+-]?[0-9][0-9_]*")),
    "bool_type": ("true or false", re.compile("true|false", re.IGNORECASE)),
}


_OCTAL = set("01234567")


def _for_quoted(text: str, value: str, what: str) -> tuple[str, str]:
    if len(text) > MOST_DIGITS:
        return f"{value} has more than {MOST_DIGITS} digits", "Write a smaller number"
    digits = text.lstrip("+-").replace("_", "")
    if len(digits) > 1 and digits.isdecimal() and digits[0] == "0":
        octal = f", or {int(digits, 8)} for the octal number" if set(digits) <= _OCTAL else ""
        reason = f"{value} begins with a zero, as octal numbers do in some programs"
        return reason, f"Write {int(digits)}{octal}"
    return f"{value} is in quotes, which makes it text, not {what}", f"Write {text} without quotes"


_TYPE_WORDS = {
    "int_type": ("a whole number", "Write digits alone, such as 8"),
    "int_from_float": ("a whole number", "Write digits alone, such as 8"),
    "int_parsing_size": ("a number of reasonable size", "Write a smaller number"),
    "float_type": ("a number", "Write a number such as 1.5"),
    "bool_type": ("true or false", "Write 'true' or 'false'"),
    "string_type": ("text", "Write a word, or put the value in quotes"),
    "list_type": ("a list", "Start each item on its own line with '- '"),
    "dict_type": ("a mapping", "Write keys below it, each 'key: value'"),
    "model_type": ("a mapping", "Write keys below it, each 'key: value'"),
}
_BOUND_WORDS = {
    "greater_than_equal": ("too small", "The least is", "ge"),
    "greater_than": ("too small", "It must be more than", "gt"),
    "less_than_equal": ("too large", "The limit is", "le"),
    "less_than": ("too large", "It must be less than", "lt"),
}
_LENGTH_WORDS = {
    "too_short": ("too short", "The least number of items is", "min_length"),
    "too_long": ("too long", "The largest number of items is", "max_length"),
}


def _shown(value: object) -> str:
    if value is None:
        return "An empty value"
    if isinstance(value, bool):
        return f"'{str(value).lower()}'"
    if isinstance(value, dict):
        return "A mapping"
    if isinstance(value, list):
        return "A list"
    return f"'{value}'"


#: Path policies as hypervisors and operating systems call them, by the choice that means the same.
_OTHER_CHOICES = {
    "fixed": "one-path",
    "mru": "one-path",
    "failover": "one-path",
    "rr": "round-robin",
    "vmw_psp_fixed": "one-path",
    "vmw_psp_mru": "one-path",
    "vmw_psp_rr": "round-robin",
    "queue-length": "least-queue",
    "service-time": "least-queue",
    "least-queue-depth": "least-queue",
}


def _not_a_choice(expected: str, value: object) -> tuple[str, str]:
    words = [word.strip() for word in expected.replace(" or ", ", ").split(",")]
    if isinstance(value, str) and value in words:  # choices of text have quotes here
        return _for_quoted(value, _shown(value), "a number")
    choices = [word.strip("'") for word in words]
    other = _OTHER_CHOICES.get(str(value).lower())
    guess = other if other in choices else nearest(str(value), choices)
    hint = f"Did you mean '{guess}'? " if guess and str(value) != guess else ""
    return f"{_shown(value)} is not a valid choice", f"{hint}Choices are {', '.join(choices)}"


#: Keys that people know from other tools, by the key that means the same here.
_OTHER_WORDS = {
    other: key
    for key, others in {
        "bs": ("block_size", "blocksize", "io_block_size", "request_size", "xfersize"),
        "iodepth": ("queue_depth", "queuedepth", "qd", "depth", "outstanding"),
        "numjobs": ("threads", "processes", "workers", "jobs"),
        "rwmixread": ("read_percent", "rdpct", "reads"),
        "rate_iops": ("iops", "iorate"),
        "ramp_time": ("ramp", "warmup", "warm_up"),
        "bb_credit": ("credit", "credits", "buffer_credits", "buffers"),
        "length": ("distance", "km"),
        "port": ("link",),
    }.items()
    for other in others
}


def _unknown_key(path: Path, model: type[BaseModel]) -> tuple[str, str]:
    key = str(path[-1])
    known = known_keys(model, path[:-1])
    other = _OTHER_WORDS.get(key)
    guess = other if other in known else nearest(key, known)
    hint = f"Did you mean '{guess}'? " if guess else _elsewhere(key, model)
    return f"The key '{key}' is unknown", f"{hint}Valid keys are {', '.join(known)}"


def _elsewhere(key: str, model: type[BaseModel]) -> str:
    """Say which sections of the file have a key, or one that begins like it; empty if none does."""
    owners: dict[str, list[str]] = {}
    for section in known_keys(model, ()):
        own = known_keys(model, (section, 0) if is_list(model, (section,)) else (section,))
        for name in own:
            owners.setdefault(name, []).append(f"'{section}'")
    longer = sorted(name for name in owners if name.startswith(f"{key}_"))
    guess = key if key in owners else next(iter(longer), None)
    return f"'{guess}' is a key of {', '.join(owners[guess])}. " if guess else ""
