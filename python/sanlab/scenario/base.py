"""What all parts of a scenario share: the base model and the types of values with units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema
from pydantic_core import PydanticCustomError

from sanlab import quantities
from sanlab.quantities import QuantityError
from sanlab.scenario.groups import GroupError, expand, expand_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic.fields import FieldInfo

#: Code of errors that carry their own reason and remedy.
OWN_ERROR = "sanlab"

#: Sum of BB_Credit a login can grant: the field has 16 bits (FC-FS, common service parameters).
MAX_CREDIT = 65_535
#: Exchanges an N_Port can have open: OX_ID has 16 bits and 0xFFFF means unassigned (FC-FS).
MAX_EXCHANGES = 65_535
#: Longest link, more than the way around the Earth.
MAX_LENGTH_MM = 50_000 * 1_000_000
#: Longest time in a scenario, 10^6 s; the clock of picoseconds ends at 1.8 * 10^7 s.
MAX_TIME_PS = 10**18
#: Lowest data rate, 1 kB/s: below it, the frames that wait for a port could take longer than the
#: clock counts.
MIN_RATE = 1000
#: Highest data rate, 4 TB/s: the time of a transmission word is one picosecond.
MAX_RATE = 4 * 10**12
#: Largest logical unit, 1 EiB.
MAX_LUN_BYTES = 2**60
#: Largest request, 64 MiB.
MAX_BLOCK_BYTES = 2**26
#: Smallest addressable unit of a LUN.
SECTOR_BYTES = 512


class ScenarioModel(BaseModel):
    """One mapping of a scenario; it is immutable and refuses unknown keys."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        populate_by_name=True,
        validate_default=False,
        defer_build=True,
    )


ModelT = TypeVar("ModelT", bound=BaseModel)


def overlaid(base: ModelT, keys: Mapping[str, object]) -> ModelT:
    """Return a model with the values of some keys replaced by those of another part.

    The values have been validated where they come from, and are not validated again.

    Raises
    ------
    KeyError
        A key is not a field of the model.
    """
    unknown = keys.keys() - type(base).model_fields.keys()
    if unknown:
        raise KeyError(*sorted(unknown))
    return base.model_copy(update=dict(keys))


def written(part: BaseModel, *, but: tuple[str, ...] = ()) -> dict[str, object]:
    """Return the values that a part of a scenario has of its own; an empty value is none."""
    keys = (key for key in type(part).model_fields if key in part.model_fields_set - set(but))
    return {key: value for key in keys if (value := getattr(part, key)) is not None}


def refusal(reason: str, remedy: str, key: str = "") -> PydanticCustomError:
    """Return an error with this reason and remedy, at `key` of the mapping if there is a key."""
    context = {"reason": reason, "remedy": remedy, "key": key}
    return PydanticCustomError(OWN_ERROR, "{reason}", context)


def also(schema: dict[str, JsonValue]) -> FieldInfo:
    """Add a shorthand to the JSON Schema of a key that may be left out."""

    def extend(whole: dict[str, JsonValue]) -> None:
        choices = whole.get("anyOf")
        if isinstance(choices, list):
            choices.append(schema)

    return cast("FieldInfo", Field(json_schema_extra=extend))


def _quantity(
    parse: Callable[[Any], Any],
    *,
    example: str,
    low: int = 0,
    high: int | None = None,
    shown: Callable[[int], str] = str,
) -> tuple[BeforeValidator, WithJsonSchema]:
    """Return the validator of a quantity within [low, high], and its place in the JSON Schema."""

    def read(value: object) -> object:
        try:
            result = parse(value)
        except QuantityError as error:
            raise refusal(reason=error.reason, remedy=error.remedy) from error
        if isinstance(result, int):
            if result < low:
                raise refusal(reason=f"'{value}' is too small", remedy=f"The least is {shown(low)}")
            if high is not None and result > high:
                raise refusal(
                    reason=f"'{value}' is too large", remedy=f"The limit is {shown(high)}"
                )
        return result

    schema = {"type": ["string", "integer"], "examples": [example]}
    return BeforeValidator(read), WithJsonSchema(schema)


def _or(word: str, parse: Callable[[Any], int]) -> Callable[[Any], int | str]:
    """Return a function that reads a quantity, or a word in its place."""
    return lambda text: word if text == word else parse(text)


