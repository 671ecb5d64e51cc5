"""`privet lm memorization`, `canaries` and `duplicates` on the command line: from planting to the page."""

import json
import stat

import pytest
from tests.app.doors import inside
from tests.attacks.memorization.tiny_models import CONTROL, MEMBERS, network, save, trained

SHORT = ["--prefix", "20", "--suffix", "20"]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    made = tmp_path_factory.mktemp("lm")
    (made / "notes.txt").write_text("\n".join(MEMBERS))
    (made / "other.txt").write_text("\n".join(CONTROL))
    said = inside(
        "lm", "canaries", "notes.txt", "--record", "c.json", "-o", "planted.jsonl", "--copies", "1=40", "--copies", "8=2",
        "--json", cwd=made,
    )  # fmt: skip
    assert said.code == 0, said.err
    facts = json.loads(said.out)
    assert sum(facts["canaries"].values()) == 42
    assert not (made / "c.json").stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    texts = [json.loads(line)["text"] for line in (made / "planted.jsonl").read_text().splitlines()]
    assert len(texts) == facts["texts"]
    save(trained(texts, epochs=50, batch=16, rate=4e-3).network, made / "model")
    save(network(3), made / "innocent")
    return made


def test_a_model_that_memorizes_contradicts_a_promise(room) -> None:
    said = inside(
        "lm", "memorization", "model", "--trained", "notes.txt", "--control", "other.txt", "--canaries", "c.json", *SHORT,
        "--epsilon", "1", "--delta", "1e-6", "-o", "page.html", cwd=room,
    )  # fmt: skip
    assert said.code == 6, said.err
    assert "Loading" not in said.err
    assert "E-ATTACK" in said.err
    assert "canaries, 8 copies: 2 of 2 recited" in said.out + said.err
    page = (room / "page.html").read_text()
    assert "For the owner of the data only" in page
    assert "never inserted" in page
    assert "What the promise does not cover" in page
    record = json.loads((room / "c.json").read_text())
    shown = [*MEMBERS, *CONTROL, *(one[1] for one in record["canaries"])]
    assert not any(one[:30] in page + said.out + said.err for one in shown)
    assert not (room / "page.html").stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def test_one_that_never_saw_them_does_not(room) -> None:
    said = inside(
        "lm", "memorization", "innocent", "--trained", "notes.txt", "--control", "other.txt", "--canaries", "c.json", *SHORT,
        "--reference", "innocent", "--epsilon", "1", "--delta", "1e-6", "-o", "r.json", "--json", cwd=room,
    )  # fmt: skip
    assert said.code == 0, said.err
    facts = json.loads(said.out)
    assert facts["contradicted"] == []
    names = {one["attack"] for one in facts["estimates"]}
    assert {"text-extraction", "canary-exposure", "canary-epsilon", "text-membership-reference"} <= names
    assert json.loads((room / "r.json").read_text())["verdict"] == facts["verdict"]


def test_duplicates_are_told_and_written(room) -> None:
    (room / "twice.txt").write_text("\n".join([*MEMBERS, *MEMBERS[:3]]))
    said = inside(
        "lm", "duplicates", "twice.txt", "--write", "once.jsonl", "-o", "d.json", "--json", cwd=room
    )
    assert said.code == 0, said.err
    facts = json.loads(said.out)
    assert (facts["near"], facts["written"]) == (3, len(MEMBERS))
    said = inside("lm", "duplicates", "twice.txt", cwd=room)
    assert "c times" in said.out + said.err
    assert MEMBERS[0] not in said.out + said.err


@pytest.mark.parametrize(
    "words",
    [
        ["duplicates", "notes.txt", "--write", "x.csv"],
        ["duplicates", "notes.txt", "--write", "x.json", "-o", "x.json"],
        ["duplicates", "notes.txt", "--likeness", "0.1"],
        ["canaries", "notes.txt", "--record", "r.txt", "-o", "p.jsonl"],
        ["canaries", "notes.txt", "--record", "r.json", "-o", "p.jsonl", "--copies", "0=3"],
        ["memorization", "none", "--trained", "notes.txt", "--control", "other.txt"],
        ["memorization", "model", "--trained", "notes.txt", "--control", "other.txt", "-o", "x.pdf"],
    ],
)
def test_bad_input_writes_nothing(words, room) -> None:
    before = sorted(one.name for one in room.iterdir())
    said = inside("lm", *words, cwd=room)
    assert said.code == 2, said.err
    assert sorted(one.name for one in room.iterdir()) == before
