"""People as units: sampled whole, their records clipped together, and none of them decides about another's."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.protect.train.gradients.models import Attention, seeded
from torch import nn

import privet as pv
from privet.errors import BadTraining, LedgerMismatch
from privet.guarantee import Gaussian, PoissonSampled, Repeated, SealedPlan
from privet.mechanism import _gradient_noise as gradient_noise
from privet.mechanism import _secret_seed as secret_seed
from privet.protect.train.gradients import Clipping, Optimizer, StepSpeed, plan, train_model
from privet.protect.train.gradients._per_example_loss import Objective
from privet.protect.train.gradients._person_groups import PersonGroups, named_in
from privet.protect.train.gradients._record_pipeline import Pipeline
from privet.protect.train.gradients._training_records import TrainingRecords
from privet.protect.train.gradients.clipping import Bookkeeping, ClippingRule, Looped, Vmapped

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
COUNTS = (1, 2, 3, 7, 30, 150, 1000)
BOUND = 0.25
ENGINES = {"bookkeeping": Bookkeeping, "vmapped": Vmapped, "looped": Looped}


def people_of(counts, shuffled=True):
    who = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(0).permutation(who) if shuffled else who


def numbers(count, width=6):
    x = torch.randn(count, width, generator=torch.Generator().manual_seed(0)) + 0.3
    return x, x[:, :3].argmax(1)


def dense():
    return seeded(lambda: nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 3)))


def groups_of(people, most, pooling="mean"):
    return PersonGroups.of(people, len(people), most, pooling)


# --- whose turn it is --------------------------------------------------------------------------


def test_a_person_gives_all_records_or_the_next_ones_in_turn():
    groups = groups_of(["a", "b", "a", "b", "a", "b", "b", "a", "a"], 2)
    assert groups.size == 2
    shown = [groups.rows(np.array([0, 1]), turn)[0].tolist() for turn in range(4)]
    assert [both[0] for both in shown] == [[0, 2], [4, 7], [8, 0], [2, 4]]
    assert [both[1] for both in shown] == [[1, 3], [5, 6], [1, 3], [5, 6]]
    few = groups_of(["a", "b", "b", "b"], 5)
    for turn in range(3):
        places, weights = few.rows(np.array([0, 1]), turn)
        assert places.tolist() == [[0, 0, 0], [1, 2, 3]]
        assert weights[0].tolist() == [1, 0, 0], "what fills up is one's own, and weighs nothing"
        assert weights[1].tolist() == pytest.approx([1 / 3] * 3)
    assert groups_of(["a", "b", "b"], 5, "sum").rows(np.array([1]), 0)[1].tolist() == [[1, 1]]


def test_who_else_is_there_decides_nothing():
    """Take anybody away: the records of all others, at every turn, are the ones they were."""
    who = people_of((1, 4, 9, 2, 30))
    for gone in range(5):
        kept = np.flatnonzero(who != gone)
        whole, rest = groups_of(who, 4), groups_of(who[kept], 4)
        for turn in range(7):
            for at, person in enumerate(sorted({*who.tolist()} - {gone})):
                before, _ = whole.rows(np.array([person]), turn)
                after, _ = rest.rows(np.array([at]), turn)
                assert kept[after].tolist() == before.tolist()


def test_pieces_hold_everybody_once_and_people_are_never_parted():
    groups = groups_of(people_of((1, 40, 2, 9, 3, 1, 5, 9)), 20)
    chosen = np.arange(8)
    pieces = list(groups.pieces(chosen, 12))
    assert sorted(np.concatenate(pieces).tolist()) == chosen.tolist()
    for piece in pieces:
        assert len(piece) == 1 or len(piece) * groups.counts(piece).max() <= 12
    assert pieces[0].tolist() == [1]
    assert groups.owners(np.arange(64)).tolist() == sorted(
        set(people_of((1, 40, 2, 9, 3, 1, 5, 9))[:64].tolist())
    )


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ([1, 2], "equally many"),
        ([1, None, 2], "have no person"),
        ([1.0, float("nan"), 2.0], "have no person"),
        (np.array([1.0, float("nan"), 2.0]), "have no person"),
        ([1, "1", 2], "several kinds"),
        ([[1], [2], [3]], "numbers or texts"),
        (5, "numbers or texts"),
    ],
)
def test_people_that_are_none_are_refused(people, words):
    with pytest.raises(BadTraining, match=words):
        PersonGroups.of(people, 3, 2, "mean")


def test_names_may_be_texts_numbers_or_tensors():
    wanted = groups_of([5, 3, 5], 2)
    for people in (["e", "c", "e"], np.array([5, 3, 5]), torch.tensor([5, 3, 5]), np.array(["e", "c", "e"])):
        found = groups_of(people, 2)
        assert sorted(np.diff(found.starts).tolist()) == sorted(np.diff(wanted.starts).tolist()) == [1, 2]
    assert named_in([{"who": 3}, {"who": 4}], "who") == [3, 4]
    for raw in (None, [{"who": 3}, {}], [(1, 2)]):
        with pytest.raises(BadTraining, match="whose they are"):
            named_in(raw, "who")


# --- clipped together --------------------------------------------------------------------------


def by_hand(model, objective, x, y, groups, persons, turn, bound):  # noqa: PLR0917
    """Nothing but autograd on each person's own records, without filling up, in double precision sums."""
    trained = dict(model.named_parameters())
    total = {name: torch.zeros(value.shape, dtype=torch.float64) for name, value in trained.items()}
    norms = []
    for person in persons:
        places, weights = groups.rows(np.array([person]), turn)
        own = places[0][weights[0] > 0]
        losses = objective.loss(model(x[own]), y[own])
        loss = losses.mean() if groups.pooling == "mean" else losses.sum()
        grads = torch.autograd.grad(loss, list(trained.values()))
        norms.append(float(sum(grad.double().square().sum() for grad in grads).sqrt()))
        for name, grad in zip(trained, grads, strict=True):
            total[name] += grad.double() * min(1.0, bound / norms[-1])
    return total, norms


