"""Proof notes: none unread, none missing, and a change on either side is noticed."""

import ast
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import privet.mechanism
from privet.errors import InternalError
from privet.mechanism._proofs import (
    ASKED,
    SECTIONS,
    Proven,
    asked_source,
    normalised_source,
    register,
    sections,
)

ROOM = Path(privet.mechanism.__file__).parent
REPOSITORY = Path(__file__).resolve().parents[2]
# What needs no proof: it draws nothing, opens nothing, or only words a refusal.
WITHOUT = {"_mechanism_explanation", "_generators", "_proofs", "__init__", "_key_material"}
WORDS = {"sealed_access._wrong_kind", "sealed_access._too_sensitive"}


def load(path, monkeypatch, **names):
    """A module from a file, with some names already in it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", register())
def test_code_and_note_are_as_they_were_read(name):
    record = register()[name]
    assert record.digest == record.current_digest(), (
        f"{name} or {record.note} has changed: read them against each other, "
        f"then run tools/review_proofs.py --accept {name}"
    )


def test_every_function_that_touches_data_or_noise_has_a_proof():
    functions = {
        f"{path.stem.lstrip('_')}.{node.name}"
        for path in ROOM.glob("*.py")
        if path.stem not in WITHOUT
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert functions - WORDS == set(register())


def test_every_note_has_its_sections_and_a_function():
    notes = {path.name for path in ROOM.glob("*.proof.md")}
    assert notes == {record.note for record in register().values()}
    for name in notes:
        text = (ROOM / name).read_text("utf-8")
        assert tuple(sections(text)) == SECTIONS
        assert "∎" in sections(text)["Proof"]


def test_a_note_without_a_section_is_refused():
    note = "\n\n".join(f"## {title}\n\nwords" for title in SECTIONS)
    assert sections(note)["Proof"] == "words"
    for broken in (note.replace("## Proof", "## Idea"), note.replace("words", "", 1), ""):
        with pytest.raises(InternalError):
            sections(broken)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Writes a module and a note, and says what the digest of its function is."""

    def digest(source: str, note: str = "note") -> str:
        name = f"toy_{len(list(tmp_path.glob('*.py')))}"
        path, beside = tmp_path / f"{name}.py", tmp_path / f"{name}.proof.md"
        path.write_text(source, "utf-8")
        beside.write_text(note, "utf-8")
        return Proven(load(path, monkeypatch).f, str(beside), "").current_digest()

    return digest


def test_formatting_comments_and_docstrings_may_change(toy):
    first = toy("LIMIT = 2\n\ndef f(x):\n    return (x+LIMIT)\n")
    assert first == toy('LIMIT = 2  # two\n\ndef f(x):\n    """Words."""\n    # more\n    return x + LIMIT\n')


def test_code_constants_and_note_may_not(toy):
    first = toy("LIMIT = 2\n\ndef f(x):\n    return x + LIMIT\n")
    assert first != toy("LIMIT = 2\n\ndef f(x):\n    return x - LIMIT\n")
    assert first != toy("LIMIT = 3\n\ndef f(x):\n    return x + LIMIT\n")
    assert first != toy("LIMIT = 2\n\ndef f(x):\n    return x + LIMIT\n", note="other note")


EVENT = """
from privet.guarantee.mechanisms._laplace import DiscreteLaplace

class Toy(DiscreteLaplace):
    def {method}(self, *_):
        return {value} + beside()

def beside():
    return {more}
"""


@pytest.mark.parametrize("method", ASKED)
def test_what_a_proof_relies_on_of_its_event_may_not_change_either(method, tmp_path, monkeypatch):
    def asked(value: str, more: str) -> str:
        path = tmp_path / f"event_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(EVENT.format(method=method, value=value, more=more), "utf-8")
        return asked_source(load(path, monkeypatch).Toy)

    first = asked("1", "2")
    assert first == asked("1", "2  # two")
    assert first != asked("2", "2")
    assert first != asked("1", "3")


def test_the_digest_of_a_draw_covers_its_event():
    record = register()["discrete_laplace.discrete_laplace"]
    assert record.events
    assert record.current_digest() != replace(record, events=()).current_digest()
    assert "moved.total <= self.sensitivity" in asked_source(record.events[0])


def test_only_functions_at_the_top_of_a_module_can_be_proven():
    def inner():
        return 1

    with pytest.raises(InternalError):
        normalised_source(inner)


@pytest.fixture
def tool(monkeypatch):
    return load(REPOSITORY / "tools" / "review_proofs.py", monkeypatch)


def test_the_tool_lists_every_function_as_read(tool, capsys):
    assert tool.main([]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in register())
    assert "CHANGED" not in listed


def test_the_tool_writes_a_digest_beside_its_function(tool, tmp_path, monkeypatch):
    source = (
        '@proven("saturation.proof.md", digest="")\ndef other():\n    return 1\n\n\n'
        '@proven("saturation.proof.md", digest="00")\ndef f():\n    return 1\n'
    )
    path = tmp_path / "reviewed.py"
    path.write_text(source, "utf-8")
    record = Proven(
        load(path, monkeypatch, proven=lambda *_, **__: lambda function: function).f,
        "saturation.proof.md",
        "00",
    )
    tool.accept(record)
    assert path.read_text("utf-8") == source.replace('digest="00"', f'digest="{record.current_digest()}"')
