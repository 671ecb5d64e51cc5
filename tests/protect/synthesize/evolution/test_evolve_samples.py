"""From what is asked to what leaves: refusals before anything is booked, and a record without a private word."""

import json

import numpy as np
import pytest
from tests.ledger.demands import demand
from tests.protect.synthesize.evolution.texts import LABELS, notes, phrases

import privet as pv
from privet.errors import BadSynthesis, BudgetExceeded, LedgerMismatch, NotApproved
from privet.ledger import SENT, Ledger
from privet.protect.synthesize.evolution import (
    CallableEmbedder,
    CallableGenerator,
    EvolutionSettings,
    HashedWords,
    Images,
    evolve_samples,
)

PROMISE = pv.ZeroConcentratedDP("0.5")


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "notes.ledger", limit=pv.ZeroConcentratedDP(50)) as book:
        yield book


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": None},
        {"text": "nothing"},
        {"label": "nothing"},
        {"label": None},
        {"labels": None},
        {"rows": 0},
        {"generator": object()},
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_booked(ledger, wrong) -> None:
    known = {"text": "note", "label": "ward", "labels": LABELS, "generator": phrases(), "why": "a test"}
    with pytest.raises(BadSynthesis):
        evolve_samples(notes(), PROMISE, ledger=ledger, **known | wrong)
    assert not [entry for entry in ledger.history() if entry.kind == "spend"]


def test_pictures_of_nobody_knows_which_class_are_refused(ledger) -> None:
    """All of them would vote in the first class."""
    draws = CallableGenerator(lambda n, _: [[[0.0]]] * n, lambda some, _label, _degree: list(some))
    with pytest.raises(BadSynthesis, match="which picture has which"):
        evolve_samples(
            Images(np.zeros((4, 1, 1))),
            PROMISE,
            generator=draws,
            ledger=ledger,
            why="a test",
            labels=["a", "b"],
        )
    assert not [entry for entry in ledger.history() if entry.kind == "spend"]


def test_models_that_do_not_work_cost_nothing(ledger) -> None:
    class Broken(HashedWords):
        def embed(self, samples):
            raise BadSynthesis("it is not there.", "Install it.")

    with pytest.raises(BadSynthesis):
        evolve_samples(
            notes(), PROMISE, generator=phrases(), embedder=Broken(), ledger=ledger, why="a test", text="note"
        )
    assert not [entry for entry in ledger.history() if entry.kind == "spend"]


class Elsewhere(HashedWords):
    """An embedder of somebody's own, which says that it sends samples away."""

    remote = "models.example"
    private_texts_may_go_to = None

    def __init__(self, named=None):
        super().__init__(64)
        object.__setattr__(self, "remote", "models.example")
        object.__setattr__(self, "private_texts_may_go_to", named)
        object.__setattr__(self, "seen", [])

    def embed(self, samples):
        self.seen.extend(samples)
        return super().embed(samples)


def sent(ledger, embedder, **more):
    return evolve_samples(
        notes(), more.pop("promise", PROMISE), generator=phrases(), embedder=embedder, ledger=ledger, why="a test",
        text="note", settings=EvolutionSettings(rounds=1, population=4, variations=1), rows=4,
    )  # fmt: skip


@pytest.mark.parametrize("named", [None, "other.example", "models.example:443"])
@pytest.mark.parametrize(
    "kind",
    [
        Elsewhere,
        lambda named: CallableEmbedder(
            HashedWords(64).embed, remote="models.example", private_texts_may_go_to=named
        ),
    ],
)
def test_samples_leave_for_no_machine_that_was_not_named(ledger, kind, named) -> None:
    """Whatever the embedder is: the check does not lie in one of its kinds."""
    embedder = kind(named)
    with pytest.raises(BadSynthesis, match=r"private_texts_may_go_to='models\.example'"):
        sent(ledger, embedder)
    assert not getattr(embedder, "seen", ())
    assert not list(ledger.history()) or [entry.kind for entry in ledger.history()] == ["open"]


def test_that_samples_leave_is_in_the_ledger_before_one_does(ledger) -> None:
    embedder, entered = Elsewhere("models.example"), []
    real = embedder.embed

    def watched(samples):
        if any("canary" in str(one) for one in samples):
            entered.append([one.said for one in ledger.anchors(SENT)])
        return real(samples)

    object.__setattr__(embedder, "embed", watched)
    twin = sent(ledger, embedder)
    assert entered
    assert all(said == [{"host": "models.example"}] for said in entered)
    assert any("were sent to models.example" in note for note in twin.notes)
    ledger.verify()


