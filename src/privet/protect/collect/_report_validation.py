"""Reports that came back: those that fit the specification as numbers, and how many did not fit.

Every row is checked: fingerprint, presence, kind, range, length, order. A row that does not fit is left out and counted;
which one it was and why is said to nobody. All of it is done for whole columns at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.oracles import BitFlip
from privet.protect.collect._protocols import Sampled, Shape
from privet.protect.collect._report_tables import COLLECTION, NOT_PRIVATE, has_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.protect.collect._collection import Collection

_SIXTY_FOUR = 2**64 - 1
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@dataclass(frozen=True)
class ReadReports:
    """Reports that fit, as a table of the columns' own types, and how many others there were."""

    table: pa.Table
    left_out: int
    seeded: int  # of those that fit: made from a stated seed
    fits: NDArray[np.bool_]  # which rows fit: for a sender's own batch, and never for an estimate


def read_reports(table: pa.Table, collection: Collection) -> ReadReports:
    """The rows that fit the specification."""
    import pyarrow as pa

    shape = collection.protocol.columns()
    has_columns(table.column_names, shape)
    stamped, seeded = _stamps(table[COLLECTION], collection.fingerprint)
    fits = stamped.copy()
    columns = {name: _checked(table[name], kind, bound) for name, (kind, bound) in shape.items()}
    if isinstance(collection.protocol, Sampled):
        fits &= _answered(columns, collection.protocol)
    else:
        for name, (_, good, _) in columns.items():
            fits &= good & _whole_set(table, name, collection)
    every = np.arange(len(table))
    kept = pa.table(
        {
            name: column.take(pa.array(every, mask=absent)) if absent.any() else column
            for name, (column, _, absent) in columns.items()
        }
    )
    if not fits.all():
        kept = kept.filter(pa.array(fits))
    return ReadReports(kept, int((~fits).sum()), int((seeded & fits).sum()), fits)


