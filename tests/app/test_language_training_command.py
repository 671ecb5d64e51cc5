"""`privet lm train` and `generate` on the command line: from notes to a folder, refusals first, and nothing private in what is said."""

import json

import pytest
from tests.app.doors import inside
from tests.protect.train.language.small_runs import NOTES

ASKED = (
    "--unit", "who", "--text", "note", "--records", "24", "--epsilon", "8", "--delta", "1e-5", "--steps", "4", "--batch", "12",
    "--sequence", "16", "--model", "llama-1x16",
)  # fmt: skip


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    made = tmp_path_factory.mktemp("lm")
    lines = [json.dumps({"who": at // 2, "note": note}) for at, note in enumerate(NOTES)]
    (made / "notes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (made / "public.txt").write_text("no change on the ward.\n")
    return made


def test_notes_become_a_folder_that_goes_on_with_a_prompt(room) -> None:
    said = inside(
        "lm", "train", "notes.jsonl", *ASKED, "--held-out", "public.txt", "-o", "model", "--json", cwd=room
    )
    assert said.code == 0, said.err
    facts = json.loads(said.out)
    assert "a given 'who'" in facts["sentence"]
    assert "All texts of a unit are joined" in facts["sentence"]
    assert facts["curve"][-1][0] == 4
    assert not list(room.glob(".model.training"))
    assert not any(note in said.out + said.err for note in NOTES)

    said = inside("lm", "generate", "model", "--prompt", "the", "--tokens", "5", "--json", cwd=room)
    assert said.code == 0, said.err
    assert len(json.loads(said.out)["texts"]) == 1
    assert "a given 'who'" in json.loads(said.out)["sentence"]

    again = inside("lm", "train", "notes.jsonl", *ASKED, "-o", "second", cwd=room)
    assert again.code != 0
    assert "E-LEDGER" in again.err  # the ledger that was opened for the first holds no more
    assert not (room / "second").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("notes.jsonl", *ASKED, "-o", "notes.jsonl"), "over the data"),
        (("notes.jsonl", *ASKED, "-o", "nowhere/model"), "does not exist"),
        (("notes.jsonl", *ASKED[2:], "-o", "m"), "whose presence"),
        (("notes.jsonl", *ASKED, "--model", "llama-huge", "-o", "m"), "no shape"),
        (("notes.jsonl", *ASKED, "--model", "public.txt", "-o", "m"), "no folder"),
        (("notes.jsonl", "--unit", "nobody", *ASKED[2:], "-o", "m"), "nobody"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_booked(room, words, said) -> None:
    before = {one.name for one in room.iterdir()}
    found = inside("lm", "train", *words, cwd=room)
    assert found.code != 0
    assert said in found.err
    assert {one.name for one in room.iterdir()} == before


def test_a_folder_that_holds_no_model_does_not_go_on(room) -> None:
    found = inside("lm", "generate", ".", cwd=room)
    assert found.code != 0
    assert "E-TRAIN-001" in found.err
