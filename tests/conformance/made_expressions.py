"""Expressions, constants and values made to break an engine: every function with every edge of its ranges.

Constants are drawn from beyond the ranges that `privet.engine._constant_ranges` states as well: what is refused is refused for
everybody, and what is not must work on every row of every engine. Everything follows from a seed.
"""

from __future__ import annotations

import datetime
import math
import random

import pyarrow as pa

from privet.engine import check
from privet.engine import expressions as ex
from privet.engine._engine_results import fetch
from privet.engine._relation import ColumnKind
from privet.engine._row_operations import derive, project
from privet.errors import BadExpression

B, I, R, T, D, S = (  # noqa: E741
    ColumnKind.BOOLEAN, ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.TIMESTAMP,
)  # fmt: skip
SCHEMA = pa.schema(
    [
        ("id", pa.int64()), ("i", pa.int64()), ("j", pa.int64()), ("n", pa.int32()), ("x", pa.float64()),
        ("y", pa.float64()), ("f", pa.float32()), ("s", pa.string()), ("t", pa.string()), ("b", pa.bool_()),
        ("c", pa.bool_()), ("d", pa.date32()), ("e", pa.date32()), ("m", pa.timestamp("us")), ("o", pa.timestamp("us")),
    ]
)  # fmt: skip
COLUMNS = {
    "i": I, "j": I, "n": I, "x": R, "y": R, "f": R, "s": T, "t": T, "b": B, "c": B, "d": D, "e": D, "m": S, "o": S,
}  # fmt: skip

WHOLES = [
    0, 1, -1, 2, 7, -7, 10, 255, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**53 + 1, 2**62 - 1, 2**62, 2**62 + 1,
    -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1, 3_037_000_500, 999_999_999_999_999_999,
]  # fmt: skip
REALS = [
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 1e-5, 1 / 3, 5e-324, -5e-324, 2.2e-308, 1e-310, 1e-160, 1e-150, 1e-149,
    1e-100, 1e15, 1e22, 2.0**53, 2.0**62, 2.0**63, -(2.0**63), 1e100, 1e149, 1e150, 1.0000000001e150, -1e151, 1e300,
    1.7e308, -1.7e308, 0.49999999999999994, 4503599627370497.5,
]  # fmt: skip
ENDLESS = [math.inf, -math.inf, math.nan]
TEXTS = [
    "", " ", "a", "ICU", "Zoë", "東京", "😀", "e\u0301", "\u0301", "\u0130", "ß", "ﬁ", "I\u0307", "a\u0000"[:1], "'", '"', "\\",
    "\\n", "%", "_", "line\nbreak", "\t x \r\n", "\u00a012", "12\u2028", "12\u0085", "\u200b7", "\x0b8", "8\x1f", "x" * 3000,
    "é" * 500, "(a+)+$" + "a" * 60, "0", "-0", "+7", "12", "012", "1.", ".5", "-.5e1", "1e5", "1E+5", "1e99", "1e-99",
    "1e999", "0x10", "nan", "NaN", "inf", "Infinity", "9" * 18, "-" + "9" * 18, "9" * 19, "9" * 40, "0." + "1" * 30,
    "1_000", "1,5", "１２", "٣", "1d", "1f", "1e", "--1", ".", "2024-02-29", "2023-02-29", "2024-02-30", "2024-13-01",
    "0000-01-01", "0001-01-01", "9999-12-31", "99999-01-01", "2024-2-9", "-2024-01-01", "2024-01-01 00:00", "epoch",
    "infinity", "today", "true", "yes", "1 ", " 1", "\ufeff1",
]  # fmt: skip
DAYS = [
    datetime.date.min, datetime.date(1, 1, 2), datetime.date(4, 2, 29), datetime.date(1000, 1, 1), datetime.date(1582, 10, 4),
    datetime.date(1582, 10, 15), datetime.date(1900, 3, 1), datetime.date(1969, 12, 31), datetime.date(1970, 1, 1),
    datetime.date(2000, 2, 29), datetime.date(2024, 12, 30), datetime.date(2026, 1, 31), datetime.date(9999, 12, 31),
]  # fmt: skip
MOMENTS = [
    datetime.datetime.combine(day, clock)
    for day in DAYS
    for clock in (datetime.time(0), datetime.time(23, 59, 59, 999_999), datetime.time(6, 7, 8, 9))
]
VALUES = {I: WHOLES, R: REALS, T: TEXTS, B: [True, False], D: DAYS, S: MOMENTS}
POSITIONS = [
    0,
    1,
    2,
    5,
    2**15,
    2**29,
    2**30 - 1,
    2**30,
    2**31 - 2,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**62,
    10**19,
]


