"""Texts through the verb: what is half said is refused, what is read is the text and its label, and the plan is the booking."""

import json

import pytest
from tests.app.doors import inside
from tests.protect.synthesize.evolution.texts import PRIVATE

from privet.errors import BadSynthesis
from privet.verbs import SynthesizeOptions
from privet.verbs._sample_options import about_samples, sample_columns, sent_away

SAID = {"epsilon": 4, "delta": "1e-6"}


def test_columns_of_a_table_are_not_about_samples() -> None:
    assert not about_samples(SynthesizeOptions(**SAID, columns=["age"]))
    options = SynthesizeOptions(**SAID, generator="p.yaml", text="note", label="ward", labels=["a"])
    assert about_samples(options)
    assert sample_columns(options) == ("note", "ward")


@pytest.mark.parametrize(
    "half",
    [
        {"text": "note"},
        {"labels": ["a"]},
        {"rounds": 3},
        {"votes": 2},
        {"prompts": "q.yaml"},
        {"shares": {"a": 1}},
    ],
)
def test_what_is_half_said_is_refused(half) -> None:
    with pytest.raises(BadSynthesis, match="generator"):
        about_samples(SynthesizeOptions(**SAID, **half))


def test_a_command_makes_texts_of_texts(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(
        "templates: ['{what}, {then}']\nwords: {what: [cough, wound], then: [home, kept]}\n"
    )
    lines = [
        json.dumps({"id": f"p{at}", "note": PRIVATE[ward][at % 2] + f" canary{at}", "ward": ward})
        for at in range(60)
        for ward in [("medicine", "surgery")[at % 3 == 0]]
    ]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n")
    words = [
        "synthesize", "notes.jsonl", "--unit", "id", "--text", "note", "--label", "ward",
        "--labels", "medicine,surgery", "--generator", "p.yaml", "--epsilon", "4", "--delta", "1e-6",
        "--rounds", "2", "--population", "8", "--rows", "10", "-o", "twin.jsonl", "--ledger", "n.ledger", "--why", "a test",
    ]  # fmt: skip
    told = inside(*words, "--explain")
    assert told.code == 0, told.err
    assert "vote in 2 rounds" in told.out
    assert "makes 24 new samples and 18 variations" in told.out
    assert "columns" not in told.out
    said = inside(*words, "--json")
    assert said.code == 0, said.err
    record = json.loads(said.out)
    assert record["method"] == "Private Evolution"
    made = [json.loads(line) for line in (tmp_path / "twin.jsonl").read_text().splitlines()]
    assert len(made) == 10
    assert {one["ward"] for one in made} <= {"medicine", "surgery"}
    assert "canary" not in (tmp_path / "twin.jsonl").read_text() + said.out
    wrong = inside(
        *words[:-6], "-o", "t.csv", "--ledger", "other.ledger", "--why", "a test", "--embedder", "nowhere"
    )
    assert wrong.code != 0
    assert "config.json" in wrong.err
    assert not (tmp_path / "other.ledger").exists()


def test_whoever_approves_a_plan_reads_that_texts_leave() -> None:
    assert sent_away(SynthesizeOptions(**SAID, generator="p.yaml", text="note")) == ()
    named = SynthesizeOptions(
        **SAID, generator="p.yaml", text="note", private_texts_may_go_to="models.example"
    )
    assert sent_away(named) == ("Private texts are sent to models.example to be embedded.",)


def test_prompts_and_votes_are_said_like_all_else(tmp_path, monkeypatch) -> None:
    """Read before anything is sent: nobody listens at this address."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.jsonl").write_text(json.dumps({"id": "a", "note": "canary"}) + "\n")
    (tmp_path / "q.yaml").write_text("random: 'A {style} line on {label}.'\n")
    words = [
        "synthesize", "notes.jsonl", "--unit", "id", "--text", "note", "--generator", "http://127.0.0.1:9/v1#small",
        "--epsilon", "4", "--delta", "1e-6", "--rounds", "2", "--population", "4", "-o", "twin.jsonl", "--explain", "--json",
    ]  # fmt: skip
    plain, more = inside(*words), inside(*words, "--prompts", "q.yaml", "--votes", "3")
    assert (plain.code, more.code) == (0, 0), plain.err + more.err
    assert "A {style} line on {label}." in more.out
    assert "Write one {style} text" in plain.out
    # A person's votes for three candidates are whole numbers of at most so many: the event says so.
    assert json.loads(plain.out)["event"] != json.loads(more.out)["event"]
    for wrong in (["--votes", "0"], ["--prompts", "nowhere.yaml"]):
        assert inside(*words, *wrong).code in (1, 2)
