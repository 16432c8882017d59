"""Columns of the engine to Arrow tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

#: A column as the engine returns it: a view of numbers, shape (rows,), or strings.
NativeColumn: TypeAlias = "memoryview[int] | memoryview[float] | list[str]"

#: Types of numbers by the format of their view.
_TYPES = {"Q": pa.uint64(), "d": pa.float64()}

_UNITS = (
    ("_bytes_per_s", "B/s"),
    ("_bytes", "B"),
    ("_ps", "ps"),
    ("_count", "1"),
    ("_s", "s"),
)
_UNITS_BY_NAME = {
    "iops": "1/s",
    "utilisation": "1",
    "share": "1",
    "bytes": "B",
    "bytes_per_s": "B/s",
}


def unit_of(column: str) -> str | None:
    """Unit of a column, which its name ends in; None for text and plain numbers.

    >>> unit_of("tx_credit_wait_ps"), unit_of("throughput_bytes_per_s"), unit_of("port")
    ('ps', 'B/s', None)
    """
    if column in _UNITS_BY_NAME:
        return _UNITS_BY_NAME[column]
    if column.endswith("utilisation"):
        return "1"
    return next((unit for ending, unit in _UNITS if column.endswith(ending)), None)


def from_native(columns: Mapping[str, NativeColumn]) -> pa.Table:
    """One table out of the engine's columns, each with its unit in the field's metadata.

    >>> import sys
    >>> seven = memoryview((7).to_bytes(8, sys.byteorder)).cast("Q")
    >>> table = from_native({"port": ["sw1.f0"], "tx_bytes": seven})
    >>> table.to_pylist()
    [{'port': 'sw1.f0', 'tx_bytes': 7}]
    """
    fields, arrays = [], []
    for name, column in columns.items():
        array = _array(column)
        unit = unit_of(name)
        fields.append(pa.field(name, array.type, metadata={"unit": unit} if unit else None))
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def numbers(table: pa.Table, name: str) -> npt.NDArray[Any]:
    """One column of numbers, shape (rows,); pyarrow's own way loads pandas if it can."""
    return np.from_dlpack(table[name].combine_chunks())


def texts(table: pa.Table, name: str) -> npt.NDArray[np.object_]:
    """One column of text as an array of strings, shape (rows,)."""
    return np.array(table[name].to_pylist(), dtype=object)


def _array(column: NativeColumn) -> pa.Array:
    if isinstance(column, list):
        return pa.array(column, type=pa.string())
    return pa.Array.from_buffers(_TYPES[column.format], len(column), [None, pa.py_buffer(column)])