def tokens(count):
    ids = torch.randint(0, 23, (count, 7), generator=torch.Generator().manual_seed(0))
    return ids, ids


KINDS = {
    "dense": (dense, numbers, "cross_entropy", COUNTS, ENGINES),
    "linear": (lambda: seeded(lambda: nn.Linear(6, 3)), numbers, "cross_entropy", COUNTS, ENGINES),
    "wide": (  # few records for its width: norms by ghost products
        lambda: seeded(lambda: nn.Sequential(nn.Linear(40, 60), nn.Tanh(), nn.Linear(60, 3))),
        lambda count: numbers(count, 40),
        "cross_entropy",
        (1, 2, 5, 11),
        ENGINES,
    ),
    "convolution": (
        lambda: seeded(
            lambda: nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
        ),
        lambda count: (numbers(count, 36)[0].view(-1, 1, 6, 6), numbers(count, 36)[1]),
        "cross_entropy",
        (1, 2, 5, 40),
        ENGINES,
    ),
    "tied attention": (lambda: seeded(lambda: Attention("module")), tokens, "language", (1, 2, 5, 20), ENGINES),
    "recurrent": (
        lambda: seeded(lambda: nn.Sequential(nn.Unflatten(1, (2, 3)), Last(), nn.Linear(4, 3))),
        numbers,
        "cross_entropy",
        (1, 2, 5, 40),
        {"looped": Looped},  # torch cannot map its cells over people
    ),
}  # fmt: skip


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(3, 4, batch_first=True)

    def forward(self, x):
        return self.cell(x)[0][:, -1]


