"""A pipe, a socket, a device or a link where a file of ours belongs is refused at once: neither waited for nor followed."""

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.app.doors import inside
from tests.pipeline.forgery import copied
from tests.pipeline.hospital import RELEASE, TRAIN, project

from privet.dataset import make_own_key, make_signing_key, public_keys_of
from privet.errors import UnsafePath
from privet.evidence import record_bytes, refuse_special
from privet.pipeline import make_plan, run

SECONDS = 60  # of the clock; whoever waits for a pipe waits for ever


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was run, with keys, a plan, a report and a model."""
    folder = tmp_path_factory.mktemp("special") / "ward"
    folder.mkdir()
    policy = project(folder, RELEASE + TRAIN)
    make_signing_key(folder)
    run(policy)
    make_plan(policy).save(folder / "plan.json")
    make_own_key(folder / "ada.key")
    keys = public_keys_of(folder)
    assert keys is not None
    shutil.copy(folder / "privet.signing" / "keys.json", folder / "keys.json")
    return folder


@pytest.fixture
def ward(projects: Path, tmp_path: Path) -> Path:
    copied(projects, tmp_path / "ward")
    return tmp_path / "ward"


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(place: Path) -> None:
    os.mkfifo(place)


def link(place: Path) -> None:
    """To the very file that stood there: what is followed would be taken for ours."""
    place.symlink_to(f"{place}.kept")


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def device(place: Path) -> None:
    try:
        os.mknod(place, 0o600 | 0o020000, os.makedev(1, 5))  # as /dev/zero
    except OSError:
        pytest.skip("only the administrator makes devices")


def bound(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(place.parent)
        try:
            made.bind(place.name)
        finally:
            os.chdir(here)


KINDS: tuple[Callable[[Path], None], ...] = (pipe, link, endless, device, bound)
# What stands there, and the commands that read it.
RECORDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "privet.yaml": (("plan",), ("run",), ("gc",), ("query", "stays.csv", "SELECT COUNT(*) AS n FROM stays", "--epsilon", "0.1")),
    "plan.json": (("run", "plan.json"), ("approve", "plan.json", "--key", "ada.key"), ("verify", "plan.json", "--key", "keys.json")),
    "stays.ledger": (("plan",), ("run",), ("ledger", "show", "stays.ledger"), ("verify", "out", "--key", "keys.json", "--ledger", "stays.ledger")),
    "out/owner/journal.jsonl": (("plan",), ("run",), ("gc",), ("erase", "10017"), ("verify", "out", "--key", "keys.json")),
    "out/owner/run.json": (("report",), ("verify", "out", "--key", "keys.json"), ("verify", "out/owner/run.json", "--key", "keys.json")),
    "out/public/beds.json": (("verify", "out", "--key", "keys.json"), ("verify", "out/public/beds.json", "--key", "keys.json")),
    "out/public/risk": (("verify", "out/public/risk", "--key", "keys.json"), ("predict", "out/public/risk", "stays.csv", "-o", "p.csv")),
    "out/public/risk/model.json": (("predict", "out/public/risk", "stays.csv", "-o", "p.csv"),),
    "out/public/risk/model.safetensors": (("predict", "out/public/risk", "stays.csv", "-o", "p.csv"),),
    "privet.signing": (("plan",), ("run",), ("keys", "public")),
    "privet.signing/keys.json": (("plan",), ("run",), ("keys", "public")),
    "privet.signing/key": (("plan",), ("run",), ("keys", "renew")),
    "privet.signing/ledger.json": (("run",),),
    "privet.signing/head.json": (
        ("run",),
        ("query", "stays.csv", "SELECT COUNT(*) AS n FROM stays", "--epsilon", "0.1"),
    ),
    "ada.key": (("approve", "plan.json", "--key", "ada.key"),),
    "keys.json": (("verify", "out", "--key", "keys.json"),),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", RECORDS)
def test_in_the_place_of_a_record_it_is_refused_at_once(
    ward: Path, name: str, kind: Callable[[Path], None]
) -> None:
    place = ward / name
    place.rename(f"{place}.kept")
    kind(place)
    before = os.lstat(place)
    for command in RECORDS[name]:
        said = inside(*command, cwd=ward)
        assert said.code not in (0, 130), (command, said.out)
        assert "Traceback" not in said.err
        assert "E-GENERAL-001" not in said.err + said.out, said.err  # an internal error
    assert os.path.samestat(before, os.lstat(place)), "it was replaced"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_one_reader_refuses_it(tmp_path: Path, kind: Callable[[Path], None]) -> None:
    (tmp_path / "a.kept").write_text("{}")
    kind(tmp_path / "a")
    with pytest.raises(UnsafePath):
        record_bytes(tmp_path / "a")
    with pytest.raises(UnsafePath):
        refuse_special(tmp_path / "a")
    refuse_special(tmp_path / "nothing")
    assert record_bytes(tmp_path / "a.kept") == b"{}"


def test_every_record_of_a_project_is_tried(projects: Path) -> None:
    """What a project holds beside its data is in the list, or is not read by itself."""
    found = {path.relative_to(projects).as_posix() for path in projects.rglob("*") if path.is_file()}
    by_itself = {name for name in found if not name.endswith((".gitignore", "lock", ".csv", "card.md", "made.jsonl", "-wal", "-shm"))}  # fmt: skip
    assert by_itself - set(RECORDS) - {"stays.csv.ledger.link"} == set()
