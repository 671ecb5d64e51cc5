"""Which columns are compared, which are secret, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest

from privet.audits import _column_choice as choosing
from privet.audits import audit
from privet.audits._column_choice import MOST_COLUMNS, choose
from privet.audits._column_finding import ColumnFinding
from privet.audits._privacy_unit import WhoseRows
from privet.errors import BadAudit, NothingToAudit
from privet.source import open_table


def test_the_user_s_word_wins(stays) -> None:
    told = audit(stays, roles={"zip": "insensitive", "days": "quasi"}, sensitive=["ward"])
    assert told.columns["zip"].role == "insensitive"
    assert "zip" not in told.quasi
    assert "days" in told.quasi
    assert told.sensitive == ("ward",)
    assert told.columns["ward"].role == "sensitive"


def test_nothing_recognised_means_that_everything_counts_as_known() -> None:
    told = audit(pa.table({"q1": [1, 2, 3, 3], "q2": [5, 5, 6, 6]}))
    assert told.quasi == ("q1", "q2")
    assert "every other column counts as known" in told.quasi_origin


def test_only_identifiers_leave_nothing_to_compare() -> None:
    table = pa.table({"email": [f"p{n}@example.org" for n in range(50)]})
    with pytest.raises(NothingToAudit, match="no column is left"):
        audit(table)


def test_columns_beyond_the_limit_are_not_compared_and_said() -> None:
    draw = np.random.default_rng(0)
    told = audit(pa.table({f"c{n}": draw.integers(0, 5, 40) for n in range(120)}))
    assert len(told.columns) == 120
    assert len(told.left_out) == 120 - choosing.MOST_COLUMNS
    assert told.to_json()["not_compared"]


def finding(name: str, role: str, distinct: int = 2) -> ColumnFinding:
    return ColumnFinding(name, role, "other", (), 0.5, None, False, distinct, 0.0, "integer")


def chosen(
    roles: dict[str, str], distinct: dict[str, int] | None = None, whose: tuple[str, ...] = (), **said
):
    table = open_table(pa.table({name: [1, 2] for name in roles}))
    findings = {name: finding(name, role, (distinct or {}).get(name, 2)) for name, role in roles.items()}
    unit = WhoseRows(whose, "stated", "")
    return choose(table, findings, unit, **{"quasi": None, "sensitive": None, "weights": None, **said})


def test_roles_decide_where_nobody_has_said() -> None:
    found = chosen({"id": "direct", "age": "quasi", "note": "free text", "ill": "sensitive", "q": "unknown"})
    assert (found.quasi, found.sensitive, found.how) == (("age",), ("ill",), "found by classification")
    assert found.compared == ("age", "ill", "q"), "secrets first of what is not known"


def test_of_too_many_the_finest_are_kept_in_their_order() -> None:
    roles = {f"c{at}": "quasi" for at in range(MOST_COLUMNS + 2)}
    found = chosen(roles, {name: 99 if name in ("c0", "c21") else 2 + at for at, name in enumerate(roles)})
    assert len(found.quasi) == MOST_COLUMNS
    assert found.quasi[0] == "c0"
    assert found.quasi[-1] == "c21"
    assert "c1" not in found.quasi
    assert "c2" not in found.quasi
    assert set(found.left_out) == {"c1", "c2"}


def test_stated_columns_are_all_compared_however_many() -> None:
    roles = {f"c{at}": "unknown" for at in range(MOST_COLUMNS + 5)}
    found = chosen(roles, quasi=list(roles))
    assert len(found.compared) == MOST_COLUMNS + 5
    assert found.left_out == ()


def test_unit_and_weights_are_not_compared() -> None:
    found = chosen({"who": "unknown", "w": "quasi", "age": "quasi"}, whose=("who",), weights="w")
    assert found.compared == found.quasi == ("age",)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadAudit, match="'ag'") as caught:
        chosen({"age": "quasi"}, quasi=["ag"])
    assert "age" in caught.value.hint
    with pytest.raises(BadAudit, match="both known"):
        chosen({"age": "quasi"}, quasi=["age"], sensitive=["age"])
    with pytest.raises(BadAudit, match="whose rows"):
        chosen({"age": "quasi", "who": "unknown"}, whose=("who",), quasi=["who"])
    with pytest.raises(BadAudit, match="lists or structures"):
        audit(pa.table({"a": [[1], [2]], "b": [1, 2]}), quasi=["a"])
