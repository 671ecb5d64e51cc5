import gzip
import importlib.util

import numpy as np
import pytest

from privet.errors import BadTraining, FileProblem, MissingExtra
from privet.protect.train import _image_features as image_features
from privet.protect.train._image_features import (
    as_columns,
    group_normalised,
    pixels,
    read_idx,
    scattering,
)

IMAGES = np.random.default_rng(1).integers(0, 17, (5, 8, 8)).astype(float)


def test_an_image_is_normalised_by_itself():
    """Changing one image leaves the features of all others as they were."""
    before = group_normalised(pixels(IMAGES), groups=4)
    changed = IMAGES.copy()
    changed[2] *= 100
    changed[2, 0, 0] = 9e9
    after = group_normalised(pixels(changed), groups=4)
    assert np.array_equal(np.delete(before, 2, axis=0), np.delete(after, 2, axis=0))
    assert np.abs(after).max() <= 3
    assert np.abs(before.reshape(5, 4, 16).mean(axis=2)).max() < 0.2


def test_a_blank_image_has_finite_features():
    assert np.array_equal(group_normalised(np.zeros((1, 64))), np.zeros((1, 64)))
    with pytest.raises(BadTraining):
        group_normalised(np.zeros((1, 64)), groups=5)


def test_columns_carry_public_bounds():
    columns, schema = as_columns(pixels(IMAGES), 0, 16)
    assert list(columns) == list(schema)
    assert schema["f0000"] == {"kind": "number", "lower": 0, "upper": 16}


@pytest.mark.parametrize("packed", [False, True])
def test_idx_files_are_read(tmp_path, packed):
    content = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6])
    path = tmp_path / ("images.gz" if packed else "images")
    path.write_bytes(gzip.compress(content) if packed else content)
    assert read_idx(path).tolist() == [[[1, 2, 3]], [[4, 5, 6]]]


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "images"
    for content in (b"", b"not at all", bytes([0, 0, 8, 1, 0, 0, 0, 9, 1])):
        path.write_bytes(content)
        with pytest.raises(FileProblem):
            read_idx(path)
    with pytest.raises(FileProblem):
        read_idx(tmp_path / "none")


@pytest.mark.skipif(importlib.util.find_spec("kymatio") is not None, reason="kymatio is installed")
def test_scattering_names_what_it_needs():
    with pytest.raises(MissingExtra):
        scattering(IMAGES)


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"\x00\x00\x08\x01" + b"\x00" * 3_000),
        gzip.compress(b"\x00\x00\x08\x01")[:15] + b"\xff" * 9,
        gzip.compress(b"\x00\x00\x08\x03" + b"\xff" * 12),
    ],
    ids=[
        "more than it says",
        "damaged",
        "a shape without end",
    ],  # gzip writes the time, and names must be the same
)
def test_packed_files_made_to_break_readers_are_refused(tmp_path, monkeypatch, content):
    monkeypatch.setattr(image_features, "_LARGEST", 2_000)
    (tmp_path / "images.gz").write_bytes(content)
    with pytest.raises(FileProblem):
        image_features.read_idx(tmp_path / "images.gz")
