"""Scenarios changed at random places, most of them to values that the schema allows there.

A scenario is refused with plain words, each with a path that `--set` takes, or it is good: then the
engine must take its plan.
"""

from __future__ import annotations

import json
import random
import re
from functools import cache
from typing import Any

from fuzz import ROOT, is_plain
from fuzz_plans import simulate

Json = Any
#: Wall time that a run may take before it is stopped.
PATIENCE_S = 0.25
#: Longest plan of an example that is worth trying thousands of times, in characters.
LONGEST_PLAN = 150_000
#: A value, its parent and key, the schema at its place, and the place with `*` for each index.
Leaf = tuple[Any, Any, Json, tuple[str, ...]]

JUNK: tuple[Json, ...] = (
    *(
        None,
        True,
        -1,
        0,
        1,
        2,
        3,
        1.5,
        1e300,
        2**31,
        2**63,
        10**30,
        "",
        "x",
        "'5'",
        "5",
        "*",
        "a.b",
    ),
    *(
        "1e-9",
        "0s",
        "1ps",
        "999999s",
        "1EiB",
        "512",
        "1kB/s",
        "4TB/s",
        "0%",
        "100%",
        "999PB/s",
        "²",
    ),
    *([], {}, [[]], [None], {"x": 1}, ["x", "x"], [{}], "h[1..3]", "h[3..1]", "h[", "off", "none"),
)
COUNTS = (0, 1, 2, 3, 4, 7, 16, 100, 255, 256, 4096, 65_535, 65_536, 10**6, 2**31, 2**53)
#: Amounts in front of the unit of an example.
AMOUNTS = ("0", "1", "2", "3", "7", "0.5", "16", "100", "1000", "65536", "999999", "1e9", "1e12")
#: Endings of names of boxes: their parts and ports.
PARTS = ("", "", ".hba0.p0", ".hba0.p1", ".hba0", ".p0", ".p1", ".lun1", ".lun*", ".0", ".3", ".a")
GROUPS = ("[1..2]", "[1..3]", "[1,3]", "[1..40]", "*", "[1..300]", "[1..100000]")


@cache
def schema() -> Json:
    """The JSON Schema of a scenario."""
    return json.loads((ROOT / "schema" / "scenario.schema.json").read_text(encoding="utf-8"))


@cache
def bases() -> list[Json]:
    """The examples with small plans, as plain data."""
    from sanlab import compile_plan
    from sanlab.scenario.document import read_document
    from sanlab.scenario.load import check_document

    found = []
    for file in sorted(ROOT.glob("examples/*/scenario.yaml")):
        document = read_document(file.read_text(encoding="utf-8"), str(file))
        if len(compile_plan(check_document(document)).to_json()) <= LONGEST_PLAN:
            found.append(json.loads(json.dumps(document)))
    return found


def choices(node: Json) -> list[Json]:
    """Return the schemas that a value may meet."""
    if "$ref" in node:
        return choices(schema()["$defs"][node["$ref"].rpartition("/")[2]])
    if "anyOf" in node:
        return [choice for branch in node["anyOf"] for choice in choices(branch)]
    return [node]


def places(value: Json, node: Json, at: tuple[str, ...] = ()) -> list[Leaf]:
    """Return every value below the top with the schema of its place, as far as there is one."""
    found: list[Leaf] = []
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for key, item in items:
        below = schema_of(node, key)
        here = (*at, str(key) if isinstance(value, dict) else "*")
        found.append((value, key, below, here))
        if isinstance(item, dict | list):
            found += places(item, below, here)
    return found


def schema_of(node: Json, key: str | int) -> Json:
    """Return the schema of an item; a single item may stand for a list."""
    for choice in choices(node):
        if isinstance(key, int) and "items" in choice:
            return choice["items"]
        if isinstance(key, str) and key in choice.get("properties", {}):
            return choice["properties"][key]
        if isinstance(key, str) and "items" in choice and not isinstance(key, int):
            return schema_of(choice["items"], key)
        if isinstance(key, str) and isinstance(choice.get("additionalProperties"), dict):
            return choice["additionalProperties"]
    return {}


def keys_of(node: Json) -> dict[str, Json]:
    """Return the keys that a mapping may have."""
    keys: dict[str, Json] = {}
    for choice in choices(node):
        keys |= choice.get("properties", {})
        if "items" in choice:
            keys |= keys_of(choice["items"])
    return keys


def names_in(value: Json) -> list[str]:
    """Return the names that a scenario defines."""
    found = []
    if isinstance(value, dict):
        found = [value["name"]] if isinstance(value.get("name"), str) else []
        value = list(value.values())
    if isinstance(value, list):
        found += [name for item in value for name in names_in(item)]
    return found