def test_no_sample_leaves_for_a_run_that_cannot_be_paid(ledger) -> None:
    embedder = Elsewhere("models.example")
    with pytest.raises(BudgetExceeded, match="nothing was sent"):
        sent(ledger, embedder, promise=pv.ZeroConcentratedDP(100))
    assert not any("canary" in str(one) for one in embedder.seen)
    assert ledger.anchors(SENT) == []


@pytest.mark.parametrize("what", ["texts", "pictures"])
@pytest.mark.parametrize("kept_by", ["approval", "another unit"])
def test_no_sample_leaves_for_a_run_that_would_not_be_booked(tmp_path, what, kept_by) -> None:
    """Approval and the unit are asked of the ledger before a sample goes, whatever the samples are."""
    seen: list[str] = []

    def embed(samples):
        seen.extend(map(str, samples))
        return np.array([[len(str(one)), 1.0] for one in samples], np.float32)

    embedder = CallableEmbedder(embed, remote="models.example", private_texts_may_go_to="models.example")
    if what == "texts":
        thing, more = notes(), {"generator": phrases(), "text": "note"}
    else:
        thing = pv.Images(np.full((4, 2, 2), 7.0))
        more = {"generator": CallableGenerator(lambda n, _: [[[0.0, 0.0], [0.0, 0.0]]] * n, lambda s, *_: s)}
    unit = pv.Person("somebody", max_rows=3) if kept_by == "another unit" else None
    with Ledger(tmp_path / "x.ledger", limit=pv.ZeroConcentratedDP(50), unit=unit) as ledger:
        if kept_by == "approval":
            demand(ledger, 1)
        with pytest.raises((NotApproved, LedgerMismatch)):
            evolve_samples(thing, PROMISE, embedder=embedder, ledger=ledger, why="a test", **more)
        assert ledger.anchors(SENT) == []
    assert not any("canary" in one or "7." in one for one in seen)


def test_the_record_says_what_was_drawn_and_holds_nothing_private(ledger, tmp_path) -> None:
    twin = evolve_samples(
        notes(), PROMISE, generator=phrases(), ledger=ledger, why="a test", text="note",
        settings=EvolutionSettings(rounds=2, population=10, variations=1), rows=30,
    )  # fmt: skip
    text = json.dumps(twin.to_json()) + str(twin)
    assert "canary" not in text
    assert "phrases" in text
    assert "hashed words" in text
    assert [one.sigma for one in twin.measured] == pytest.approx([twin.measured[0].sigma] * 2)
    assert sum(one.rho for one in twin.measured) == pytest.approx(0.5, rel=1e-3)
    twin.save(tmp_path / "twin.parquet")
    assert pv.ReleasedTwin.load(tmp_path / "twin.parquet").to_arrow().num_rows == 30


@pytest.mark.parametrize(
    "make",
    [
        lambda count, _: ["a"] * (count - 1),
        lambda *_: None,
        lambda count, _: [{"a": 1}] * count,
        lambda count, _: ["a", np.zeros((2, 2))][:count],
        lambda count, _: [np.zeros((2, 2)), np.zeros((3, 3))][:count],
    ],
)
def test_a_generator_whose_samples_no_twin_can_hold_costs_nothing(ledger, make) -> None:
    generator = CallableGenerator(make, lambda some, *_: list(some))
    with pytest.raises(BadSynthesis):
        evolve_samples(notes(), PROMISE, generator=generator, ledger=ledger, why="a test", text="note")
    assert not [entry for entry in ledger.history() if entry.kind == "spend"]


def test_an_embedder_that_places_nothing_costs_nothing(ledger) -> None:
    nowhere = CallableEmbedder(lambda some: np.full((len(some), 3), np.nan))
    with pytest.raises(BadSynthesis, match="not finite"):
        evolve_samples(
            notes(), PROMISE, generator=phrases(), embedder=nowhere, ledger=ledger, why="a test", text="note"
        )
    assert not [entry for entry in ledger.history() if entry.kind == "spend"]
