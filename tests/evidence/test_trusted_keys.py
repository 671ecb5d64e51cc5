"""Which keys are trusted: those that were named, or the working folder's own; never those that come with a file."""

import json
import os

import pytest
from tests.evidence.keys import KEYS, OWNER

from privet.errors import EvidenceBroken, FileProblem, RecordTooDeep
from privet.evidence import FOLDER, HISTORY, TRUSTED, read_keys, trusted_keys


def listed(folder):
    (folder / FOLDER).mkdir(parents=True)
    (folder / FOLDER).chmod(0o755)
    file = folder / FOLDER / HISTORY
    file.write_text(json.dumps(KEYS.to_json()))
    file.chmod(0o644)
    return file


def test_the_keys_of_the_folder_one_works_in(tmp_path, monkeypatch):
    listed(tmp_path / "project")
    (tmp_path / "project" / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "project" / "deeper")
    assert trusted_keys().current.public == OWNER.public
    monkeypatch.chdir(tmp_path)
    assert trusted_keys() is None


def test_the_environment_names_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(TRUSTED, str(listed(tmp_path / "elsewhere")))
    assert trusted_keys() == KEYS


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
@pytest.mark.parametrize("which", ["file", "folder", "link"])
def test_a_list_that_others_could_have_written_is_not_trusted(tmp_path, monkeypatch, which):
    file = listed(tmp_path)
    monkeypatch.chdir(tmp_path)
    if which == "file":
        file.chmod(0o666)
    elif which == "folder":
        file.parent.chmod(0o777)
    else:
        file.rename(tmp_path / "keys.json")
        file.symlink_to(tmp_path / "keys.json")
    assert trusted_keys() is None


def test_what_is_no_list_is_refused(tmp_path):
    file = tmp_path / "keys.json"
    with pytest.raises(FileProblem):
        read_keys(file)
    for text in ("[]", "no json", "{}"):
        file.write_text(text)
        with pytest.raises(EvidenceBroken):
            read_keys(file)
    file.write_text("[" * 100_000)
    with pytest.raises(RecordTooDeep):
        read_keys(file)
