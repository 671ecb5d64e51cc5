"""A journal is as the data set's key signed it and as the ledger knows it, or no run believes it."""

import json

import pytest
from tests.app.doors import inside
from tests.pipeline.forgery import STRANGER, bare, chained, lines_of, replace_key, write_lines
from tests.pipeline.hospital import ANONYMIZE, RELEASE, project

from privet.artifact import content_digest
from privet.dataset import make_signing_key
from privet.errors import PrivetError, RecordAltered
from privet.evidence import FIELD
from privet.ledger import JOURNAL, Ledger
from privet.pipeline._run import run
from privet.pipeline._run_journal import LINE_DOMAIN, RunJournal

LIMITS = "limits: {risk-highest: 0.01}\n"  # which no run keeps


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """Two projects that were run and whose limit was beaten: one with a key, one without."""
    found = tmp_path_factory.mktemp("projects")
    for name in ("signed", "plain"):
        (found / name).mkdir()
        policy = project(found / name, ANONYMIZE, LIMITS)
        if name == "signed":
            make_signing_key(found / name)
        assert run(policy).findings
    return found


def calmed(lines):
    """The risks of every step as an attacker would have them read: below every limit."""
    changed = json.loads(json.dumps(lines))
    for line in changed:
        if line["what"] == "done":
            line["record"]["risks"] = []
            line["record"]["facts"]["after"].update(highest_risk=0.001, mean_risk=0.001)
    return changed


def test_every_line_is_chained_and_signed_and_the_ledger_knows_the_end(signed):
    journal = RunJournal(signed / "out")
    assert all(FIELD in line and "previous" in line for line in journal.lines)
    assert journal.lines[-1]["record"] == content_digest(signed / "out" / "owner" / "run.json")
    with Ledger(signed / "stays.ledger") as ledger:
        (anchor,) = ledger.anchors(JOURNAL)
        ledger.verify()
    assert anchor.digest == journal.head
    assert anchor.said["record"] == journal.lines[-1]["record"]


def test_a_run_that_was_not_touched_is_shown_again_with_its_findings(either):
    assert inside("run", cwd=either).code == 6


def test_editing_the_journal_does_not_turn_six_into_nought(either):
    """Fault 5, as it was reproduced: the lines are changed and nothing else."""
    write_lines(either, calmed(lines_of(either)))
    assert inside("run", cwd=either).code == 9


def test_hashing_the_journal_again_does_not_help(either):
    write_lines(either, chained(calmed(lines_of(either))))
    assert inside("run", cwd=either).code == 9


def test_nor_does_taking_the_signatures_away(signed):
    write_lines(signed, chained(bare(calmed(lines_of(signed)))))
    assert inside("run", cwd=signed).code == 9


def test_nor_signing_it_as_somebody_else(signed):
    forged = chained(bare(calmed(lines_of(signed))), lambda line: STRANGER.signed(line, LINE_DOMAIN))
    write_lines(signed, forged)
    assert inside("run", cwd=signed).code == 9


def test_nor_putting_one_s_own_key_in_the_place_of_the_data_set_s(signed):
    replace_key(signed)
    write_lines(
        signed, chained(bare(calmed(lines_of(signed))), lambda line: STRANGER.signed(line, LINE_DOMAIN))
    )
    assert inside("run", cwd=signed).code == 9
    # Without the note that names the ledger it is the ledger that knows the key.
    (signed / "privet.signing" / "ledger.json").unlink(missing_ok=True)
    said = inside("run", cwd=signed)
    assert said.code == 9
    assert "key was replaced" in said.err


def test_nor_taking_the_keys_away(signed):
    import shutil

    shutil.rmtree(signed / "privet.signing")
    write_lines(signed, chained(bare(calmed(lines_of(signed)))))
    said = inside("run", cwd=signed)
    assert said.code == 9
    assert "keys are gone" in said.err


@pytest.mark.parametrize("left", [1, 2, 3])
def test_a_journal_that_was_cut_back_is_refused(either, left):
    write_lines(either, lines_of(either)[:left])
    with pytest.raises(RecordAltered, match="not as Privet wrote it"):
        run(either / "privet.yaml")


def test_a_journal_put_back_from_before_the_last_run_is_refused(either):
    (either / "out").rename(either / "old")  # a copy of what was made is not replaced
    run(either / "privet.yaml")
    before = (either / "out" / "owner" / "journal.jsonl").read_bytes()
    policy = either / "privet.yaml"
    policy.write_text(policy.read_text().replace("max_suppressed: 0.1", "max_suppressed: 0.2"))
    run(policy)
    (either / "out" / "owner" / "journal.jsonl").write_bytes(before)
    with pytest.raises(RecordAltered, match="not as Privet wrote it"):
        run(policy)


@pytest.mark.parametrize("change", ["swapped", "removed", "doubled"])
def test_lines_stay_in_their_order(either, change):
    lines = lines_of(either)
    lines = {
        "swapped": [lines[0], lines[2], lines[1], *lines[3:]],
        "removed": [*lines[:1], *lines[2:]],
        "doubled": [*lines[:2], *lines[1:]],
    }[change]
    write_lines(either, lines)
    with pytest.raises(PrivetError) as refusal:
        run(either / "privet.yaml")
    assert refusal.value.exit_code == 9


def test_a_folder_that_was_moved_away_is_begun_afresh(either):
    (either / "out").rename(either / "old")
    assert run(either / "privet.yaml").findings


def test_a_line_of_another_kind_is_not_signed_by_a_signature_on_a_record(signed):
    from privet.dataset import signing_of

    lines = lines_of(signed)
    other = signing_of(signed).signed(
        {name: value for name, value in lines[-1].items() if name != FIELD}, "privet/run-record"
    )
    write_lines(signed, [*lines[:-1], other])
    with pytest.raises(RecordAltered):
        RunJournal(signed / "out")


def test_a_deep_line_is_refused_at_once(either):
    journal = either / "out" / "owner" / "journal.jsonl"
    journal.write_text(journal.read_text() + "[" * 100_000 + "\n")
    assert inside("run", cwd=either).code == 2


def test_a_run_from_before_there_was_a_key_is_begun_afresh(tmp_path):
    policy = project(tmp_path, RELEASE)
    run(policy)
    make_signing_key(tmp_path)
    with pytest.raises(RecordAltered, match="not as Privet wrote it") as refusal:
        run(policy)
    assert "before the data set had a key" in refusal.value.hint
    (tmp_path / "out").rename(tmp_path / "old")
    assert run(policy).steps[0].spent == {}