class Maker:
    """Draws values."""

    def __init__(self, draws: random.Random, names: list[str]) -> None:
        self.draws = draws
        self.names = names or ["x"]

    def name(self) -> str:
        """Return a name of the scenario, a part of one, or a group."""
        draws = self.draws
        name = draws.choice(self.names) + draws.choice(PARTS)
        if draws.random() < 0.1:
            name = re.sub(r"[0-9]*(\[.*\])?$", "", name) + draws.choice(GROUPS)
        return name

    def value(self, node: Json, depth: int = 0) -> Json:  # noqa: PLR0911  one for each type
        """Return a value that the schema allows, or nearly."""
        draws = self.draws
        choice = draws.choice(choices(node))
        if "const" in choice or "enum" in choice:
            return choice["const"] if "const" in choice else draws.choice(choice["enum"])
        if choice.get("examples") and draws.random() < 0.9:
            return self.like(str(draws.choice(choice["examples"])))
        kinds = choice.get("type", "string")
        match draws.choice(kinds) if isinstance(kinds, list) else kinds:
            case "integer" | "number":
                ends = [choice.get(key) for key in ("minimum", "maximum")]
                near = [end + step for end in ends if end is not None for step in (-1, 0, 0, 1)]
                return draws.choice([*near, *COUNTS, *COUNTS[:6]])
            case "boolean":
                return draws.random() < 0.5
            case "array" if depth < 4:
                count = draws.choice((1, 1, 1, 2, 3, 0))
                return [self.value(choice.get("items", {}), depth + 1) for _ in range(count)]
            case "object" if depth < 4:
                return self.mapping(choice, depth)
            case "null":
                return None
        return self.name()

    def mapping(self, node: Json, depth: int) -> Json:
        """Return a mapping with the keys it needs and some others."""
        keys = node.get("properties", {})
        if not keys and isinstance(node.get("additionalProperties"), dict):
            return {self.name(): self.value(node["additionalProperties"], depth + 1)}
        others = [key for key in keys if key not in node.get("required", [])]
        more = self.draws.sample(others, min(len(others), self.draws.choice((0, 1, 2, 3))))
        wanted = [*node.get("required", []), *more]
        return {key: self.value(keys[key], depth + 1) for key in wanted}

    def like(self, example: str) -> str:
        """Return an example with another amount."""
        if self.draws.random() < 0.3:
            return example
        return re.sub(r"^[0-9.]+", lambda _: self.draws.choice(AMOUNTS), example, count=1)


def mutate(document: Json, draws: random.Random) -> str:  # noqa: PLR0911  one for each way
    """Change one thing of a scenario; return what was done."""
    shapes: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in places(document, schema()):
        shapes.setdefault(leaf[3], []).append(leaf)
    if not shapes:
        return "nothing"
    parent, key, node, shape = draws.choice(shapes[draws.choice(sorted(shapes))])
    make = Maker(draws, names_in(document))
    where = ".".join(shape)
    match draws.choices(range(6), (40, 30, 8, 7, 10, 5))[0]:
        case 1 if isinstance(parent[key], dict) and keys_of(node):
            new = draws.choice(sorted(keys_of(node)))
            parent[key][new] = make.value(keys_of(node)[new])
            return f"{where}.{new} becomes {str(parent[key][new])[:60]}"
        case 1:
            new = draws.choice(sorted(keys_of(schema())))
            document[new] = make.value(keys_of(schema())[new])
            return f"{new} becomes {str(document[new])[:60]}"
        case 2:
            del parent[key]
            return f"{where} is removed"
        case 3 if isinstance(parent, list):
            parent.append(json.loads(json.dumps(parent[key])))
            return f"{where} is there twice"
        case 4:
            parent[key] = draws.choice(JUNK)
        case 5:
            parent[key] = json.loads(json.dumps(draws.choice(places(document, schema()))[0]))
            return f"{where} becomes another part"
        case _:
            parent[key] = make.value(node)
    return f"{where} becomes {str(parent[key])[:60]}"


def garbled(text: str, draws: random.Random) -> tuple[str, str]:
    """Return a text with some characters lost, doubled or replaced."""
    for _ in range(draws.choice((1, 2, 5))):
        at = draws.randrange(len(text) + 1)
        new = draws.choice(
            ("", "\n", ":", " ", "[", "{", "}", "'", '"', "&a ", "*a", "!!int ", "\t")
        )
        text = text[:at] + new + text[at + draws.choice((0, 1, 1, 5, 40)) :]
    return text, "characters are replaced"


class Fuzzer:
    """Unusual scenarios."""

    def make(self, seed: int, number: int) -> tuple[str, str]:
        """Return the text of a scenario, and what was changed."""
        draws = random.Random(f"scenario/{seed}/{number}")
        document = json.loads(json.dumps(draws.choice(bases())))
        done = "; ".join(mutate(document, draws) for _ in range(draws.choice((1, 1, 2, 3))))
        text = json.dumps(document, ensure_ascii=False, indent=1)
        if draws.random() < 0.05:
            text, more = garbled(text, draws)
            done += f"; {more}"
        return text, " ".join(done.split())

    def run(self, case: str) -> str:
        """Check a scenario; run it if it is good."""
        from sanlab import _native, compile_plan
        from sanlab.errors import ScenarioError
        from sanlab.plan.amounts import many_open
        from sanlab.scenario.load import parse_scenario

        try:
            plan = compile_plan(parse_scenario(case))
        except ScenarioError as error:
            return refusal_of(case, error)
        if many_open(plan) is not None:
            return "much: more open I/Os than a test should hold"
        try:
            return simulate(plan.to_json(), PATIENCE_S)
        except _native.PlanError as error:
            return f"wrong: the engine refused what check called good: {error}"


def refusal_of(text: str, error: Any) -> str:  # noqa: ANN401  a ScenarioError
    """Return how a refusal counts: plain words, and paths that `--set` takes."""
    from sanlab.errors import ScenarioError
    from sanlab.scenario.document import read_document
    from sanlab.scenario.overrides import apply_overrides

    for problem in error.problems:
        if not is_plain(str(problem)) or not problem.reason:
            return f"wrong: no plain words: {problem}"
    for problem in error.problems[:3]:
        try:
            document = read_document(text, "scenario")
        except ScenarioError:
            break
        if problem.key and len(problem.key) < 200:
            try:
                apply_overrides(document, {problem.key: "x"})
            except ScenarioError as other:
                return f"wrong: a path that --set refuses: {problem} / {other}"
    return "refused"
