"""Retention: a purpose that ends sooner takes what was made for it along, and only what was made here goes."""

import datetime

import pytest
from tests.pipeline.hospital import ANONYMIZE, HEAD, LATER, RELEASE, project

from privet.errors import PolicyBreach, PolicyGap, RecordAltered
from privet.ledger import clock
from privet.pipeline._policy import read_policy
from privet.pipeline._retention import expired, kept, remove_expired
from privet.pipeline._run import run
from privet.pipeline._run_planner import make_plan

SOONER = HEAD.replace("expires: 2090-06-30", "expires: 2080-01-31")
BETWEEN = datetime.date(2085, 1, 1)


def ends(out, policy):
    return {one.path: one.expires for one in kept(out, policy)}


def test_a_purpose_that_ends_sooner_takes_its_outputs_along(tmp_path) -> None:
    policy = project(tmp_path, RELEASE)
    run(policy)
    out = tmp_path / "out"
    assert ends(out, read_policy(policy)[0]) == {"public/beds.json": "2090-06-30"}
    assert expired(out, read_policy(policy)[0], BETWEEN) == []
    project(tmp_path, RELEASE, head=SOONER)
    terms = read_policy(policy)[0]
    assert ends(out, terms) == {"public/beds.json": "2080-01-31"}
    assert [one.path for one in remove_expired(out, terms, BETWEEN)] == ["public/beds.json"]
    assert not (out / "public" / "beds.json").exists()


def test_a_purpose_that_ends_later_does_not_lengthen_what_was_made(tmp_path) -> None:
    policy = project(tmp_path, RELEASE, head=SOONER)
    run(policy)
    project(tmp_path, RELEASE)
    assert ends(tmp_path / "out", read_policy(policy)[0]) == {"public/beds.json": "2080-01-31"}


def test_a_purpose_that_ends_sooner_can_still_be_planned_and_run_until_then(tmp_path, monkeypatch) -> None:
    policy = project(tmp_path, RELEASE)
    run(policy)
    project(tmp_path, RELEASE + LATER, head=SOONER)
    found = run(policy)
    assert [step.made.expires for step in found.steps if step.made] == ["2080-01-31"] * 2
    late = datetime.datetime(2085, 1, 1, tzinfo=datetime.UTC)
    monkeypatch.setattr(clock, "now", lambda: late)
    with pytest.raises(PolicyBreach, match="the purpose ended on 2080-01-31"):
        make_plan(policy)


@pytest.mark.parametrize("lines", [0, 1, 2])
def test_a_journal_that_was_cut_back_hides_nothing_that_has_ended(tmp_path, lines) -> None:
    policy = project(tmp_path, RELEASE)
    run(policy)
    out = tmp_path / "out"
    journal = out / "owner/journal.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:lines]))
    for look in (expired, remove_expired):
        with pytest.raises(RecordAltered, match="the journal is not as Privet wrote it"):
            look(out, read_policy(policy)[0], datetime.date(2095, 1, 1))
    with pytest.raises(RecordAltered):
        run(policy)
    assert (out / "public" / "beds.json").exists()


def test_special_categories_need_a_point_of_article_9(tmp_path) -> None:
    policy = project(tmp_path, ANONYMIZE, head=HEAD.replace("    special_basis: GDPR Art. 9(2)(j)\n", ""))
    for said in ("", "    special_basis: it is research\n", "    special_basis: GDPR Art. 6(1)(e)\n"):
        head = HEAD.replace("    special_basis: GDPR Art. 9(2)(j)\n", said)
        policy = project(tmp_path, ANONYMIZE, head=head)
        with pytest.raises(PolicyGap, match="special_basis: 'diagnosis' is of a special category"):
            make_plan(policy)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "stays.ledger").exists()


def test_what_has_no_basis_is_not_handed_on(tmp_path) -> None:
    head = HEAD.replace("basis: GDPR Art. 89", "basis: none claimed")
    given = ANONYMIZE.replace("k: 3", "k: 3, recipient: university")
    with pytest.raises(PolicyBreach, match="no legal basis is claimed"):
        make_plan(project(tmp_path, given, head=head))