def _stamps(column: pa.ChunkedArray, fingerprint: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        parts = [_coded_stamps(chunk, fingerprint) for chunk in column.chunks]
        empty = np.zeros(0, np.bool_)
        return (
            np.concatenate([empty, *(one for one, _ in parts)]),
            np.concatenate([empty, *(two for _, two in parts)]),
        )
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        nothing = np.zeros(len(column), np.bool_)
        return nothing, nothing
    own, seeded = (_mask(pc.equal(column, text)) for text in (fingerprint, fingerprint + NOT_PRIVATE))
    return own | seeded, seeded


def _coded_stamps(chunk: pa.DictionaryArray, fingerprint: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The same of stamps that are written once and numbered: each distinct one is compared once."""
    import pyarrow as pa

    known = _stamps(pa.chunked_array([chunk.dictionary]), fingerprint)
    places = chunk.indices
    if places.null_count:
        places = places.cast(pa.int64()).fill_null(len(chunk.dictionary))
    numbers = places.to_numpy(zero_copy_only=False)
    own, seeded = (np.append(one, False)[numbers] for one in known)
    return own, seeded


def _mask(values: Any) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(values, False).to_numpy(zero_copy_only=False), np.bool_)  # noqa: FBT003


def _checked(
    column: pa.ChunkedArray, kind: str, bound: int
) -> tuple[Any, NDArray[np.bool_], NDArray[np.bool_]]:
    """A column in its own type, which rows of it fit, and which are empty."""
    import pyarrow as pa

    absent = np.asarray(column.is_null().to_numpy(zero_copy_only=False), np.bool_)
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks)
    read = {"bits": _bits, "list": _lists}.get(kind, _numbers)
    made, good = read(whole, bound)
    return made, good & ~absent, absent


def _numbers(column: pa.Array, bound: int) -> tuple[pa.Array, NDArray[np.bool_]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_decimal(kind):  # what Spark and PostgreSQL make of 64-bit numbers without a sign
        column, kind = column.cast(pa.string()), pa.string()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        digits = pc.match_substring_regex(column, r"^(0|[1-9][0-9]{0,19})$")
        small = pc.or_(pc.less(pc.utf8_length(column), 20), pc.less_equal(column, str(_SIXTY_FOUR)))
        good = _mask(pc.and_(digits, small))
        found = pc.if_else(pa.array(good), column, "0").cast(pa.uint64())
    elif pa.types.is_unsigned_integer(kind) and not column.null_count:
        numbers = column.to_numpy(zero_copy_only=False).astype(np.uint64)
        return pa.array(numbers), numbers <= np.uint64(bound - 1)
    elif pa.types.is_integer(kind):
        good = (
            _mask(pc.greater_equal(column, 0))
            if pa.types.is_signed_integer(kind)
            else np.ones(len(column), bool)
        )
        found = pc.if_else(pa.array(good), column, pa.scalar(0, kind)).cast(pa.uint64())
    elif pa.types.is_floating(kind):
        values = np.nan_to_num(column.cast(pa.float64()).to_numpy(zero_copy_only=False), nan=-1.0)
        good = (values >= 0) & (values < 2.0**53) & (np.floor(values) == values)  # exact: whole numbers
        found = pa.array(np.where(good, values, 0).astype(np.uint64))
    else:
        return pa.array(np.zeros(len(column), np.uint64)), np.zeros(len(column), np.bool_)
    numbers = np.asarray(pc.fill_null(found, 0).to_numpy(zero_copy_only=False), np.uint64)
    return pa.array(numbers), good & (numbers <= np.uint64(bound - 1))


def _lists(column: pa.Array, bound: int) -> tuple[pa.Array, NDArray[np.bool_]]:
    import pyarrow as pa

    empty = pa.array([[]] * len(column), pa.large_list(pa.uint32()))
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return empty, np.zeros(len(column), np.bool_)
    if pa.types.is_null(column.type.value_type):
        return empty, np.ones(len(column), np.bool_)
    import pyarrow.compute as pc

    lengths = np.asarray(
        pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False), np.int64
    )
    flat = pc.list_flatten(column)
    numbers, fine = _numbers(flat, bound)
    values = numbers.to_numpy(zero_copy_only=False)
    fine = fine & ~np.asarray(flat.is_null().to_numpy(zero_copy_only=False), np.bool_)
    rising = np.ones(len(values), np.bool_)
    rising[1:] = values[1:] > values[:-1]
    ends = np.cumsum(lengths)
    starts = (ends - lengths)[lengths > 0]
    rising[starts] = True
    wrong = np.flatnonzero(~(fine & rising))
    good = np.ones(len(column), np.bool_)
    good[np.searchsorted(ends, wrong, side="right")] = False
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    clipped = np.minimum(values, 2**32 - 1).astype(np.uint32)
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(clipped)), good


def _bits(column: pa.Array, bound: int) -> tuple[pa.Array, NDArray[np.bool_]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    width, kind = -(-bound // 8), column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    length = 4 * -(-width // 3) if text else width
    if not (
        text
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
    ):
        return pa.array([bytes(width)] * len(column), pa.binary(width)), np.zeros(len(column), np.bool_)
    good = _mask(pc.equal(pc.binary_length(column), length))
    blank = pa.scalar("A" * length, kind) if text else pa.scalar(bytes(length), pa.binary())
    if pa.types.is_fixed_size_binary(kind):
        column = column.cast(pa.binary())
    same = pc.if_else(pa.array(good), column, blank)
    rows = _matrix(same.cast(pa.large_binary()), length)
    if text:
        rows, clean = _from_base64(rows, width)
        good &= clean
    if bound % 8:
        good &= rows[:, -1] >> (bound % 8) == 0
    buffer = pa.py_buffer(np.ascontiguousarray(rows))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), [None, buffer]), good


def _matrix(column: pa.Array, width: int) -> NDArray[np.uint8]:
    """Binary values of one length as rows of bytes."""
    offsets = np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column) + 1]
    if not len(column):
        return np.zeros((0, width), np.uint8)
    data = np.frombuffer(column.buffers()[2], np.uint8)
    return data[offsets[0] : offsets[-1]].reshape(len(column), width)


def _from_base64(rows: NDArray[np.uint8], width: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Rows of base64 as bytes, and which were well-formed: one way to write each."""
    table = np.full(256, 255, np.uint8)
    table[np.frombuffer(_BASE64, np.uint8)] = np.arange(64)
    padding = (3 - width % 3) % 3
    codes = table[rows]
    if padding:
        good = (rows[:, -padding:] == ord("=")).all(axis=1)
        codes[:, -padding:] = 0
    else:
        good = np.ones(len(rows), np.bool_)
    good &= (codes < 64).all(axis=1)
    four = codes.reshape(len(rows), -1, 4).astype(np.uint32) & 63
    joined = four[..., 0] << 18 | four[..., 1] << 12 | four[..., 2] << 6 | four[..., 3]
    out = np.stack([joined >> 16, joined >> 8, joined], axis=-1).astype(np.uint8).reshape(len(rows), -1)
    good &= (out[:, width:] == 0).all(axis=1)
    return out[:, :width], good


def _whole_set(table: pa.Table, name: str, collection: Collection) -> NDArray[np.bool_]:
    """Whether sets have the size that the oracle gives them."""
    import pyarrow.compute as pc

    chosen = collection.protocol.stated().get("chosen")
    if chosen is None or name != "values":
        return np.ones(len(table), np.bool_)
    try:
        whole = _mask(pc.equal(pc.list_value_length(table[name]), chosen))
    except NotImplementedError:  # no list at all, which is found elsewhere
        return np.zeros(len(table), np.bool_)
    if collection.protocol.stated()["kind"] == BitFlip.kind:
        whole[whole] = _one_bit_each(table[name].filter(whole), chosen)
    return whole


def _one_bit_each(lists: pa.ChunkedArray, chosen: int) -> NDArray[np.bool_]:
    """Whether each place is named once: no device says of a place that its bit is 0 and 1."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        flat = pc.fill_null(pc.list_flatten(lists).cast(pa.int64()), 0)
    except pa.ArrowException:  # numbers that are none, and are found elsewhere as well
        return np.zeros(len(lists), np.bool_)
    values = np.asarray(flat.to_numpy(zero_copy_only=False)).reshape(-1, chosen)
    places = np.sort(values >> 1, axis=1)
    return np.asarray((places[:, 1:] != places[:, :-1]).all(axis=1))


def _answered(columns: dict[str, Any], protocol: Sampled) -> NDArray[np.bool_]:
    """Whether as many questions are answered as the protocol says, and each whole or not at all."""
    import pyarrow.compute as pc

    count = len(next(iter(columns.values()))[1])
    fits, answered = np.ones(count, np.bool_), np.zeros(count, np.int64)
    for number, oracle in enumerate(protocol.oracles.values()):
        parts = {name: columns[f"{number}_{name}"] for name in oracle.columns()}
        given = np.logical_and.reduce([good for _, good, _ in parts.values()])
        if "chosen" in oracle.stated():
            given = given & _mask(
                pc.equal(pc.list_value_length(parts["values"][0]), oracle.stated()["chosen"])
            )
        absent = np.logical_and.reduce([missing for _, _, missing in parts.values()])
        fits &= given | absent
        answered += given
    return np.asarray(fits & (answered == protocol.answered))


def numpy_columns(table: pa.Table, shape: Shape) -> dict[str, Any]:
    """Columns that fit, as the numbers that are counted."""
    import pyarrow as pa

    found: dict[str, Any] = {}
    for name, (kind, bound) in shape.items():
        column = table[name].combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        if kind == "list":
            offsets = column.offsets.to_numpy()
            found[name] = (offsets - offsets[0], column.flatten().to_numpy(zero_copy_only=False))
        elif kind == "bits":
            width = -(-bound // 8)
            data = np.frombuffer(column.buffers()[1] or b"", np.uint8)
            found[name] = data[column.offset * width : (column.offset + len(column)) * width].reshape(
                -1, width
            )
        else:
            numbers = column.to_numpy(zero_copy_only=False)
            found[name] = numbers if kind == "uint64" else numbers.astype(np.int64)
    return found