def rows(seed: int, count: int) -> pa.Table:
    """Rows of extremes, each column drawn by itself; about one value in ten is missing."""
    draw = random.Random(seed)
    pools = {
        "n": [value for value in WHOLES if -(2**31) <= value < 2**31],
        "x": REALS + ENDLESS,
        "y": REALS + ENDLESS,
        "f": [0.0, -0.0, 1.5, 1e-45, 3.4e38, -3.4e38, *ENDLESS],
    }
    made = {
        name: [
            None if draw.random() < 0.1 else draw.choice(pools.get(name, VALUES[kind])) for _ in range(count)
        ]
        for name, kind in COLUMNS.items()
    }
    # Every value of every pool is there at least once, as far as there is room.
    for name, kind in COLUMNS.items():
        for at, value in enumerate(pools.get(name, VALUES[kind])[:count]):
            made[name][at] = value
    return pa.table({"id": list(range(count)), **made}, schema=SCHEMA)


class Maker:
    """Draws expressions of a wanted kind over the columns of `SCHEMA`."""

    def __init__(self, seed: int, columns: dict[str, ColumnKind] | None = None) -> None:
        self.draw = random.Random(seed)
        self.columns = columns or COLUMNS

    def made(self, kind: ColumnKind, depth: int) -> ex.Expression:
        """An expression of this kind, nested at most so deep."""
        if depth <= 0:
            return self.leaf(kind)
        return self.draw.choice(self.choices(kind))(depth - 1)

    def leaf(self, kind: ColumnKind) -> ex.Expression:
        names = [name for name, one in self.columns.items() if one is kind]
        if names and self.draw.random() < 0.7:
            return ex.Column(self.draw.choice(names))
        return ex.Literal(self.draw.choice(VALUES[kind]))

    def choices(self, kind: ColumnKind):
        every = [self.leaf_of(kind), lambda d: self.pick(kind, d)]
        return every + {
            B: [self.compare, self.compare, self.between, self.one_of, self.joined, self.negated, self.missing,
                lambda d: ex.Cast(self.made(I, d), B)],
            I: [self.whole_arithmetic, self.whole_arithmetic, self.part, self.rounded, self.binned, self.cast_whole,
                lambda d: ex.Length(self.made(T, d)), lambda d: ex.Abs(self.made(I, d))],
            R: [self.real_arithmetic, self.real_arithmetic, lambda d: ex.Abs(self.made(R, d)),
                lambda d: ex.Cast(self.made(self.draw.choice([I, T]), d), R)],
            T: [self.substring, self.substring, self.letters,
                lambda d: ex.Cast(self.made(self.draw.choice([I, B, D]), d), T)],
            D: [self.truncated_day, lambda d: ex.Cast(self.made(self.draw.choice([T, S]), d), D)],
            S: [lambda d: ex.Truncate(self.draw.choice(ex.DATE_UNITS + ex.TIME_UNITS), self.made(S, d)),
                lambda d: ex.Cast(self.made(D, d), S)],
        }[kind]  # fmt: skip

    def leaf_of(self, kind):
        return lambda _: self.leaf(kind)

    def pick(self, kind, d):
        otherwise = None if self.draw.random() < 0.3 else self.made(kind, d)
        return ex.Pick(self.made(B, d), self.made(kind, d), otherwise)

    def pair(self, d):
        left = self.draw.choice([I, R, D, S, T, B])
        right = {I: [I, R], R: [R, I], D: [D, S], S: [S, D]}.get(left, [left])
        return left, self.made(left, d), self.made(self.draw.choice(right), d)

    def compare(self, d):
        kind, left, right = self.pair(d)
        ops = ("=", "!=") if kind is T else ex.COMPARISONS
        return ex.Compare(self.draw.choice(ops), left, right)

    def between(self, d):
        kind = self.draw.choice([I, R, D, S])
        return ex.Between(self.made(kind, d), self.made(kind, d), self.made(kind, d))

    def one_of(self, d):
        kind = self.draw.choice([I, R, T, D, S])
        return ex.OneOf(
            self.made(kind, d), tuple(self.draw.choices(VALUES[kind], k=self.draw.choice([1, 3, 40])))
        )

    def joined(self, d):
        return self.draw.choice([ex.And, ex.Or])(self.made(B, d), self.made(B, d))

    def negated(self, d):
        return ex.Not(self.made(B, d))

    def missing(self, d):
        return ex.IsMissing(self.made(self.draw.choice(list(VALUES)), d))

    def whole_arithmetic(self, d):
        return ex.Arithmetic(self.draw.choice("+-*%"), self.made(I, d), self.made(I, d))

    def real_arithmetic(self, d):
        kinds = self.draw.choice([(R, R), (R, I), (I, R)])
        return ex.Arithmetic(self.draw.choice("+-*/"), self.made(kinds[0], d), self.made(kinds[1], d))

    def part(self, d):
        kind = self.draw.choice([D, S])
        words = ex.DATE_PARTS + (ex.TIME_PARTS if kind is S else ())
        return ex.DatePart(self.draw.choice(words), self.made(kind, d))

    def rounded(self, d):
        return self.draw.choice([ex.Floor, ex.Round])(self.made(self.draw.choice([R, R, I]), d))

    def cast_whole(self, d):
        return ex.Cast(self.made(self.draw.choice([R, T, B]), d), I)

    def binned(self, d):
        of = self.made(self.draw.choice([I, R]), d)
        if self.draw.random() < 0.5:
            edges = sorted({self.draw.choice(REALS) for _ in range(self.draw.choice([1, 3, 8]))})
            return ex.Bin(of, edges=tuple(edges))
        width = self.draw.choice([1e-320, 1e-100, 1.1e-100, 1e-9, 0.1, 3.0, 9e99, 1e100, 1e200])
        origin = self.draw.choice([0.0, -0.0, 5e-324, 1e-300, 1e-101, 1.1e-100, -7.0, 9e99, -1e120])
        return ex.Bin(of, width=width, origin=origin)

    def substring(self, d):
        return ex.Substring(self.made(T, d), self.draw.choice(POSITIONS), self.draw.choice(POSITIONS))

    def letters(self, d):
        return self.draw.choice([ex.Lower, ex.Upper, ex.Trim])(self.made(T, d))

    def truncated_day(self, d):
        return ex.Truncate(self.draw.choice(ex.DATE_UNITS), self.made(D, d))