@pytest.mark.parametrize("pooling", ["mean", "sum"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_engine_sums_and_clips_as_a_loop_over_people_does(kind, pooling):
    make, data, loss, counts, engines = KINDS[kind]
    model, who = make(), people_of(counts)
    x, y = data(len(who))
    objective, trained = Objective.of(loss), dict(model.named_parameters())
    groups = groups_of(who, 400, pooling)
    pipeline = Pipeline(TrainingRecords.of((x, y)), None, 1, torch.device("cpu"), people=groups)
    everybody = np.arange(groups.size)
    for turn in (0, 1):
        _, free = by_hand(model, objective, x, y, groups, everybody, turn, 1e9)
        bound = float(np.median(free))
        truth, norms = by_hand(model, objective, x, y, groups, everybody, turn, bound)
        scale = max(float(value.abs().max()) for value in truth.values())
        batch = pipeline.batch(everybody, 0, turn)
        for name, engine in engines.items():
            found = engine(model, trained, objective).clipped_sum(batch, ClippingRule(bound))
            assert found.norms.numpy() == pytest.approx(np.array(norms), rel=1e-5), name
            for key, value in truth.items():
                assert float((found.sums[key].double() - value).abs().max()) <= 1e-5 * scale, (name, key)


# --- neighbours --------------------------------------------------------------------------------


@pytest.fixture
def sums(tmp_path, monkeypatch):
    """The exact sums of every step of a run in which nothing moves."""
    monkeypatch.setattr(secret_seed, "fresh_bytes", lambda count: bytes(range(count)))
    taken = []

    def noised(values, sigma, generator):
        taken.append(np.concatenate([np.asarray(value, dtype=np.float64).ravel() for value in values]))
        return tuple(np.zeros(np.shape(value)) for value in values)

    monkeypatch.setattr(gradient_noise, "noised", noised)

    def run(x, y, people, engine="auto", *, model=dense, most=50, steps=3, **given):
        taken.clear()
        trained = model()
        made = plan(
            trained,
            pv.ZeroConcentratedDP(1),
            records=len(COUNTS),
            batch=len(COUNTS),
            steps=steps,
            sampling="full",
            clipping=given.pop("clipping", BOUND),
            unit=pv.Person("who", max_rows=most),
            pooling=given.pop("pooling", "mean"),
        )
        book = tmp_path / f"{len(list(tmp_path.iterdir()))}.ledger"
        with pv.Ledger(book, limit=pv.ZeroConcentratedDP(50), unit=pv.Person("who")) as ledger:
            train_model(
                trained, (x, y), made, people=people, ledger=ledger, why="a test",
                speed=StepSpeed(engine=engine, physical=64), optimizer=Optimizer(momentum=0.0, **given),
            )  # fmt: skip
        return np.array(taken)

    return run


@pytest.mark.parametrize("pooling", ["mean", "sum"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_person_of_1_to_1000_records_moves_a_sum_by_no_more_than_the_bound(sums, engine, pooling):
    """Every person of the table is removed in turn, with noise off; all steps are compared, not the first."""
    who = people_of(COUNTS)
    x, y = numbers(len(who))
    most = 1000 if engine == "bookkeeping" else 50
    whole = sums(x, y, who, engine, most=most, pooling=pooling)
    assert whole.shape[0] == 3
    moved = []
    for person in range(len(COUNTS)) if engine == "bookkeeping" else (0, 3, len(COUNTS) - 1):
        kept = who != person
        rest = sums(x[kept], y[kept], who[kept], engine, most=most, pooling=pooling)
        moved.append(np.linalg.norm(whole - rest, axis=1))
    assert np.max(moved) <= BOUND * (1 + 1e-4)
    assert np.max(moved) > 0.9 * BOUND, "somebody is clipped, or the test could see nothing"


def test_records_as_units_would_move_it_by_many_bounds(sums, tmp_path, monkeypatch):
    """The control: the same removal where each record is clipped by itself."""
    who = people_of(COUNTS)
    x, y = numbers(len(who))
    alone = np.arange(len(who))
    kept = who != len(COUNTS) - 1
    moved = np.linalg.norm(sums(x, y, alone, steps=1) - sums(x[kept], y[kept], alone[kept], steps=1))
    assert moved > 100 * BOUND


@pytest.mark.parametrize("engine", ENGINES)
def test_records_that_cancel_or_are_no_numbers_move_nothing_beyond_the_bound(sums, engine):
    who = people_of(COUNTS, shuffled=False)
    x, y = numbers(len(who))
    x[1] *= 1e6
    x[2], y[2] = -x[1], y[1]  # person 1: two huge ones that nearly cancel
    x[5] = float("nan")  # person 2
    x[40:100] *= 1e4  # of persons 4 and 5
    whole = sums(x, y, who, engine, pooling="sum")
    assert np.isfinite(whole).all()
    for person in (1, 2, 5):
        kept = who != person
        moved = np.linalg.norm(whole - sums(x[kept], y[kept], who[kept], engine, pooling="sum"), axis=1)
        assert moved.max() <= BOUND * (1 + 2.0**-10)


def test_it_holds_with_views_and_normalised_gradients(sums):
    who = people_of((3, 1, 9, 40), shuffled=False)
    x, y = numbers(len(who))
    given = {
        "augment": lambda x, g: x * 2,
        "views": 2,
        "clipping": Clipping(BOUND, "automatic"),
        "most": 8,
    }
    kept = who != 3
    moved = np.linalg.norm(sums(x, y, who, **given) - sums(x[kept], y[kept], who[kept], **given), axis=1)
    assert 0.9 * BOUND < moved.max() <= BOUND * (1 + 1e-4)


# --- planned, booked and resumed ----------------------------------------------------------------


def test_whole_people_are_sampled_and_accounted_for(tmp_path, monkeypatch):
    """Poisson sampling: each step's batch holds some people, and of each of them as many records as may count."""
    who = people_of((4,) * 30)
    x, y = numbers(len(who))
    model = dense()
    unit = pv.Person("patient", max_rows=3)
    made = plan(model, pv.ApproxDP(3, "1e-3"), records=30, batch=10, steps=6, unit=unit)
    one = PoissonSampled(Fraction(1, 3), Gaussian(made.noise_multiplier, 1))
    assert made.event == SealedPlan(Repeated(one, 6), "1e-3")
    assert "each person with probability 0.3333" in str(made)
    assert "the mean over at most 3 records of each person" in str(made)
    assert made.to_json()["pooling"] == "mean"
    rows = plan(model, pv.ApproxDP(3, "1e-3"), records=30, batch=10, steps=6)
    assert made.noise_multiplier == pytest.approx(rows.noise_multiplier), "however many records a person has"
    assert "pooling" not in rows.to_json()
    seen, own = [], []
    taken = TrainingRecords.taken
    monkeypatch.setattr(TrainingRecords, "taken", lambda self, at: seen.append(at) or taken(self, at))
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ApproxDP(4, "1e-2"), unit=pv.Person("patient")) as ledger:
        train_model(
            model, (x, y), made, people=who, ledger=ledger, why="a test", owner=own.append,
            speed=StepSpeed(physical=512),
        )  # fmt: skip
        assert ledger.balance().spends == 1
    steps = [at for at in seen[-6:] if len(at)]
    assert [one.examples for one in own if one.examples] == [len(np.unique(who[at])) for at in steps]
    for at in steps:
        assert set(np.unique(who[at], return_counts=True)[1].tolist()) == {3}


def test_what_does_not_go_together_is_refused_and_nothing_spent(tmp_path):
    x, y = numbers(40)
    who = people_of((10,) * 4)
    model = dense()
    settings = {"records": 4, "batch": 4, "steps": 1, "sampling": "full"}
    rho = pv.ZeroConcentratedDP(1)
    of_people = plan(model, rho, unit=pv.Person("who", max_rows=3), **settings)
    with pytest.raises(BadTraining, match="max_rows="):
        plan(model, rho, unit=pv.Person("who"), **settings)
    with pytest.raises(BadTraining, match="added or removed"):
        plan(
            model, pv.ApproxDP(1, "1e-5"), records=9, batch=3, steps=1,
            unit=pv.Person("who", max_rows=3, change=pv.Change.REPLACE),
        )  # fmt: skip
    with pv.Ledger(tmp_path / "a.ledger", limit=rho, unit=pv.Person("who")) as ledger:
        with pytest.raises(BadTraining, match="whose they are"):
            train_model(model, (x, y), of_people, ledger=ledger, why="a test")
        with pytest.raises(BadTraining, match="hides single records"):
            train_model(model, (x, y), plan(model, rho, **settings), people=who, ledger=ledger, why="a test")
        with pytest.raises(LedgerMismatch):
            train_model(model, (x, y), plan(model, rho, **settings), ledger=ledger, why="a test")
        for engine in ("closed", "opacus"):
            with pytest.raises(pv.errors.PrivetError):
                train_model(
                    model, (x, y), of_people, people=who, ledger=ledger, why="a test",
                    speed=StepSpeed(engine=engine),
                )  # fmt: skip
        few = replace(of_people, sampling="truncated", records=3)
        with pytest.raises(BadTraining, match="more records or people"):
            train_model(model, (x, y), few, people=who, ledger=ledger, why="a test")
        assert ledger.balance().spends == 0
        raw = [
            {"who": int(one), "x": row, "y": int(label)} for one, row, label in zip(who, x, y, strict=True)
        ]
        train_model(
            model, raw, of_people, prepare=lambda one: (one["x"], one["y"]), ledger=ledger, why="a test"
        )
        assert ledger.balance().spends == 1


SCRIPT = """
import os, signal, sys, torch
from pathlib import Path
from tests.protect.train.gradients.test_person_groups import go_on
from privet.mechanism import _secret_seed as secret_seed
secret_seed.fresh_bytes = lambda count: bytes(range(count))
torch.set_num_threads(1)
go_on(Path(sys.argv[1]), progress=lambda shown: os.kill(os.getpid(), signal.SIGKILL) if shown.step == 5 else None)
"""


def go_on(folder, other=False, progress=None):
    model = dense()
    who = people_of((4, 1, 9, 3) * 5)
    x, y = numbers(len(who))
    unit = pv.Person("who", max_rows=3)
    made = plan(model, pv.ZeroConcentratedDP(1), records=20, batch=7, steps=9, sampling="shuffled", unit=unit)
    if other:
        first, second = np.flatnonzero(who == 0)[0], np.flatnonzero(who == 1)[0]
        who[[first, second]] = who[[second, first]]
    with pv.Ledger(folder / "a.ledger", limit=pv.ZeroConcentratedDP(3), unit=pv.Person("who")) as ledger:
        train_model(
            model, (x, y), made, people=who, ledger=ledger, why="a test", folder=folder / "run",
            speed=StepSpeed(every=2, physical=12), progress=progress,
        )  # fmt: skip


def test_a_killed_run_goes_on_with_the_same_people_under_one_entry(tmp_path, monkeypatch):
    monkeypatch.setattr(secret_seed, "fresh_bytes", lambda count: bytes(range(count)))
    results = {}
    for name in ("whole", "killed"):
        folder = tmp_path / name
        folder.mkdir()
        if name == "killed":
            root = Path(__file__).resolve().parents[4]
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT, str(folder)],
                cwd=root,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src")])},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == -signal.SIGKILL, done.stderr
            with pytest.raises(BadTraining, match="data differ"):
                go_on(folder, other=True)
        go_on(folder)
        results[name] = load_file(next((folder / "run").glob("state-*.safetensors")))
        with pv.Ledger(folder / "a.ledger") as ledger:
            assert ledger.balance().spends == 1
    assert all(torch.equal(value, results["killed"][name]) for name, value in results["whole"].items())
