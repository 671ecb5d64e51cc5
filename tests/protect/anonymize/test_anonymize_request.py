"""What is asked of a table: which column is what, and all faults at once."""

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from tests.protect.anonymize.people import opened, people

import privet as pv
from privet.errors import BadAnonymization, SeveralRowsPerPerson
from privet.protect.anonymize._anonymize_request import of_people, request, with_persons, with_target


def test_faults_are_listed_together_and_nothing_is_written(tmp_path: Path) -> None:
    table = pv.open_table(people(), roles={"name": "direct"})
    promise = pv.LDiversity("nmae", 2) & pv.LDiversity("name", 2) & pv.PureDP(1)
    with pytest.raises(BadAnonymization) as refused:
        pv.anonymize(table, promise, max_suppressed=2, out=tmp_path / "safe.csv")
    assert len(refused.value.details["faults"]) == 5
    assert list(tmp_path.iterdir()) == []


def test_every_column_has_its_place_and_only_some_are_published():
    asked = request(opened(), pv.KAnonymity(5), "0.05")
    assert asked.quasi == ("age", "town", "sex")
    assert (asked.sensitive, asked.kept) == (("diagnosis",), ("visits",))
    assert (asked.removed, asked.unspoken) == (("name",), ("secret",))
    assert asked.published == ["age", "town", "sex", "diagnosis", "visits"]
    assert asked.max_suppressed == Fraction(1, 20)


def test_a_column_that_a_promise_names_is_sensitive_and_the_person_is_removed():
    table = pv.open_table(people(), unit=pv.Person("visits"), roles={"age": "quasi", "visits": "insensitive"})
    asked = request(table, pv.KAnonymity(5) & pv.LDiversity("diagnosis", 2), 0)
    assert asked.sensitive == ("diagnosis",)
    assert asked.removed == ("visits",)
    assert "visits" not in asked.published


@pytest.mark.parametrize(
    ("promise", "options", "words"),
    [
        (pv.KAnonymity(5), {"max_suppressed": "1.01"}, "between 0 and 1"),
        (pv.KAnonymity(5), {"max_suppressed": "lots"}, "max_suppressed"),
        (pv.KAnonymity(5), {"missing": "zero"}, "missing is one of"),
        (pv.LDiversity("age", 2), {}, "calls it quasi"),
        (pv.LDiversity("name", 2), {}, "calls it direct"),
        (pv.LDiversity("diagnosys", 2), {}, "diagnosis"),
        (pv.PureDP(1), {}, "cannot be kept by generalizing"),
        ("k=5", {}, "a promise is needed"),
        (pv.DeltaPresence("0.1", "0.5"), {"max_suppressed": "0.1"}, "max_suppressed=0"),
    ],
)
def test_what_cannot_be_asked_is_refused(promise, options, words):
    given = {"max_suppressed": 0, **options}
    with pytest.raises(BadAnonymization, match=words) as refused:
        request(opened(), promise, **given)
    assert len(refused.value.details["faults"]) == 1


def test_a_target_is_published_and_counted():
    asked = request(opened(), pv.KAnonymity(5), 0)
    assert with_target(asked, None) is asked
    assert with_target(asked, "diagnosis") is asked
    counted = with_target(asked, "visits")
    assert (counted.kept, counted.counted) == ((), ("visits",))
    assert counted.published == asked.published
    alone = request(pv.open_table(people(), roles={"age": "quasi"}), pv.KAnonymity(5), 0)
    with pytest.raises(BadAnonymization, match="only quasi-identifier"):
        with_target(alone, "age")
    with pytest.raises(BadAnonymization, match="not published"):
        with_target(asked, "secret")


def test_promises_about_people():
    assert of_people(pv.KAnonymity(5))
    assert of_people(pv.RiskThreshold(highest="0.2"))
    assert of_people(pv.LDiversity("x", 2))
    for other in (
        pv.RiskThreshold(highest="0.2", average="0.1"),
        pv.LDiversity("x", 2, "entropy"),
        pv.TCloseness("x", "0.2"),
        pv.KMap(5),
    ):
        assert not of_people(other)


def test_people_are_counted_only_where_somebody_has_several_rows():
    once = request(opened(unit=pv.Person("name")), pv.KAnonymity(5), 0)
    assert with_persons(once).persons is None
    twice = pa.concat_tables([people(), people().slice(3, 1)])
    several = request(opened(twice, unit=pv.Person("name")), pv.KAnonymity(5), 0)
    assert with_persons(several).persons == "name"
    wild = request(opened(twice, unit=pv.Person("name")), pv.KAnonymity(5), 0, "wildcard")
    with pytest.raises(SeveralRowsPerPerson, match="1 people have several rows") as refused:
        with_persons(wild)
    assert refused.value.details["people"] == 1