def expressions(seed: int, count: int, depth: int = 4) -> list[ex.Expression]:
    """So many expressions that are not refused, of all kinds in turn and of all depths up to one."""
    maker, found, turn = Maker(seed), [], 0
    while len(found) < count:
        one = maker.made(list(VALUES)[turn % len(VALUES)], 1 + turn // len(VALUES) % depth)
        turn += 1
        try:
            check(one, COLUMNS)
        except BadExpression:
            continue
        found.append(one)
    return found


def fits(expression: ex.Expression, columns: dict[str, ColumnKind], name: str) -> bool:
    """Whether an expression is accepted over these columns, and speaks of the one of this name."""
    try:
        check(expression, columns)
    except BadExpression:
        return False
    return f"name={name!r}" in repr(expression)


def has_letters_of_its_own(expression: ex.Expression) -> bool:
    """Whether an expression changes the case of letters: outside ASCII each engine follows its own tables."""
    if isinstance(expression, ex.Lower | ex.Upper):
        return True
    parts = (getattr(expression, name) for name in expression.__slots__)
    return any(has_letters_of_its_own(part) for part in parts if isinstance(part, ex.NODES))


def evaluated(relation, made: list[ex.Expression]) -> list[tuple]:
    """For each row in the order of `id`, the values of all expressions: one statement for all of them."""
    named = {f"e{at}": one for at, one in enumerate(made)}
    table = fetch(project(derive(relation, named), ["id", *named]).table, relation.engine)
    found = sorted(table.to_pylist(), key=lambda row: row["id"])
    return [tuple(map(plain, row.values()))[1:] for row in found]


def plain(value: object) -> str:
    """A value as text: two values read the same only if they are the same, bit for bit."""
    if isinstance(value, datetime.datetime):
        value = value.replace(tzinfo=None)
    return f"{type(value).__name__} {value!r}"


def culprits(relation, made: list[ex.Expression]) -> list[tuple[ex.Expression, str]]:
    """The expressions that the engine raises for, and its error: by halving."""
    try:
        evaluated(relation, made)
    except Exception as error:  # noqa: BLE001  whatever the engine raises is what is looked for
        if len(made) == 1 and isinstance(error, BadExpression):
            return []  # too long once written out: refused for everybody, whatever a row holds
        if len(made) == 1:
            return [(made[0], f"{type(error).__name__}: {error}")]
        half = len(made) // 2
        return culprits(relation, made[:half]) + culprits(relation, made[half:])
    return []
