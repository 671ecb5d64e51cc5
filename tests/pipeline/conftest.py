"""What the tests of this room share: a small trade-off, which takes seconds to make, and projects to be tampered with."""

import shutil
from pathlib import Path

import pytest
from tests.pipeline.forgery import copied
from tests.pipeline.hospital import ANONYMIZE, RELEASE, TRAIN, project
from tests.pipeline.hostile_ward import AUDIT
from tests.pipeline.small_ward import LITTLE
from tests.pipeline.small_ward import ward as small_ward

from privet.dataset import make_signing_key, public_keys_of
from privet.evidence import KeyHistory
from privet.pipeline import report_signing
from privet.pipeline._run import run
from privet.pipeline._run_planner import make_plan
from privet.pipeline._tradeoff import Tradeoff, tradeoff
from privet.report import run_report, save_report


@pytest.fixture(scope="session")
def found() -> Tradeoff:
    return tradeoff(small_ward(), target="back", sweep=LITTLE, standing="surrogate")


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A folder outside of the project that must stay as it is."""
    found = tmp_path / "elsewhere"
    (found / "made").mkdir(parents=True)
    (found / "replaced").mkdir()
    for place in ("file", "made/file", "replaced/file", "seed"):
        (found / place).write_text("precious, and 32 characters long")
    return found


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three projects: planned with an audit, planned with a release, and run with a release."""
    found = tmp_path_factory.mktemp("prepared")
    for name, step in (("look", AUDIT), ("beds", RELEASE), ("ran", RELEASE)):
        (found / name).mkdir()
        policy = project(found / name, step)
        make_plan(policy).save(found / name / "plan.json")
        if name == "ran":
            run(policy)
    return found


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """The folder of a project."""
    found = tmp_path / "ward"
    found.mkdir()
    return found


@pytest.fixture(params=["signed", "plain"])
def either(request: pytest.FixtureRequest, projects: Path, tmp_path: Path) -> Path:
    """A project of the module's own, with a key or without one."""
    copied(projects / request.param, tmp_path / "ward")
    return tmp_path / "ward"


@pytest.fixture
def signed(projects: Path, tmp_path: Path) -> Path:
    """A project of the module's own, with a key."""
    copied(projects / "signed", tmp_path / "ward")
    return tmp_path / "ward"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a table, an answer, a model and its report, signed throughout."""
    folder = tmp_path_factory.mktemp("whole") / "ward"
    folder.mkdir()
    policy = project(folder, ANONYMIZE + RELEASE + TRAIN)
    make_signing_key(folder)
    record, out = run(policy).to_json(), folder / "out"
    for public in (False, True):
        signing = report_signing(out / "owner" / "run.json", public=public)
        save_report(run_report(record, public=public), out, signing)
    return folder


@pytest.fixture(scope="session")
def keys(whole: Path) -> KeyHistory:
    """The public keys of that run's data set."""
    found = public_keys_of(whole)
    assert found is not None
    return found


@pytest.fixture
def given_run(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be tampered with."""
    shutil.copytree(whole, tmp_path / "ward")
    return tmp_path / "ward"
