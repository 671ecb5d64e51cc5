"""The few operations that Ibis spells differently, or not at all, on one of the engines.

Everything here means exactly the same on DuckDB, Spark and PostgreSQL, bit for bit. Ibis' own floor
division and `strip` are avoided on purpose: the first goes through a real division, and the second trims
the letters v and f on Spark. Real constants are written as quoted decimals and cast, because a bare 0.1 is
a decimal on DuckDB and Spark, and its way to a double rounds twice.
"""

from __future__ import annotations

import datetime
import functools
from typing import Any

from privet.engine._constant_ranges import MOST_OPERATIONS
from privet.engine._relation import DUCKDB, POSTGRES, SPARK, ColumnKind, kind_of
from privet.errors import BadExpression

WHITE_SPACE = " \t\n\r"
WHOLE_LIMIT = 2**62
DECIMAL_LIMIT = 10**37
FIRST_DAY, LAST_DAY = datetime.date(1, 1, 1), datetime.date(9999, 12, 31)

TYPES = {
    ColumnKind.INTEGER: "int64",
    ColumnKind.REAL: "float64",
    ColumnKind.TEXT: "string",
    ColumnKind.BOOLEAN: "boolean",
    ColumnKind.DATE: "date",
    ColumnKind.TIMESTAMP: "timestamp(6)",
}


@functools.lru_cache(maxsize=64)
def _builtin(name: str, inputs: tuple[str, ...], output: str) -> Any:
    """A function that the engine itself has under this name."""
    import ibis

    shapes: dict[int, Any] = {1: lambda a: None, 2: lambda a, b: None, 3: lambda a, b, c: None}  # noqa: ARG005
    declared = shapes[len(inputs)]
    declared.__name__ = f"privet_{name}_{'_'.join(inputs)}"
    return ibis.udf.scalar.builtin(declared, name=name, signature=(inputs, output))


def whole(value: int) -> Any:
    """A 64-bit constant."""
    import ibis

    return ibis.literal(value, type="int64")


def real(value: float) -> Any:
    """A double constant that every engine reads as the same double."""
    import ibis

    return ibis.literal(repr(float(value))).cast("float64")


def missing(kind: ColumnKind) -> Any:
    """A missing value of this kind."""
    import ibis

    return ibis.null(TYPES[kind])


def is_there(value: Any, found: Any = None) -> Any:
    """Whether a value, or what was `found` for it, is neither missing nor not-a-number; Spark's ISNAN says no to missing."""
    shown = value if found is None else found
    return shown.notnull() & ~shown.isnan() if value.type().is_floating() else shown.notnull()


def keep_if(condition: Any, value: Any) -> Any:
    """The value where the condition holds, missing elsewhere."""
    import ibis

    return ibis.ifelse(condition, value, ibis.null(value.type()))


def floor(value: Any) -> Any:
    """Rounded down, still a double."""
    return _builtin("floor", ("float64",), "float64")(value)


def floor_to_whole(value: Any) -> Any:
    """Rounded down to a 64-bit whole number; missing beyond 2^62, where a cast could fail."""
    fits = (value >= real(-WHOLE_LIMIT)) & (value <= real(WHOLE_LIMIT))
    return floor(keep_if(fits, value)).cast("int64")


def trim(value: Any, engine: str) -> Any:
    """Without white space at the ends."""
    name = "trim" if engine == DUCKDB else "btrim"
    return _builtin(name, ("string", "string"), "string")(value, WHITE_SPACE)


def day_text(value: Any, engine: str) -> Any:
    """A day as 2026-01-31; PostgreSQL's own cast follows a setting of the session."""
    if engine == POSTGRES:
        return _builtin("to_char", ("date", "string"), "string")(value, "YYYY-MM-DD")
    return value.cast("string")


def require_short(value: Any) -> None:
    """Refuse a value that is too long once written out: engines get text, in which nothing is shared."""
    if operations_in(value) > MOST_OPERATIONS:
        raise BadExpression(
            "an expression is too long once it is written out for an engine.",
            "Compute less at once: derive columns of the parts, or divide the question.",
        )


def operations_in(value: Any) -> int:
    """The number of operations in a value of one relation, each counted as often as it is written."""
    import ibis.expr.operations as ops

    found: dict[Any, int] = {}

    def count(node: Any) -> int:
        if isinstance(node, tuple):
            return sum(map(count, node))
        if not isinstance(node, ops.Value):
            return 0
        if node not in found:
            found[node] = 1 + sum(map(count, node.args))
        return found[node]

    return count(value.op())


def try_cast(value: Any, target: str, engine: str) -> Any:
    """A cast of a value that is known to fit; engines that can are told to give missing, not an error."""
    return value.cast(target) if engine == POSTGRES else value.try_cast(target)


