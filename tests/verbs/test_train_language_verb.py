"""The declaration of language training: whose texts, which column, what it would book; and going on with a prompt."""

import json

import pytest
from tests.protect.train.language.small_runs import NOTES, once

import privet as pv
from privet.dataset import DataSet
from privet.errors import BadUsage, PrivetError, UnitNotStated
from privet.verbs import GenerateOptions, Request, TrainLanguageOptions, TrainLanguageVerb, went_on

ASKED = {
    "epsilon": "8",
    "delta": "1e-5",
    "records": 24,
    "steps": 4,
    "batch": 12,
    "sequence": 16,
    "model": "llama-1x16",
}


def options(**given):
    return TrainLanguageOptions(**{**ASKED, **given})


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"who": at // 2, "note": note}) for at, note in enumerate(NOTES)]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return DataSet.of("notes.jsonl")


def test_whose_texts_they_are_is_never_guessed(rows) -> None:
    verb = TrainLanguageVerb()
    with pytest.raises(UnitNotStated):
        verb.bare_table(rows, Request("notes.jsonl", options()))
    assert verb.bare_table(rows, Request("notes.jsonl", options(), unit="who")).unit == pv.Person(
        "who", max_rows=100
    )
    assert verb.bare_table(rows, Request("notes.jsonl", options(), unit="row")).unit == pv.Row()


def test_it_promises_what_was_stated_and_a_ledger_of_its_own_holds_no_more() -> None:
    assert TrainLanguageVerb().promise(options()) == pv.ApproxDP(8, "1e-5")
    assert TrainLanguageVerb().own_limit(options()) == pv.ApproxDP(8, "1e-5")


@pytest.mark.parametrize(
    "given",
    [
        {"text": "nothing"},
        {"text": "who"},
        {"model": "llama-huge"},
        {"model": "nowhere"},
        {"held_out": "nowhere.txt"},
        {"each": "document"},
    ],
)
def test_what_training_would_refuse_is_refused_before(rows, given, tmp_path) -> None:
    verb = TrainLanguageVerb()
    table = verb.bare_table(rows, Request("notes.jsonl", options(), unit="who"))
    verb.refuse(table, options(), None, tmp_path)
    with pytest.raises(PrivetError):
        verb.refuse(table, options(**given), None, tmp_path)


def test_public_files_without_text_are_refused(rows, tmp_path) -> None:
    (tmp_path / "empty.txt").write_text("\n \n")
    table = TrainLanguageVerb().bare_table(rows, Request("notes.jsonl", options(), unit="row"))
    with pytest.raises(BadUsage, match="holds no text"):
        TrainLanguageVerb().refuse(table, options(public="empty.txt"), None, tmp_path)


def test_a_policy_has_to_say_the_column_and_the_rows_of_a_person() -> None:
    from types import SimpleNamespace

    unit = SimpleNamespace(column="who", max_rows=None)
    declaration = SimpleNamespace(dataset=SimpleNamespace(unit=unit))
    said = [sentence for _, sentence in TrainLanguageVerb().gaps(options(), declaration, None)]
    assert len(said) == 2
    unit.max_rows = 3
    assert TrainLanguageVerb().gaps(options(text="note"), declaration, None) == []


def test_a_folder_of_anybody_goes_on_with_a_prompt(tmp_path) -> None:
    ours = once().save(tmp_path / "ours")
    texts, made = went_on(GenerateOptions(model=str(ours), prompt="the", tokens=4))
    assert made is not None
    for name in ("model.json", "card.md"):
        (ours / name).unlink()
    again, nobody = went_on(GenerateOptions(model=str(ours), prompt="the", tokens=4))
    assert nobody is None
    assert again == texts
