"""A trade-off from the table to the proposal: who is measured on whom, what is booked, what is refused."""

import datetime
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from tests.pipeline.small_ward import ROLES, rows, ward

import privet as pv
from privet import examples
from privet.dataset._yaml_positions import placed
from privet.errors import BadSweep, BudgetExceeded, PrivetError
from privet.pipeline import _sweep as sweeping
from privet.pipeline._pareto_frontier import knee
from privet.pipeline._policy import check_policy, read_policy
from privet.pipeline._policy_draft import OwnerStatements, audited, draft
from privet.pipeline._purpose_limitation import checked
from privet.pipeline._sweep_disclosure import SweepStanding
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._sweep_split import halves
from privet.pipeline._tradeoff import Tradeoff, spot_of, tradeoff
from privet.pipeline._tradeoff_summary import policy_lines, words

LITTLE = Sweep(k=(2, 5), k_all=(5,), epsilon=(Decimal(1), Decimal(4), Decimal(11)), repeats=2)
SCHEMA = {
    "age": {"kind": "number", "lower": 0, "upper": 120},
    "area": {"kind": "category", "values": ["A", "B", "C"]},
    "back": {"kind": "category", "values": ["false", "true"]},
}


@pytest.fixture(scope="module")
def found() -> Tradeoff:
    return tradeoff(ward(), target="back", sweep=LITTLE, standing="surrogate")


def by_label(made: Tradeoff) -> dict[str, sweeping.SweepPoint]:
    return {point.label: point for point in made.points}


def test_every_technique_and_strength_is_measured_beside_what_is_not_protected(found: Tradeoff) -> None:
    labels = [point.label for point in found.points]
    assert labels == [
        "raw table",
        "k = 2",
        "k = 5",
        "k = 3, l = 3 (illness)",
        "k = 5, all columns",
        "no noise",
        "epsilon = 1",
        "epsilon = 4",
        "epsilon = 11",
    ]
    for point in found.points:
        assert point.utility.low <= point.utility.value <= point.utility.high
        assert 0 <= point.risk.low <= point.risk.value <= point.risk.high <= 1
        assert point.risk.value == max(
            one.value for one in point.attacks.values()
        )  # exact: one of the figures, chosen
        assert point.attacks[point.attack].value == point.risk.value  # exact: one of the figures, chosen


def test_age_is_learned_and_the_raw_table_gives_more_away_than_private_models(found: Tradeoff) -> None:
    made = by_label(found)
    assert made["no noise"].utility.low > 0.6
    assert made["raw table"].utility.value == pytest.approx(made["no noise"].utility.value)
    assert made["raw table"].risk.low > made["epsilon = 1"].risk.high
    assert made["epsilon = 1"].allowed == pytest.approx(
        0.4621, abs=1e-3
    )  # (e - 1) / (e + 1), and twice delta
    assert made["k = 5"].allowed == pytest.approx(0.2)


def test_what_promises_nothing_or_nothing_that_means_anything_is_not_proposed(found: Tradeoff) -> None:
    made = by_label(found)
    assert made["epsilon = 11"].meaningless
    assert not made["epsilon = 4"].meaningless
    assert "too high to mean anything" in words(made["epsilon = 11"])
    assert "98.4% sure" in words(made["epsilon = 11"])  # e^11 / 999 to one
    absurd = replace(made["epsilon = 11"], strength={"epsilon": 1000.0})
    assert "as good as certain" in words(absurd)
    for at, point in enumerate(found.points):
        if point.technique == "reference" or point.meaningless:
            assert at not in found.on_frontier
            assert found.knee is not None
            assert found.knee.index != at
    assert any("weak to non-existent" in note for note in found.notes)


def test_the_record_is_what_pictures_and_reports_read(found: Tradeoff, tmp_path: Path) -> None:
    found.save(tmp_path / "tradeoff.json")
    record = json.loads((tmp_path / "tradeoff.json").read_text())
    assert record == json.loads(json.dumps(found.to_json()))
    assert (record["schema"], record["artifact"], record["target"]) == (1, "tradeoff", "back")
    assert record["standing"] == "surrogate"
    assert "made-up data" in record["standing_words"]
    needed = {"technique", "strength", "label", "utility", "utility_name", "risk", "risk_name", "baseline"}
    assert all(needed | {"on_frontier", "words", "standing"} <= set(point) for point in record["points"])
    at = record["knee"]["index"]
    assert record["points"][at]["on_frontier"]
    assert record["knee"]["index"] == knee([spot_of(point, 0.5) for point in found.points], 0.5).index  # type: ignore[union-attr]
    assert record["points"][at]["label"] in record["knee"]["reason"]