_LUN_SIZE = _quantity(
    quantities.parse_size,
    example="100GiB",
    low=SECTOR_BYTES,
    high=MAX_LUN_BYTES,
    shown=quantities.format_size,
)
_BLOCK = _quantity(
    quantities.parse_size,
    example="64k",
    low=SECTOR_BYTES,
    high=MAX_BLOCK_BYTES,
    shown=quantities.format_size,
)
_SIZE = _quantity(
    quantities.parse_size, example="1GiB", high=MAX_LUN_BYTES, shown=quantities.format_size
)
_RATE = _quantity(
    quantities.parse_rate,
    example="40MiB/s",
    low=MIN_RATE,
    high=MAX_RATE,
    shown=quantities.format_rate,
)
_RATE_OR_NONE = _quantity(
    _or("none", quantities.parse_rate),
    example="50MB/s",
    low=MIN_RATE,
    high=MAX_RATE,
    shown=quantities.format_rate,
)
_TIME = _quantity(
    quantities.parse_time, example="10us", high=MAX_TIME_PS, shown=quantities.format_time
)
_TIME_OR_MANUAL = _quantity(
    _or("manual", quantities.parse_time),
    example="10s",
    high=MAX_TIME_PS,
    shown=quantities.format_time,
)
_SPAN = _quantity(
    quantities.parse_time, example="1s", low=1, high=MAX_TIME_PS, shown=quantities.format_time
)
_SPAN_OR_NONE = _quantity(
    _or("none", quantities.parse_time),
    example="500ms",
    low=10**9,
    high=MAX_TIME_PS,
    shown=quantities.format_time,
)
_LENGTH = _quantity(
    quantities.parse_length, example="10m", high=MAX_LENGTH_MM, shown=quantities.format_length
)
_SHARE = _quantity(quantities.parse_share, example="30%")
_SPEED = _quantity(quantities.parse_speed, example="16GFC")

LunSize = Annotated[int, *_LUN_SIZE]
BlockSize = Annotated[int, *_BLOCK]
Size = Annotated[int, *_SIZE]
Rate = Annotated[int, *_RATE]
#: A rate, or `none`.
RateOrNone = Annotated[int | Literal["none"], *_RATE_OR_NONE]
Time = Annotated[int, *_TIME]
#: A time, or `manual`.
TimeOrManual = Annotated[int | Literal["manual"], *_TIME_OR_MANUAL]
Span = Annotated[int, *_SPAN]
#: A time of at least 1 ms, or `none`.
SpanOrNone = Annotated[int | Literal["none"], *_SPAN_OR_NONE]
Length = Annotated[int, *_LENGTH]
Share = Annotated[int, *_SHARE]
Speed = Annotated[str, *_SPEED]

Credit = Annotated[int, Field(ge=1, le=MAX_CREDIT)]
Exchanges = Annotated[int, Field(ge=1, le=MAX_EXCHANGES)]


def _read_name(value: object) -> object:
    if isinstance(value, str):
        try:
            expand_names(value)
        except GroupError as error:
            raise refusal(reason=error.reason, remedy=error.remedy) from error
    return value


def _read_pattern(value: object) -> object:
    if isinstance(value, str):
        try:
            expand(value)
        except GroupError as error:
            raise refusal(reason=error.reason, remedy=error.remedy) from error
        if not value.strip():
            raise refusal(
                reason="A name is missing", remedy="Write the name of something in this scenario"
            )
    return value


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


#: A name one defines, or a group of them.
Name = Annotated[str, BeforeValidator(_read_name)]
#: A name one refers to; `*` matches any.
Pattern = Annotated[str, BeforeValidator(_read_pattern)]
#: One pattern, or a list.
Patterns = Annotated[
    list[Pattern],
    BeforeValidator(_as_list),
    Field(min_length=1),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
            ]
        }
    ),
]


def refuse_parts_of_sectors(model: ScenarioModel, *keys: str) -> None:
    """Refuse sizes that are not whole sectors; keys that are left out are fine.

    Raises
    ------
    PydanticCustomError
        With the key, the reason and the remedy.
    """
    for key in keys:
        if (getattr(model, key) or 0) % SECTOR_BYTES != 0:
            raise refusal(
                reason=f"'{key}' is not a multiple of {SECTOR_BYTES} bytes",
                remedy="Use whole sectors",
                key=key,
            )
