"""Letters, digits and a coin with hierarchies, and an illness with one of its own."""

from hypothesis import strategies as st

from privet.disclosure import Codes
from privet.protect.anonymize.hierarchies import Hierarchy

# --- brute force -------------------------------------------------------------------------------

LETTERS = Hierarchy.from_paths("letter", [(c, "abc"[: 1 + (c > "b")], "*") for c in "abcd"])


DIGITS = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])


COIN = Hierarchy.from_paths("coin", [("h", "*"), ("t", "*")])


ILL = Hierarchy.from_paths("ill", [("w", "x", "*"), ("v", "x", "*"), ("u", "y", "*")])


tables = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)),
    min_size=4,
    max_size=40,
)


def coded(rows):
    every = Codes.from_rows(("letter", "digit", "coin", "ill"), rows)
    return Codes(every.columns, every.codes, every.counts, (4, 3, 2, 3), (None,) * 4)


def ladders_of():
    return [LETTERS.ladder("abcd"), DIGITS.ladder("123"), COIN.ladder("ht")]


def sensitive(promise):
    from privet.protect.anonymize._promise_rules import sensitive_columns

    return sensitive_columns(promise)


def ill():
    return {"ill": ILL.ladder("wvu")}