def test_nobody_is_on_both_sides() -> None:
    made = halves(ward(), "back", holdout=0.5)
    used = set(made.used_rows.column("person").to_pylist())
    apart = set(made.held_rows.column("person").to_pylist())
    assert not used & apart
    assert len(used | apart) == 300
    assert made.people == (len(used), len(apart))
    assert "person" not in made.shared
    assert "person" not in made.features.names


def test_who_is_kept_apart_depends_on_nobody_else() -> None:
    table = rows()
    fewer = table.filter(pa.compute.not_equal(table.column("person"), "p7"))
    both = [
        set(
            halves(pv.open_table(one, unit=pv.Person("person", max_rows=3), roles=ROLES), "back", holdout=0.5)
            .held_rows.column("person")
            .to_pylist()
        )
        for one in (table, fewer)
    ]
    assert both[0] - {"p7"} == both[1]


# --- what sweeping itself gives away --------------------------------------------------------------


def test_each_standing_says_what_it_is(found: Tradeoff) -> None:
    said = {standing: replace(found, standing=standing).standing_words for standing in SweepStanding}
    assert len(set(said.values())) == 4
    assert "owner only" in said[SweepStanding.OWNER_ONLY]
    assert "declared public" in said[SweepStanding.PUBLIC]
    for text in said.values():
        assert text in str(replace(found, standing=next(one for one in SweepStanding if said[one] == text)))


def booked(ledger: pv.Ledger, *epsilons: str, **more: Any) -> Tradeoff:
    sweep = Sweep(epsilon=tuple(map(Decimal, epsilons)), delta=Decimal("1e-6"), k=(2,), k_all=(), l=None)
    settings: dict[str, Any] = {"techniques": ["train"], "schema": SCHEMA, "records": 300, **more}
    return tradeoff(ward(), target="back", sweep=sweep, ledger=ledger, **settings)


def spent(ledger: pv.Ledger) -> dict[str, Any]:
    return dict(ledger.balance().spent)


def test_a_booked_sweep_charges_exactly_what_it_says(tmp_path: Path) -> None:
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(3, "1e-5")) as ledger:
        made = booked(ledger, "0.5", "1", techniques=["train", "anonymize"])
        assert made.standing is SweepStanding.BOOKED
        assert spent(ledger) == made.spent
        assert 1.4 < float(made.spent["epsilon"]) <= 1.5
        assert [entry.kind for entry in ledger.history()].count("spend") == 2  # one fit of each
        assert made.standing_words.startswith("Booked: every private model")
        assert f"epsilon {float(made.spent['epsilon']):.6g}" in made.standing_words
        standings = {point["label"]: point["standing"] for point in made.to_json()["points"]}
        assert standings["epsilon = 1"] == "booked"
        assert standings["k = 2"] == standings["raw table"] == "owner-only"


def test_a_budget_that_does_not_hold_all_of_it_is_left_alone(tmp_path: Path) -> None:
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(1, "1e-5")) as ledger:
        before = [entry.hash for entry in ledger.history()]
        with pytest.raises(BudgetExceeded, match=r"short|budget|left"):
            booked(ledger, "0.5", "0.8")
        assert [entry.hash for entry in ledger.history()] == before


def test_a_booked_sweep_needs_a_price_known_beforehand(tmp_path: Path) -> None:
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(5, "1e-5")) as ledger:
        before = len(list(ledger.history()))
        with pytest.raises(PrivetError):
            booked(ledger, "1", schema=None)
        with pytest.raises(BadSweep, match="how many units"):
            booked(ledger, "1", records=None)
        with pytest.raises(BadSweep, match="only private models"):
            booked(ledger, "1", techniques=["anonymize"])
        assert len(list(ledger.history())) == before


def test_unbooked_sweeps_leave_no_ledger_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    tradeoff(ward(), target="back", techniques=["train"], sweep=Sweep(epsilon=(Decimal(1),), repeats=1))
    assert list(tmp_path.iterdir()) == []


# --- the proposed lines ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drafted")
    examples.write(folder / "stays.csv", examples.hospital(60, 7))
    found = audited(str(folder / "stays.csv"))
    roles = {name: column.role for name, column in found.columns.items()}
    said = replace(OwnerStatements(roles=roles).trial(), special_basis="GDPR Art. 9(2)(j), research")
    text = draft(found, "stays.csv", said, today=datetime.date(2030, 1, 1))
    (folder / "privet.yaml").write_text(text)
    return folder / "privet.yaml"


