"""A collection: one specification for both sides, known by its fingerprint."""

import math

import pytest
from tests.protect.collect.specifications import ALL, SMALLER, VALUES, collection, values_for

import privet as pv
from privet.errors import BadCollection, OutsideQuestion, PrivetError
from privet.guarantee.oracles import ORACLES, WindowResponse


@pytest.mark.parametrize("kind", ALL)
def test_reports_carry_the_fingerprint_and_the_columns_of_the_specification(kind: str) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 20))
    assert len(table) == 20
    assert table.column_names == ["collection", *made.protocol.columns()]
    assert set(table["collection"].to_pylist()) == {made.fingerprint}
    assert len(made.fingerprint) == 32


def test_the_fingerprint_changes_with_everything_that_is_said() -> None:
    def made(**changed):
        said = {
            "name": "emoji",
            "question": pv.OneOf(VALUES),
            "promise": pv.LocalDP(2),
            "oracle": "olh",
            **changed,
        }
        return pv.Collection(**said).fingerprint

    others = [
        made(name="emoji2"), made(question=pv.OneOf(VALUES[::-1])), made(promise=pv.LocalDP(1)), made(oracle="oue"),
        made(per="day"), made(per="day", most=2), made(seed="0" * 16), made(settings={"range": 9}),
    ]  # fmt: skip
    assert len({made(), *others}) == 9
    assert made() == made()


def test_fresh_reports_differ_and_seeded_ones_say_that_they_protect_nobody() -> None:
    made = collection("olh")
    values = values_for("olh", 50)
    assert made.randomize(values) != made.randomize(values)
    seeded = made.randomize(values, seed=5)
    assert seeded == made.randomize(values, seed=5)
    assert set(seeded["collection"].to_pylist()) == {f"{made.fingerprint}-not-private"}


def test_what_it_costs_a_person_is_said() -> None:
    daily = pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(4), per="day", most=2)
    assert "epsilon 8 per person and day" in str(daily)
    assert "factor of 54.6" in str(daily)
    assert "epsilon 4 per person." in str(pv.Collection("e", pv.OneOf(VALUES), pv.LocalDP(4), per="lifetime"))
    assert "nothing limits" in str(collection("grr"))


def test_it_is_saved_and_loaded(tmp_path) -> None:
    made = collection("cms")
    assert pv.Collection.load(made.save(tmp_path / "emoji.json")) == made
    with pytest.raises(BadCollection):
        made.save(tmp_path / "emoji.txt")


@pytest.mark.parametrize(
    "changed",
    [
        {"name": ""}, {"name": "x" * 201}, {"most": 2}, {"per": "day", "most": 0}, {"per": "week"}, {"seed": "xyz"},
        {"promise": pv.PureDP(1)}, {"question": ["a", "b"]}, {"oracle": "laplace"}, {"promise": pv.LocalDP(33)},
        {"settings": {"range": 5}},
    ],
)  # fmt: skip
def test_what_cannot_be_specified_is_refused(changed) -> None:
    said = {"name": "emoji", "question": pv.OneOf(VALUES), "promise": pv.LocalDP(2), **changed}
    with pytest.raises(PrivetError):
        pv.Collection(**said)


def test_nobody_s_values_are_refused() -> None:
    with pytest.raises(OutsideQuestion):
        collection("grr").randomize([])


def _settings():
    for kind, made in ORACLES.items():
        for name in made.settings:
            for value in (1, 2, 3, 11, 12, 13, 24, 255):
                yield kind, name, value


@pytest.mark.parametrize(("kind", "name", "value"), list(_settings()))
def test_a_setting_is_refused_or_works_from_end_to_end(kind: str, name: str, value: int) -> None:
    number = issubclass(ORACLES[kind], WindowResponse)
    question = pv.NumberIn(0, 60) if number else pv.OneOf(VALUES)
    smaller = {key: one for key, one in SMALLER.get(kind, {}).items() if key != name}
    try:
        made = pv.Collection("a", question, pv.LocalDP(2), kind, settings={**smaller, name: value})
    except pv.PrivetError:
        return
    answer = pv.estimate(made.randomize([3.0, 50.0] * 20 if number else VALUES * 3), made)
    column = answer.answers[0]
    assert all(map(math.isfinite, column.values))
    assert all(
        low is None or (math.isfinite(low) and low <= high)
        for low, high in zip(column.low, column.high, strict=True)
    )
    assert pv.Collection.from_json(made.to_json()) == made


def test_a_sketch_that_no_server_holds_is_refused() -> None:
    for kind in ("cms", "hcms"):
        with pytest.raises(pv.PrivetError, match="at most"):
            pv.Collection(
                "a", pv.OneOf(VALUES), pv.LocalDP(2), kind, settings={"rows": 2**20, "width": 2**20}
            )
