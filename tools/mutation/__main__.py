"""How many mutants the tests notice, module by module.

    python -m tools.mutation                                  # everything: hours
    python -m tools.mutation --module 'privet.ledger.*'       # some modules
    python -m tools.mutation --sample 40                      # the same 40 mutants of each module every time
    python -m tools.mutation --sample 40 --seed 2             # 40 others
    python -m tools.mutation --own                            # met by the file of the module's name alone: fast and strict

Results are kept in .cache/mutation: a run that was stopped goes on, a mutant that was noticed is not tried again while its
module stays as it is, and one that was not is tried again when its tests have changed. Exits with 1 where a module is
below the floor of scope.toml. What no test can notice is listed in survivors.toml, with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from tools.mutation import children  # noqa: E402
from tools.mutation.impact import Traced, among, chosen  # noqa: E402
from tools.mutation.mutants import AS_IT_IS, Mutant, compiled, mutants_of  # noqa: E402
from tools.mutation.plan import REPOSITORY, Plan, copied, digest, impact, modules_of, read_plan  # noqa: E402

KEPT = REPOSITORY / ".cache" / "mutation"
_NOTICED = (children.KILLED, children.TIMEOUT)


@dataclass(frozen=True)
class Task:
    """One mutant and the tests it meets."""

    mutant: Mutant
    path: str
    mark: str  # of the module's text
    tests: tuple[str, ...]
    seconds: float

    @property
    def name(self) -> str:
        """Under which its result is kept."""
        return f"{self.mutant.module}|{self.mutant.key}"

    @property
    def against(self) -> str:
        """Which tests it meets, in short."""
        return f"{len(self.tests)} tests, {self.seconds:.2f} s"


def main() -> int:
    """Run and print."""
    asked = _asked()
    plan = read_plan()
    with tempfile.TemporaryDirectory(prefix="privet-mutation-", ignore_cleanup_errors=True) as folder:
        copy = copied(Path(folder))
        sys.path.insert(0, str(copy / "src"))
        os.environ["PYTHONPATH"] = str(copy / "src")
        modules = [name for name in modules_of(copy / "src") if plan.owner(name)]
        modules = [name for name in modules if any(fnmatch(name, one) for one in asked.module)]
        results = _results()
        tasks = list(_tasks(plan, copy, modules, asked))
        _run([task for task in tasks if not _known(results, task)], results, copy, asked.jobs)
    return _report(plan, tasks, results)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__.partition("\n")[0])
    parser.add_argument("--module", action="append", help="a pattern; may be given several times")
    parser.add_argument("--sample", type=int, default=0, help="mutants of each module; 0 is all")
    parser.add_argument("--seed", default="", help="another one gives another sample")
    parser.add_argument(
        "--own", action="store_true", help="only tests of the module's name, and those named as first"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests that one mutant meets at most")
    asked = parser.parse_args()
    asked.module = asked.module or ["*"]
    return asked


def _tasks(plan: Plan, copy: Path, modules: list[str], asked: argparse.Namespace) -> Iterator[Task]:
    paths = modules_of(copy / "src")
    for scope in plan.scopes:
        mine = [name for name in modules if plan.owner(name) is scope]
        if not mine:
            continue
        owns = {module: [f"test_{module.rpartition('.')[2].lstrip('_')}.py", *scope.first] for module in mine}
        near = tuple(name for own in owns.values() for name in own) if asked.own else ("",)
        files = [file for file in scope.files(copy) if file.endswith(near)]
        traced, libraries = impact(copy, files, plan.skip, KEPT / "impact.json")
        children.preload(libraries)
        for module, own in owns.items():
            tests = among(traced, own) if asked.own else traced
            yield from _of_module(copy, module, paths[module], (tests, own), asked)


def _of_module(
    copy: Path,
    module: str,
    path: str,
    against: tuple[dict[str, Traced], list[str]],
    asked: argparse.Namespace,
) -> Iterator[Task]:
    found = mutants_of(module, (copy / "src" / path).read_text(encoding="utf-8"))
    found = sorted(found, key=lambda mutant: mutant.rank(asked.seed))[: asked.sample or None]
    tests, own = against
    # The module as it is, loaded in the same way, must pass: otherwise what follows would be noticed for no reason.
    for mutant in [
        Mutant(module, "", 0, "as it is", "", AS_IT_IS),
        *sorted(found, key=lambda one: one.place),
    ]:
        meets, seconds = chosen(tests, path, mutant.function, seconds=asked.seconds, own=own)
        yield Task(mutant, path, digest(copy / "src" / path), tuple(meets), seconds)


def _run(tasks: list[Task], results: dict[str, Any], copy: Path, jobs: int) -> None:
    """Every task in a child of its own, so many at a time."""
    waiting, running, done = list(reversed(tasks)), dict[int, tuple[Task, float, Path]](), 0
    while waiting or running:
        while waiting and len(running) < jobs:
            task = waiting.pop()
            log = copy.parent / f"{len(waiting)}.log"
            most = 10 + 5 * task.seconds  # of computing; a busy machine may take much longer
            child = children.started(lambda task=task: _meet(task, copy), log, seconds=int(most))
            running[child] = (task, time.monotonic() + 20 * most, log)
        time.sleep(0.02)
        for child, (task, latest, log) in list(running.items()):
            code = children.ended(child, late=time.monotonic() > latest)
            if code is None:
                continue
            del running[child]
            result = children.verdict(code) if task.tests else children.UNTESTED
            results[task.name] = {"result": result, "module": task.mark, "against": task.against}
            done += 1
            if result not in _NOTICED and task.mutant.place != AS_IT_IS:
                print(f"{result}: {task.mutant.module}:{task.mutant.line} {task.mutant.key}", flush=True)
            log.unlink(missing_ok=True)
            if done % 10 == 0 or not (waiting or running):
                print(f"{done} of {len(tasks)}", flush=True)
                _keep(results)


def _meet(task: Task, copy: Path) -> int:
    source = (copy / "src" / task.path).read_text(encoding="utf-8")
    code = compiled(source, str(copy / "src" / task.path), task.mutant.place)
    return children.met(copy, task.mutant.module, code, task.tests) if task.tests else 5


def _results() -> dict[str, Any]:
    path = KEPT / "results.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _keep(results: dict[str, Any]) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / "results.json"
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps({**_results(), **results}, indent=1, sort_keys=True), encoding="utf-8")
    new.replace(path)


def _known(results: dict[str, Any], task: Task) -> bool:
    found = results.get(task.name, {})
    if found.get("module") != task.mark:
        return False
    noticed = found["result"] in _NOTICED and task.mutant.place != AS_IT_IS
    return noticed or found["against"] == task.against


def _report(plan: Plan, tasks: list[Task], results: dict[str, Any]) -> int:
    """The table; 1 where a module is below the floor."""
    counts: dict[str, Counter[str]] = {}
    broken = []
    for task in tasks:
        result = results[task.name]["result"]
        if task.mutant.place == AS_IT_IS:
            broken += [task.mutant.module] if result in _NOTICED else []
            continue
        listed = result not in _NOTICED and task.name in plan.equivalent
        counts.setdefault(task.mutant.module, Counter())["listed" if listed else result] += 1
    counts["together"] = sum(counts.values(), Counter())
    print(f"\n{'module':52} {'mutants':>8} {'noticed':>8} {'listed':>7} {'missed':>7} {'rate':>7}")
    below = []
    for module, found in counts.items():
        noticed = sum(found[name] for name in _NOTICED)
        counted = found.total() - found["listed"]
        rate = noticed / counted if counted else 1.0
        print(
            f"{module:52} {found.total():8} {noticed:8} {found['listed']:7} {counted - noticed:7} {rate:7.1%}"
        )
        if rate < plan.floor:
            below.append(module)
    if broken:
        print(f"error: tests fail on the code as it is: {', '.join(broken)}", file=sys.stderr)
    if below:
        print(f"error: below {plan.floor:.0%}: {', '.join(below)}", file=sys.stderr)
    return 1 if below or broken else 0


if __name__ == "__main__":
    sys.exit(main())
