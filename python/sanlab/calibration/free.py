"""Values to fit as `--free` names them: with a range, or by name with bounds around today's value.

Today's value is read from the plan, where it stands whether the scenario has it or a model of the
catalog: two trial values show which numbers of the plan are proportional to it.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from sanlab import quantities
from sanlab.calibration.parameter import Parameter, parse_free
from sanlab.errors import SanlabError, ScenarioError
from sanlab.plan.compile import compile_plan
from sanlab.quantities import nearest
from sanlab.scenario.document import read_document
from sanlab.scenario.groups import GroupError, expand
from sanlab.scenario.load import check_document
from sanlab.scenario.overrides import apply_overrides
from sanlab.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sanlab.scenario.document import MarkedMap

#: Bounds of a value without a range: today's divided by this, and times this.
FACTOR: Final = 10
#: Bounds of a time that is 0 today.
_TIME_BOUNDS: Final = (100 * 10**3, 10**9)
#: Short names for the first steps of a path; the last are those of adapters in a list.
_SHORT: Final = {
    "host": ("hosts.{hosts}",),
    "cpu": ("hosts.{hosts}.cpu",),
    "os": ("hosts.{hosts}.os",),
    "hba": ("hosts.{hosts}.hbas", "hosts.{hosts}.hbas.*"),
    "array": ("arrays.{arrays}",),
    "lun": ("arrays.{arrays}.luns.*",),
    "switch": ("switches.{switches}",),
    "isl": ("isls.*",),
    "link": ("links.*",),
    "workload": ("workloads.*",),
}
#: Two trial values of each kind, its unit, and how its amounts are read and written.
_KINDS: Final = (
    (("7.013us", "14.026us"), quantities.parse_time, quantities.format_time),
    (("7.013MB/s", "14.026MB/s"), quantities.parse_rate, quantities.format_rate),
    (("7013KiB", "14026KiB"), quantities.parse_size, quantities.format_size),
    (("7.013m", "14.026m"), quantities.parse_length, quantities.format_length),
    (("17.013%", "34.026%"), quantities.parse_share, quantities.format_share),
)
#: Why whole numbers, and sizes of whole pages, are not fitted.
_OTHER_KIND: Final = (
    "It changes in steps, and a fit needs a time, a rate, a size, a length or a share"
)
#: Largest share, in millionths.
_WHOLE: Final = 10**6
#: How far a number of the plan may be off from a proportion, since it is rounded.
_ROUNDED: Final = 1e-3
#: Shortest text of an amount: a number and its unit.
_TEXT = re.compile(r"([\d.]+)(.*)")


def read_free(texts: Sequence[str], scenario: str, file: str = "scenario") -> list[Parameter]:
    """Read every `--free`: `path=low..high`, or names behind commas without ranges.

    Parameters
    ----------
    file
        Name of the scenario in messages.

    Raises
    ------
    SanlabError
        A text is not a range, or it names nothing that can be fitted.
    """
    found: list[Parameter] = []
    for part in (word.strip() for text in texts for word in re.split(r",(?![^\[]*\])", text)):
        if "=" in part:
            found.append(parse_free(part))
        elif part:
            found.append(_Named(part, scenario, file).parameter())
    names = [one.path for one in found]
    for name in names:
        if names.count(name) > 1:
            reason = f"--free names {name} twice"
            raise SanlabError(reason)
    return found


class _Named:
    """A value that is named without a range."""

    def __init__(self, name: str, scenario: str, file: str) -> None:
        self.name = name
        self.scenario = scenario
        self.file = file

    def parameter(self) -> Parameter:
        """Return it with bounds around its value today."""
        before = dict(_numbers(self.plan({})))
        reasons: list[str] = []
        for path in self.paths():
            mine: list[str] = []
            for trials, parse, show in _KINDS:
                try:
                    first, second = (dict(_numbers(self.plan({path: text}))) for text in trials)
                except ScenarioError as error:
                    reason = error.problems[0].reason
                    # That a trial value is of another kind says nothing to anyone.
                    mine += [] if any(text in reason for text in trials) else [reason]
                    continue
                values = _today(before, first, second, int(parse(trials[0])))
                return self.bounded(path, values, show, is_time=parse is quantities.parse_time)
            reasons += mine[:1] or [_OTHER_KIND]
        if _OTHER_KIND in reasons:
            reason = f"--free {self.name}: {_OTHER_KIND}. Try its values with `sanlab sweep -p`"
            raise SanlabError(reason)
        raise SanlabError(self.refusal(reasons[0]))

    def refusal(self, reason: str) -> str:
        return f"--free {self.name}: {reason}. Write a range above 0, --free path=1us..100us"

    def paths(self) -> Iterator[str]:
        """Yield the paths that the name may stand for."""
        word, _, rest = self.name.partition(".")
        if word in Scenario.model_fields and rest:
            yield self.name
            return
        if not rest and (word in _SHORT or word in Scenario.model_fields):
            reason = f"--free {self.name}: name a value of it, as in array.command_cost"
            raise SanlabError(reason)
        if word not in _SHORT:
            guess = nearest(word, [*Scenario.model_fields, *_SHORT])
            hint = f"Did you mean '{guess}'? " if guess else ""
            reason = f"--free {self.name}: no value is called so. {hint}Names are paths as after"
            reason += f" --set, or begin with {', '.join(_SHORT)}"
            raise SanlabError(reason)
        document = self.document({})
        names = {kind: _only_name(document, kind) for kind in ("hosts", "arrays", "switches")}
        for start in _SHORT[word]:
            yield f"{start.format(**names)}.{rest}"

    def document(self, values: Mapping[str, object]) -> MarkedMap:
        document = read_document(self.scenario, self.file)
        apply_overrides(document, {}, ("--free", values))
        return document

    def plan(self, values: Mapping[str, object]) -> Any:  # noqa: ANN401  of JSON
        return json.loads(compile_plan(check_document(self.document(values))).to_json())

    def bounded(
        self,
        path: str,
        values: list[Fraction],
        show: Callable[[int], str],
        *,
        is_time: bool,
    ) -> Parameter:
        """Return a parameter with bounds around the values of today, which the plan accepts."""
        if not values:
            raise SanlabError(self.refusal("No number of the plan is proportional to this value"))
        above = [value for value in values if value]
        if not above and not is_time:
            raise SanlabError(self.refusal("It is 0 today, so nothing says how large it may be"))
        if above:
            low, high = min(above), max(above)
            is_cut = show is quantities.format_share and high * FACTOR > _WHOLE
            ends = (max(1, round(low / FACTOR)), _WHOLE if is_cut else round(high * FACTOR))
            least, most = show(round(low)), "all there is" if is_cut else "ten times it"
            reason = f"from a tenth of today's {least} to {most}"
            if low != high and not is_cut:
                reason = (
                    f"from a tenth of {least}, the least today, to ten times {show(round(high))}"
                )
        else:
            low, ends, reason = Fraction(_TIME_BOUNDS[0]), _TIME_BOUNDS, "it is 0 today"
        for end in ends:
            try:
                self.plan({path: show(end)})
            except ScenarioError as error:
                text = f"With {show(end)}: {error.problems[0].reason}"
                raise SanlabError(self.refusal(text)) from None
        amount, unit = _split(show(round(low)))
        scale = amount / round(low)
        return Parameter(path, float(ends[0] * scale), float(ends[1] * scale), unit, reason)


def _split(text: str) -> tuple[Fraction, str]:
    match = _TEXT.fullmatch(text)
    assert match is not None
    return Fraction(match[1]), match[2]


def _only_name(document: MarkedMap, kind: str) -> str:
    """Return the name of the one box of a kind, or `*` for all of several."""
    items = document.get(kind)
    names = [item.get("name") for item in items if isinstance(item, dict)] if items else []
    try:
        is_one = len(names) == 1 and len(expand(str(names[0]))) == 1
    except GroupError:
        is_one = False
    return str(names[0]) if is_one else "*"


def _numbers(value: object, place: tuple[object, ...] = ()) -> Iterator[tuple[object, Any]]:
    """Yield every number of a plan with its place."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _numbers(part, (*place, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _numbers(part, (*place, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, value


def _today(
    before: dict[object, Any], first: dict[object, Any], second: dict[object, Any], trial: int
) -> list[Fraction]:
    """Return the amounts for which the plan has what it has without the trial value."""
    found: set[Fraction] = set()
    for place, one in first.items():
        two, now = second.get(place), before.get(place, 0)
        is_moved = one != now or two != now
        if is_moved and two and one > 0 and abs(two / one / 2 - 1) < _ROUNDED:
            found.add(Fraction(round(Fraction(now) / Fraction(one) * trial)))
    return sorted(found)
