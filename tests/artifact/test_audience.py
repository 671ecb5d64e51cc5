"""What is for the owner alone is written for the owner alone, and does not become public."""

import ast
import os
import stat

import pytest
from tests.source_tree import SOURCE, modules, nodes

from privet.artifact import OwnerOnly, Publishable, own_folder, written_folder, written_whole

# Every place that says that something may be seen by anybody. A new one needs a reason here.
PUBLISHERS = {
    "app/_account_command.py",  # a picture of a mechanism: no data
    "app/_audit_command.py",  # `Audit.publishable()`, which names no figure of the rows
    "app/_demo_command.py",  # made-up tables, the schema of policies
    "app/_example_command.py",  # made-up tables
    "app/_init_command.py",  # the schema of policies
    "app/_lm_command.py",  # a plan: computed from public figures alone
    "app/_schema_command.py",  # the schema of policies
    "app/_signing_keys_command.py",  # public keys
    "artifact/_atomic_write.py",  # a file that is open to all is written anew, for instance signed
    "artifact/_audience.py",  # what is made from something publishable
    "artifact/_output_folders.py",  # the name of a public report
    "artifact/_notebook_display.py",  # pictures whose audience is the public
    "artifact/_record_files.py",  # answers and hierarchies: released under a promise
    "artifact/_model_folder.py",  # a model: released under a promise
    "artifact/_released_table.py",  # the rows with the published record
    "artifact/_released_twin.py",  # a twin: released under a promise
    "artifact/_released_twins.py",  # twins of several tables: released under one promise
    "dataset/_ledger_binding.py",  # the identity of a ledger
    "dataset/_signing_key.py",  # public keys
    "protect/_row_writer.py",  # rows under a promise
    "protect/collect/_collection.py",  # a specification: public by its nature, no data
    "protect/collect/_simulation.py",  # reports that were randomised: under a promise
    "protect/train/gradients/_onnx_export.py",  # a network: released under a promise
    "protect/train/language/_loss_table.py",  # losses of models on texts that their owner called public
    "protect/train/language/_scaling_sweep.py",  # the same, one run at a time
    "report/_anonymize_page.py",  # pages without figures of the original table
    "report/_answer_card.py",  # an answer
    "report/_audit_page.py",  # a `PublicAudit`
    "report/_collection_page.py",  # estimates under a promise, and attacks that need nobody's rows
    "report/_language_plan_page.py",  # a plan: computed from public figures alone
    "report/_run_files.py",  # the public report, built from a list of what may be told
    "report/_run_page.py",
    "report/_tradeoff_page.py",  # as the sweep
    "report/_twin_page.py",  # the card of a twin
    "verbs/_release_verb.py",  # answers
    "verbs/_verb.py",  # the name of what a verb makes that releases under a promise
}


@pytest.fixture(autouse=True)
def _open_to_all(monkeypatch):
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o022, 0o002, 0o000])
def test_files_have_the_rights_of_those_they_are_for_whatever_the_umask(tmp_path, umask):
    """What others can write, others can put their own into: a public key, or a table that was signed."""
    os.umask(umask)
    for name, content in (("text", "x"), ("bytes", b"x"), ("filled", lambda part: part.write_text("x"))):
        own = written_whole(tmp_path / f"own-{name}", OwnerOnly(content))
        all_ = written_whole(tmp_path / f"all-{name}", Publishable(content, "holds nothing from the data"))
        assert (rights(own), rights(all_)) == (0o600, 0o644)
    own = written_folder(tmp_path / "own", OwnerOnly({"a": "x"}))
    all_ = written_folder(tmp_path / "all", Publishable({"a": "x"}, "holds nothing from the data"))
    assert (rights(own), rights(own / "a")) == (0o700, 0o600)
    assert (rights(all_), rights(all_ / "a")) == (0o755, 0o644)
    assert rights(own_folder(tmp_path / "shared", shared=True)) == 0o755


def test_a_file_that_was_open_to_all_is_closed_when_its_owners_is_written_there(tmp_path):
    (tmp_path / "a").write_text("old")
    assert rights(written_whole(tmp_path / "a", OwnerOnly("new"))) == 0o600


def test_there_is_no_way_from_one_to_the_other():
    with pytest.raises(TypeError):
        Publishable(OwnerOnly("x"), "holds nothing from the data")
    assert isinstance(OwnerOnly("x").becoming("y"), OwnerOnly)
    assert Publishable("x", "made from public rows").becoming("y") == Publishable(
        "y", "made from public rows"
    )
    assert "secret" not in repr(OwnerOnly("secret"))


def test_a_bare_text_is_not_written(tmp_path):
    with pytest.raises(AttributeError):
        written_whole(tmp_path / "a", "text")
    assert not list(tmp_path.iterdir())


def test_only_known_places_say_that_something_is_public():
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in modules()
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Publishable"
    }
    assert found == PUBLISHERS