@pytest.mark.parametrize(
    "point",
    [
        ("anonymize", {"k": 5}),
        ("anonymize", {"k": 5, "l": {"diagnosis": 3}}),
        ("anonymize", {"k": 25, "also_quasi": ["ward", "a: b # c\nd"]}),
        ("train", {"epsilon": 0.1, "delta": 1e-6, "model": "linear"}),
    ],
    ids=["k", "k and l", "all columns", "epsilon"],
)
def test_proposed_lines_fit_a_drafted_policy(
    drafted: Path, found: Tradeoff, point: tuple[str, dict[str, Any]]
) -> None:
    made = replace(found.points[1], technique=point[0], strength=point[1])
    lines = policy_lines(
        made,
        target="readmitted",
        columns=["sex", "ward"],
        quasi=["born", "zip"],
        purpose="first-use",
        max_suppressed="0.1",
    )
    text = drafted.read_text().replace("limits:\n", f"{lines}limits:\n")
    other = drafted.parent / "with_lines.yaml"
    other.write_text(text)
    policy, place = read_policy(other)
    step = policy.steps[-1]
    assert step.do == point[0]
    assert (step.model_extra or {}).get("k", None) == point[1].get("k")
    if point[0] == "anonymize":  # a model also needs what only people can say: bounds, and how many there are
        bound = checked(policy, place, datetime.date(2030, 1, 1))[-1]
        assert bound.options.k == point[1]["k"]
        wanted = point[1].get("l", {})
        assert bound.options.l == {column: str(number) for column, number in wanted.items()}


def test_names_of_columns_cannot_break_out_of_the_lines(found: Tradeoff) -> None:
    odd = 'x"]\n  - do: audit # '
    made = replace(
        found.points[1], technique="train", strength={"epsilon": 1.0, "delta": 1e-6, "model": "linear"}
    )
    lines = policy_lines(made, target=odd, columns=[odd], quasi=[], purpose="p: q", max_suppressed="0.1")
    (step,) = yaml.safe_load(lines)
    assert (step["target"], step["columns"], step["purpose"]) == (odd, [odd], "p: q")


