"""The seed: secret, committed to without being told, in a file of its owner's, and gone at the end."""

import copy
import hashlib
import hmac
import pickle
import stat

import pytest

from privet.errors import FileProblem, SealBroken
from privet.mechanism import SecretSeed


def test_it_is_drawn_and_not_given():
    with pytest.raises(SealBroken):
        SecretSeed(bytes(32))
    assert len({SecretSeed.fresh().keyed(b"") for _ in range(50)}) == 50


def test_it_shows_nothing_and_makes_no_copies():
    seed = SecretSeed.fresh()
    assert repr(seed) == "<secret seed>"
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SealBroken):
            duplicate(seed)


def test_a_file_of_the_owner_alone_and_never_over_another(tmp_path):
    seed, path = SecretSeed.fresh(), tmp_path / "seed"
    seed.write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SecretSeed.read(path).key(3, 1) == seed.key(3, 1)
    with pytest.raises(FileProblem):
        SecretSeed.fresh().write(path)
    SecretSeed.destroy(path)
    assert not path.exists()
    SecretSeed.destroy(path)
    with pytest.raises(FileProblem):
        SecretSeed.read(path)
    path.write_bytes(b"short")
    with pytest.raises(FileProblem):
        SecretSeed.read(path)


def test_keys_and_commitments_depend_on_all_they_name():
    seed = SecretSeed.fresh()
    assert len({seed.key(*parts) for parts in [(1, 1), (1, 2), (11,), (1, 12), (12, 1)]}) == 5
    assert seed.question("a" * 64) != seed.question("b" * 64)
    assert seed.question("a" * 64) != SecretSeed.fresh().question("a" * 64)


def test_it_has_256_bits_and_a_file_of_any_other_size_is_none(tmp_path):
    path = tmp_path / "seed"
    SecretSeed.fresh().write(path)
    content = path.read_bytes()
    assert len(content) == 32
    for wrong in (b"", content[:31], content + b"0"):
        path.write_bytes(wrong)
        with pytest.raises(FileProblem, match="not a seed"):
            SecretSeed.read(path)


def test_keys_are_128_bits_of_a_keyed_digest_of_what_they_name(tmp_path):
    path, secret = tmp_path / "seed", bytes(range(32))
    path.write_bytes(secret)
    path.chmod(0o600)
    seed = SecretSeed.read(path)
    whole = int(hmac.new(secret, b"key 7 -1", hashlib.sha256).hexdigest(), 16)
    assert seed.key(7, -1) == whole >> 128
    assert seed.keyed(b"a") == hmac.new(secret, b"a", hashlib.sha256).hexdigest()
