"""A report is made of the record that the journal beside it ended with, and of no other."""

import json
import shutil

import pytest
from tests.app.test_policies import say
from tests.pipeline.hospital import LATER, RELEASE, project

from privet.dataset import make_signing_key
from privet.errors import EvidenceBroken
from privet.evidence import FOLDER
from privet.pipeline import RunRecord, record_standing, run

JOURNAL, RECORD = "owner/journal.jsonl", "owner/run.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The outputs of two runs of one policy, with a key."""
    folder = tmp_path_factory.mktemp("ward")
    policy = project(folder, RELEASE)
    make_signing_key(folder)
    run(policy)
    shutil.copytree(folder / "out", folder / "first")
    project(folder, RELEASE + LATER)
    run(policy)
    return folder


@pytest.fixture
def ward(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "ward")
    monkeypatch.chdir(tmp_path / "ward")
    return tmp_path / "ward"


def standing(ward):
    source = ward / "out" / RECORD
    return record_standing(source, RunRecord.load(source))


def edited(ward):
    """A number changed in a line that nothing else names."""
    journal = ward / "out" / JOURNAL
    lines = journal.read_text(encoding="utf-8").splitlines()
    line = json.loads(lines[1])
    line["step"] = "another"
    journal.write_text("\n".join([lines[0], json.dumps(line), *lines[2:]]) + "\n", encoding="utf-8")


def cut(ward):
    journal = ward / "out" / JOURNAL
    lines = journal.read_text(encoding="utf-8").splitlines()
    journal.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


def emptied(ward):
    (ward / "out" / JOURNAL).write_text("", encoding="utf-8")


def older_journal(ward):
    shutil.copy(ward / "first" / JOURNAL, ward / "out" / JOURNAL)


def older_record(ward):
    shutil.copy(ward / "first" / RECORD, ward / "out" / RECORD)


def test_what_holds_is_said(ward):
    assert standing(ward).startswith("Signed by")
    assert standing(ward).endswith("each signed.")


def test_without_the_key_it_is_a_claim_that_the_journal_bears_out(ward):
    shutil.rmtree(ward / FOLDER)
    assert standing(ward).startswith("Claimed")
    assert "not all of them signed by a trusted key" in standing(ward)


def test_a_record_by_itself_was_held_against_nothing(ward):
    (ward / "out" / JOURNAL).unlink()
    assert "not held against one" in standing(ward)


@pytest.mark.parametrize("act", [edited, cut, emptied, older_journal, older_record])
@pytest.mark.parametrize("key", [True, False])
def test_another_journal_or_record_is_refused_and_nothing_is_written(ward, capsys, act, key):
    page = ward / "out/owner/report.html"
    page.unlink(missing_ok=True)
    if not key:
        shutil.rmtree(ward / FOLDER)
    act(ward)
    with pytest.raises(EvidenceBroken):
        standing(ward)
    said = say(capsys, "report", str(ward / "out"), "--json")
    assert said.code == EvidenceBroken.exit_code
    assert not page.exists()
    assert say(capsys, "report", str(ward / "out"), "--public").code == EvidenceBroken.exit_code


def test_the_page_says_what_was_checked(ward, capsys):
    assert say(capsys, "report", str(ward / "out")).code == 0
    assert "by the journal beside it" in (ward / "out/owner/report.html").read_text(encoding="utf-8")
    (ward / "out" / JOURNAL).unlink()
    assert say(capsys, "report", str(ward / "out")).code == 0
    assert "not held against one" in (ward / "out/owner/report.html").read_text(encoding="utf-8")