def without_collations(table: Any, engine: str) -> Any:
    """The same lazy table with text compared byte by byte, whatever collation its columns carry.

    Under a collation that ignores case, one row equals two stated keys and would be counted in both groups, and
    which spelling stands for a found group would depend on single rows. Bytes carry no collation.
    """
    encoding = () if engine == DUCKDB else ("UTF-8",)
    there, back = ("convert_to", "convert_from") if engine == POSTGRES else ("encode", "decode")
    to_bytes = _builtin(there, ("string",) * (1 + len(encoding)), "binary")
    to_text = _builtin(back, ("binary", *("string" for _ in encoding)), "string")
    found = {
        name: to_text(to_bytes(table[name], *encoding), *encoding) for name in _maybe_collated(table, engine)
    }
    return table.mutate(**found) if found else table


def _maybe_collated(table: Any, engine: str) -> list[str]:
    """Spark tells which columns have a collation, and its decoder raises on text that is not UTF-8: only those there."""
    texts = [name for name, dtype in table.schema().items() if dtype.is_string()]
    if engine != SPARK or not texts:
        return texts
    backend = table.get_backend()
    types = {field.name: field.dataType for field in backend.raw_sql(backend.compile(table)).schema.fields}
    return [name for name in texts if getattr(types[name], "collation", "UTF8_BINARY") != "UTF8_BINARY"]


def any_hash(value: Any) -> Any:
    """DuckDB's own hash of a value of any type: some whole number, for which the value must be read."""
    return _hash_of(value.type())(value)


@functools.lru_cache(maxsize=64)
def _hash_of(dtype: Any) -> Any:
    """The hash for a type; the type itself, because not every type can be read from its text."""
    import ibis

    def privet_hash(value: Any) -> None:
        del value

    return ibis.udf.scalar.builtin(privet_hash, name="hash", signature=((dtype,), "uint64"))


def digest_word(value: Any, engine: str) -> Any:
    """The first four bytes of a text's MD5, the lowest first, as a whole number below 2^32."""
    if engine == DUCKDB:
        # One call without any text in between; DuckDB reads the bytes lowest first.
        number = _builtin("md5_number_upper", ("string",), "uint64")(value)
        # The cast by way of 32 bits matters: Ibis takes the remainder for 64 bits and would leave the cast
        # out, while DuckDB computes it in 128, and everything after it.
        return (number % 2**32).cast("uint32").cast("int64")
    text = _builtin("md5", ("string",), "string")(value)
    if engine == SPARK:
        turned = text.substr(6, 2) + text.substr(4, 2) + text.substr(2, 2) + text.substr(0, 2)
        return _builtin("conv", ("string", "int32", "int32"), "string")(turned, 16, 10).cast("int64")
    octets = _builtin("decode", ("string", "string"), "binary")(text, "hex")
    byte = _builtin("get_byte", ("binary", "int32"), "int32")
    return sum(
        (byte(octets, at).cast("int64") * 256**at for at in range(1, 4)), byte(octets, 0).cast("int64")
    )


def canonical(value: Any, engine: str) -> Any:
    """A column as expressions and keys see it.

    One type for each kind; not-a-number, infinite decimals, whole numbers that do not fit 64 bits and dates
    outside the years 1 to 9999 are missing; minus zero is zero.
    """
    dtype = value.type()
    kind = kind_of(dtype)
    if kind is ColumnKind.INTEGER:
        return try_cast(value, "int64", engine) if dtype.is_uint64() else value.cast("int64")
    if kind is ColumnKind.REAL:
        return _canonical_real(value, engine)
    if kind is ColumnKind.TEXT:
        return value.cast("string")
    if kind is ColumnKind.DATE:
        return keep_if((value >= FIRST_DAY) & (value <= LAST_DAY), value)
    if kind is ColumnKind.TIMESTAMP:
        return _canonical_timestamp(value, engine)
    return value


def canonical_key(value: Any, engine: str) -> Any:
    """A key column as `canonical`, except that small whole numbers keep their type, which groups faster."""
    dtype = value.type()
    return value if dtype.is_integer() and not dtype.is_uint64() else canonical(value, engine)


def _canonical_real(value: Any, engine: str) -> Any:
    import ibis

    number = to_double(value, engine)
    steps = [(number == real(0.0), real(0.0))]
    if value.type().is_floating():
        steps.insert(0, (number.isnan(), missing(ColumnKind.REAL)))
    return ibis.cases(*steps, else_=number)


def to_double(value: Any, engine: str) -> Any:
    """A number as a double. PostgreSQL raises where a decimal is too large or too small: such are missing."""
    dtype = value.type()
    if not (dtype.is_decimal() and engine == POSTGRES):
        return value.cast("float64")
    limit = _power_of_ten()
    inside = keep_if((value > -limit) & (value < limit), value)
    return _builtin("round", ("decimal", "int32"), "decimal")(inside, 37).cast("float64")


def _power_of_ten() -> Any:
    import ibis

    return ibis.literal(str(DECIMAL_LIMIT)).cast("decimal(38, 0)")


def _canonical_timestamp(value: Any, engine: str) -> Any:
    zoned = value.type().timezone is not None
    moment = value if zoned else try_cast(value, "timestamp(6)", engine)
    first = datetime.datetime.combine(FIRST_DAY, datetime.time.min)
    last = datetime.datetime.combine(LAST_DAY, datetime.time.max)
    return keep_if((moment >= first) & (moment <= last), moment)