def test_the_step_of_that_kind_checks_like_any_other(drafted: Path) -> None:
    step = "  - {do: tradeoff, purpose: first-use, target: readmitted, epsilon: [1], k: [2, 5]}\n"
    policy_text = drafted.read_text().replace("limits:\n", f"{step}limits:\n")
    place = placed(policy_text, "privet.yaml")
    bound = checked(check_policy(place), place, datetime.date(2030, 1, 1))[-1]
    assert bound.verb.output == "report"
    assert "name" not in bound.columns
    assert "readmitted" in bound.columns
    wrong = placed(policy_text.replace("k: [2, 5]}", "k: [1]}"), "privet.yaml")
    with pytest.raises(PrivetError, match=r"steps\.3\.k\.0"):
        checked(check_policy(wrong), wrong, datetime.date(2030, 1, 1))


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": "bakc"}, "Did you mean 'back'"),
        ({"target": "person"}, "names people"),
        ({"techniques": ["anonymise"]}, "Did you mean 'anonymize'"),
        ({"techniques": []}, "no technique"),
        ({"techniques": ["anonymize"], "target": "age"}, "is a quasi-identifier"),
        ({"sweep": Sweep(k=(1,), epsilon=(Decimal(-1),))}, "k is a whole number of at least 2. an epsilon"),
        ({"sweep": Sweep(holdout=0.99)}, "the holdout is"),
        ({"sweep": Sweep(models=("linaer",))}, "Did you mean 'linear'"),
        ({"standing": "secret"}, "no such standing"),
        ({"standing": "booked"}, "needs a ledger"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_measured_is_refused_in_words(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSweep) as refused:
        tradeoff(ward(120), **{"target": "back", **change})
    assert said in refused.value.fact
    assert "nothing was" in refused.value.hint or "Choose one" in refused.value.hint


def constant(table: pa.Table) -> pa.Table:
    return table.set_column(5, "back", pa.array([True] * table.num_rows))


def nearly_constant(table: pa.Table) -> pa.Table:
    return table.set_column(5, "back", pa.array([True] * (table.num_rows - 2) + [False] * 2))


def one_text(table: pa.Table) -> pa.Table:
    return table.set_column(5, "back", pa.array(["same"] * table.num_rows))


def few(table: pa.Table) -> pa.Table:
    return table.slice(0, 60)


@pytest.mark.parametrize("spoil", [constant, nearly_constant, one_text, few])
def test_one_answer_or_too_few_people_are_refused(spoil: Callable[[pa.Table], pa.Table]) -> None:
    table = pv.open_table(spoil(rows()), unit=pv.Person("person", max_rows=3), roles=ROLES)
    with pytest.raises(BadSweep) as refused:
        tradeoff(table, target="back")
    assert "one value only" in refused.value.fact or "fewer than 50 people" in refused.value.fact


def test_a_technique_that_does_not_fit_is_left_out_unless_it_was_asked_for() -> None:
    roles = {**ROLES, "age": "insensitive", "area": "insensitive"}
    table = ward(roles=roles)
    sweep = Sweep(epsilon=(Decimal(2),), repeats=1)
    made = tradeoff(table, target="back", sweep=sweep)
    assert {point.technique for point in made.points} == {"reference", "train"}
    assert any("no column is called a quasi-identifier" in note for note in made.notes)
    with pytest.raises(BadSweep, match="quasi-identifier"):
        tradeoff(table, target="back", techniques=["anonymize", "train"], sweep=sweep)


def test_a_strength_that_cannot_be_had_is_left_out_with_its_reason() -> None:
    sweep = Sweep(k=(2, 5000), k_all=(), l=None)
    made = tradeoff(ward(150), target="back", techniques=["anonymize"], sweep=sweep)
    assert [point.label for point in made.points] == ["raw table", "k = 2"]
    assert any(note.startswith("Left out: k = 5000") for note in made.notes)
    with pytest.raises(BadSweep, match="nothing could be measured"):
        tradeoff(ward(150), target="back", techniques=["anonymize"], sweep=replace(sweep, k=(5000,)))
    # A learner that is made for rows, asked for persons with several.
    with pytest.raises(BadSweep, match="nothing could be measured"):
        tradeoff(
            ward(150),
            target="back",
            techniques=["train"],
            sweep=Sweep(models=("ebm",), epsilon=(Decimal(1),)),
        )


def test_numbers_are_predicted_too_and_rows_may_be_people() -> None:
    table = pv.open_table(
        rows().drop(["person"]),
        unit=pv.Row(),
        roles={name: role for name, role in ROLES.items() if name != "person"},
    )
    made = tradeoff(
        table,
        target="dose",
        techniques=["train"],
        sweep=Sweep(epsilon=(Decimal(4),), repeats=1),
        standing="public",
    )
    assert made.unit == "row"
    assert made.utility_name == "accuracy on the holdout"  # eight values are classes
    dear = rows().append_column("cost", pa.array([age * 10.5 for age in rows().column("age").to_pylist()]))
    wide = pv.open_table(dear, unit=pv.Person("person", max_rows=3), roles={**ROLES, "cost": "insensitive"})
    made = tradeoff(wide, target="cost", techniques=["train"], sweep=Sweep(epsilon=(Decimal(8),), repeats=1))
    assert made.utility_name.startswith("R²")
    assert by_label(made)["no noise"].utility.value > 0.95
    assert by_label(made)["no noise"].attack == "membership-residual"


def test_numbers_may_be_given_as_they_come() -> None:
    given = Sweep(epsilon=(0.1, "1", Decimal(1), 2), delta=1e-6, max_suppressed=0.05).checked()
    assert given.epsilon == (Decimal("0.1"), Decimal(1), Decimal(2))
    assert (given.delta, given.max_suppressed) == (Decimal("0.000001"), Decimal("0.05"))
    with pytest.raises(BadSweep, match=r"an epsilon .* delta lies .* suppressed rows"):
        Sweep(epsilon=("x",), delta="nan", max_suppressed=float("inf")).checked()


def test_a_target_without_a_role_is_predicted_and_not_published() -> None:
    roles = {name: role for name, role in ROLES.items() if name != "back"}
    made = tradeoff(ward(roles=roles), target="back", sweep=Sweep(epsilon=(2,), repeats=1))
    assert {point.technique for point in made.points} == {"reference", "train"}
    assert any("would not be published" in note for note in made.notes)


def test_large_tables_are_thinned_by_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.pipeline._sweep_split.MOST_ROWS", 350)
    made = halves(ward(600), "back", holdout=0.5)
    people = set(made.used_rows.column("person").to_pylist()) | set(
        made.held_rows.column("person").to_pylist()
    )
    assert 100 < len(people) < 280
    whole = rows(600)
    kept = pa.compute.is_in(whole.column("person"), pa.array(sorted(people)))
    assert made.used_rows.num_rows + made.held_rows.num_rows == whole.filter(kept).num_rows
    assert "about 29%" in made.notes[0]
