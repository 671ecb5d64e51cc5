"""A name alone does not make a role: where the values contradict it, nothing is proposed and the column is withheld."""

import pyarrow as pa
import pytest

import privet as pv
from privet.audits import classify

ROWS = 60


def role(name: str, values: list) -> str:
    return classify(pv.open_table(pa.table({name: values})))[name].role


def repeated(*values) -> list:
    return [values[at * at % len(values)] for at in range(ROWS)]


@pytest.mark.parametrize(
    "name",
    [
        "ht",
        "height",
        "weight",
        "bmi",
        "age",
        "income",
        "salary",
        "wage",
        "state",
        "country",
        "city",
        "größe",
        "gewicht",
        "taille",
        "poids",
        "salaire",
    ],
)
@pytest.mark.parametrize("values", [(0, 1), (1.0, 2.0), (True, False), ("yes", "no"), ("0", "1")], ids=repr)
def test_two_values_are_no_measurement(name: str, values: tuple) -> None:
    assert role(name, repeated(*values)) == "unknown"


@pytest.mark.parametrize("name", ["race", "religion", "gender", "marital_status", "nationality"])
def test_decimals_are_no_labels(name: str) -> None:
    assert role(name, [at / 7 + 0.01 for at in range(ROWS)]) == "unknown"


def test_a_height_below_nought_is_none() -> None:
    assert role("height", [at / 10 - 3 for at in range(ROWS)]) == "unknown"


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("height", tuple(range(150, 200)), "quasi"),
        ("weight", tuple(50 + at / 2 for at in range(80)), "quasi"),
        ("age", tuple(range(18, 90)), "quasi"),
        ("income", tuple(range(10_000, 60_000, 731)), "sensitive"),
        ("income", ("<=50K", ">50K"), "sensitive"),
        ("country", ("Kenya", "Chile"), "quasi"),
        ("sex", (0, 1), "quasi"),
        ("religion", ("yes", "no"), "sensitive"),
        ("race", (1, 2, 3), "quasi"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_what_does_not_contradict_the_name_is_believed(name: str, values: tuple, expected: str) -> None:
    assert role(name, repeated(*values)) == expected


def test_two_heights_in_two_rows_are_heights() -> None:
    assert role("height", [171, 182]) == "quasi"
