"""What each process of a run of several does in the tests: started with RANK and WORLD_SIZE, as torchrun does it.

`python -m tests.protect.train.gradients.ranked_runs folder scenario …` runs the scenarios one after the other in every
process, and writes what each made of them to `folder/rank.json`.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from tests.protect.train.gradients.runs import data, net, planned
from torch import nn

import privet as pv
from privet.errors import PrivetError
from privet.mechanism import _gradient_noise as gradient_noise
from privet.mechanism import _secret_seed as secret_seed
from privet.protect.train.gradients import Clipping, Optimizer, StepSpeed, train_model
from privet.protect.train.gradients import _data_parallel as data_parallel
from privet.protect.train.gradients._correlated_account import BandedInverseNoise
from privet.protect.train.gradients.clipping import ClippingRule

ROOT = Path(__file__).resolve().parents[4]
PATIENCE = 60


def noisier(x, generator):
    return x + torch.randn(x.shape, generator=generator)


def run(place, *, model=None, given=None, settings=None, speed=None, planning=None, **others):
    """One run that is booked in a ledger in `place`, with a seed that the tests know."""
    place.mkdir(exist_ok=True, parents=True)
    secret_seed.fresh_bytes = lambda count: bytes(range(count))
    model = model or net()
    with pv.Ledger(place / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as ledger:
        trained = train_model(
            model,
            given or data(),
            planned(model, **(planning or {"steps": 4})),
            ledger=ledger,
            why="a test",
            optimizer=settings or Optimizer(rate=0.5),
            speed=speed or StepSpeed(ranks=True, physical=8, patience=PATIENCE),
            **others,
        )
        return trained, ledger.balance().spends


def weights(trained):
    return [float(value) for one in trained.weights().values() for value in one.reshape(-1)]


def result(trained, spends):
    shown = [one.to_json() for one in trained.progress]
    return {"weights": weights(trained), "shown": shown, "spends": spends, "entry": trained.receipt.entry}


# --- runs that end well ------------------------------------------------------------------------


def tossed(shape, seed, step, size):
    """Each record by the toss of a coin: plans without sampling cost no time, and batches are random nevertheless."""
    return gradient_noise.generator_of(seed, step, 0).random(size) < 0.5


def flat(place, rank):
    """Random batches, among them one without a record."""
    included = gradient_noise.included
    gradient_noise.included = lambda shape, seed, step, size: tossed(shape, seed, step, size) & (step != 2)
    try:
        seen = []
        found = run(place / "flat", planning={"steps": 6}, owner=seen.append)
        return {**result(*found), "examples": [one.examples for one in seen]}
    finally:
        gradient_noise.included = included


class Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.drop = net(), nn.Dropout(0.3)

    def forward(self, x):
        return self.inner(self.drop(x))


def adaptive(place, rank):
    """Everything at once: a bound that moves, dropout, views, Adam, a moving average, a folder."""
    settings = Optimizer("adam", rate=0.05, average=0.8, views=2, augment=noisier)
    how = {"planning": {"steps": 5, "clipping": Clipping(1.0, "adaptive")}, "settings": settings}
    seen = []
    found = run(
        place / "adaptive", model=Dropping(), folder=place / "adaptive" / "run", owner=seen.append, **how
    )
    return {**result(*found), "examples": [one.examples for one in seen]}


def sharded(place, rank):
    settings = Optimizer("adamw", rate=0.05, decay=0.1, average=0.9)
    speed = StepSpeed(ranks=True, sharded=True, physical=8, patience=PATIENCE, every=2)
    return result(*run(place / "sharded", settings=settings, speed=speed, folder=place / "sharded" / "run"))


def people(place, rank):
    model = net()
    whose = torch.arange(60) % 20
    unit = pv.Person("patient", max_rows=3)
    made = planned(model, records=20, batch=20, unit=unit)
    secret_seed.fresh_bytes = lambda count: bytes(range(count))
    (place / "people").mkdir(exist_ok=True)
    with pv.Ledger(place / "people" / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=unit) as ledger:
        trained = train_model(
            model,
            data(),
            made,
            people=whose,
            ledger=ledger,
            why="a test",
            speed=StepSpeed(ranks=True, physical=9),
        )
        return result(trained, ledger.balance().spends)


def correlated(place, rank):
    """Noise that correlates over steps: three batches that come round, in a folder, fitted and buffered."""
    planning = {"steps": 9, "batch": 20, "sampling": "epochs", "noise": "correlated"}
    seen = []
    found = run(
        place / "correlated", planning=planning, folder=place / "correlated" / "run", owner=seen.append
    )
    return {**result(*found), "examples": [one.examples for one in seen]}


def banded(place, rank):
    """The same with the bands of an inverse, which nothing is fitted for."""
    noise = BandedInverseNoise(4)
    return result(
        *run(place / "banded", planning={"steps": 7, "batch": 30, "sampling": "epochs", "noise": noise})
    )


# --- runs that are refused ---------------------------------------------------------------------


def other_data(place, rank):
    x, y = data()
    x[7, 2] += rank
    return run(place / "other_data", given=(x, y))


def other_plan(place, rank):
    return run(place / "other_plan", planning={"steps": 4 + rank})


def other_seed(place, rank):
    torch.manual_seed(rank)
    return run(place / "other_seed", model=nn.Linear(6, 3))


class Scaled(nn.Module):
    def __init__(self, by):
        super().__init__()
        self.inner = net()
        self.by = lambda x: x * by

    def forward(self, x):
        return self.by(self.inner(x))


def other_code(place, rank):
    return run(place / "other_code", model=Scaled(1.0 + rank))


def other_records_in_one(place, rank):
    x, y = data()
    return run(place / "other_records", given=(x, y if not rank else y + 5))


def lying(place, rank):
    """A process that hands over a sum a hundred times as long as what it computed."""
    share = data_parallel.ParallelSteps.share

    def longer(self, dealt, number):
        found = share(self, dealt, number)
        return data_parallel.Share(found.total * 100, found.norms, found.losses) if rank else found

    data_parallel.ParallelSteps.share = longer
    try:
        return run(place / "lying")
    finally:
        data_parallel.ParallelSteps.share = share


def unclipped(place, rank):
    """A process that cuts at twice the bound: within what its records could make, and found out by computing it again."""
    share = data_parallel.ParallelSteps.share

    def wider(self, dealt, number):
        if rank:
            rule = ClippingRule(1.05 * dealt.rule.bound)
            honest = share(self, dealt, number)
            found = share(
                self, data_parallel.DealtStep(dealt.index, dealt.number, rule, dealt.pieces), number
            )
            return data_parallel.Share((honest.total * 1.05).astype("int64"), found.norms, found.losses)
        return share(self, dealt, number)

    data_parallel.ParallelSteps.share = wider
    try:
        return run(place / "unclipped", planning={"steps": 9, "clipping": Clipping(1e-3)})
    finally:
        data_parallel.ParallelSteps.share = share


def no_room(place, rank):
    return run(place / "no_room", speed=StepSpeed(ranks=True, physical=60))


def each_alone(place, rank):
    return run(place / "each_alone", speed=StepSpeed())


def leader_fails(place, rank):
    def progress(shown):
        raise KeyError("a value")

    return run(place / "leader_fails", progress=progress)


def poor(place, rank):
    """More than the ledger has."""
    return run(place / "poor", planning={"steps": 1, "promise": pv.ZeroConcentratedDP(60)})


# --- runs that are interrupted -----------------------------------------------------------------


def goes_on(place, rank, progress=None):
    settings = Optimizer("adam", rate=0.05, average=0.8)
    speed = StepSpeed(ranks=True, physical=8, patience=PATIENCE, every=2)
    return run(
        place / "interrupted",
        planning={"steps": 9, "clipping": Clipping(1.0, "adaptive")},
        settings=settings,
        speed=speed,
        folder=place / "interrupted" / "run",
        progress=progress,
    )


def killed(place, rank):
    """The second process is killed when the sixth step begins."""
    share = data_parallel.ParallelSteps.share

    def last(self, dealt, number):
        if rank and dealt.index == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return share(self, dealt, number)

    data_parallel.ParallelSteps.share = last
    return goes_on(place, rank)


def silent(place, rank):
    """The second process says nothing any more; the first one gives up."""
    share = data_parallel.ParallelSteps.share

    def slow(self, dealt, number):
        if rank and dealt.index == 2:
            time.sleep(6)
        return share(self, dealt, number)

    data_parallel.ParallelSteps.share = slow
    try:
        return run(place / "silent", speed=StepSpeed(ranks=True, physical=8, patience=3))
    finally:
        data_parallel.ParallelSteps.share = share


# --- processes ---------------------------------------------------------------------------------


def started(place, *scenarios, count=2, seconds=540):
    """What every process made of every scenario; None for a process that was killed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(count),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "tests.protect.train.gradients.ranked_runs", str(place), *scenarios]
    all_of_them = [
        subprocess.Popen(command, cwd=ROOT, env={**env, "RANK": str(rank)}, stderr=subprocess.PIPE, text=True)
        for rank in range(count)
    ]
    found = []
    for rank, one in enumerate(all_of_them):
        try:
            _, said = one.communicate(timeout=seconds)
        finally:
            for other in all_of_them:
                if other.poll() is None and sys.exc_info()[0] is not None:
                    other.kill()
        assert one.returncode in (0, -signal.SIGKILL), said
        written = place / f"{rank}.json"
        found.append(json.loads(written.read_text()) if one.returncode == 0 else None)
    return found


def main():
    torch.set_num_threads(1)
    place, rank = Path(sys.argv[1]), int(os.environ["RANK"])
    dist.init_process_group("gloo")
    made = {}
    for name in sys.argv[2:]:
        begun = time.monotonic()
        try:
            made[name] = globals()[name](place, rank)
            if not isinstance(made[name], dict):
                made[name] = result(*made[name])
        except PrivetError as problem:
            made[name] = {"refused": type(problem).__name__, "fact": problem.fact, "hint": problem.hint}
        except KeyError:
            made[name] = {"refused": "KeyError"}
        made[name]["seconds"] = time.monotonic() - begun
    (place / f"{rank}.json").write_text(json.dumps(made))


if __name__ == "__main__":
    main()
