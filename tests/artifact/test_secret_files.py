"""A file with a secret is its owner's, and one process uses it at a time."""

import pytest

from privet.artifact import OwnerOnly, held_alone, secret_content, written_whole
from privet.errors import SessionProblem

EXPOSED = SessionProblem("others can read it.", "Begin another.")
IN_USE = SessionProblem("it is in use.", "Wait.")


def test_what_was_written_is_read(tmp_path):
    path = tmp_path / "secret"
    assert secret_content(path, EXPOSED) is None
    written_whole(path, OwnerOnly(b"known to one"))
    assert secret_content(path, EXPOSED) == b"known to one"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o611])
def test_a_file_that_others_may_touch_is_refused(tmp_path, mode):
    path = tmp_path / "secret"
    written_whole(path, OwnerOnly(b"known to one"))
    path.chmod(mode)
    with pytest.raises(SessionProblem, match="others can read it"):
        secret_content(path, EXPOSED)


def test_a_file_without_end_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("privet.artifact._secret_files.LARGEST", 8)
    path = tmp_path / "secret"
    written_whole(path, OwnerOnly(b"0123456789" * 5))
    content = secret_content(path, EXPOSED)
    assert content is not None
    assert 8 < len(content) <= 16


def test_one_uses_it_at_a_time(tmp_path):
    path = tmp_path / "secret"
    with held_alone(path, IN_USE), pytest.raises(SessionProblem, match="in use"), held_alone(path, IN_USE):
        pass
    with held_alone(path, IN_USE):
        assert (tmp_path / "secret.lock").stat().st_mode & 0o077 == 0
