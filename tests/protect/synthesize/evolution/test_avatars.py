"""Drawn faces: what parameters do, how far a variation strays, and portraits that votes come nearer to."""

import numpy as np
import pytest

import privet as pv
from privet.errors import BadSynthesis
from privet.ledger import Ledger
from privet.protect.synthesize.evolution import Avatars, EvolutionSettings, Images, evolve_samples
from privet.protect.synthesize.evolution._avatars import RANGES, Avatar, drawn_face

pytest.importorskip("PIL")
MIDDLE = {name: (low + high) / 2 for name, (low, high) in RANGES.items()}
SMILING = {"glad": {"smile": (0.5, 1.0)}, "sad": {"smile": (-1.0, -0.5)}}


@pytest.fixture(scope="module")
def avatars() -> Avatars:
    return Avatars((24, 20), ink=2.0, labels=SMILING)


def face(**other: float) -> np.ndarray:
    return drawn_face(Avatar(**{**MIDDLE, "glasses": 0.0, "beard": 0.0, "paper": 0.0, **other}), (48, 48))


def test_a_face_has_its_shape_and_its_brightness(avatars: Avatars) -> None:
    for one in avatars.random(30, "glad"):
        picture = avatars.shown(one)
        assert picture.shape == (24, 20)
        assert picture.dtype == np.float32
        assert 0 <= picture.min() < picture.max() <= 2


@pytest.mark.parametrize("name", [name for name in RANGES if name not in ("smile", "brows")])
def test_every_parameter_shows(name: str) -> None:
    low, high = RANGES[name]
    assert np.abs(face(**{name: low}) - face(**{name: high})).mean() > 0.1


def test_a_mouth_curves_up_or_down_and_brows_tilt() -> None:
    assert np.abs(face(brows=1.0) - face(brows=-1.0)).max() > 20
    below = slice(30, 42)  # rows of the mouth
    darkness = 255 - face(smile=1.0)[below] - (255 - face(smile=-1.0)[below])
    outer, inner = darkness[:, [18, 19, 28, 29]], darkness[:, 22:26]
    rows = np.arange(12)
    # A smile is darker low in the middle and high at the corners than its opposite.
    assert (inner.sum(axis=1) * rows).sum() > 0 > (outer.sum(axis=1) * rows).sum()


def test_a_variation_is_nearer_than_another_face(avatars: Avatars) -> None:
    before = avatars.random(80, None)
    shown = np.array([avatars.shown(one).ravel() for one in before])
    others = (
        avatars.variation(before, None, 0.0),
        avatars.variation(before, None, 1.0),
        avatars.random(80, None),
    )
    distances = [
        float(np.linalg.norm(shown - np.array([avatars.shown(one).ravel() for one in some]), axis=1).mean())
        for some in others
    ]
    assert distances == sorted(distances)


def test_a_label_keeps_to_its_ranges_in_variations_too(avatars: Avatars) -> None:
    faces = avatars.random(40, "sad")
    for _ in range(5):
        faces = avatars.variation(faces, "sad", 1.0)
        assert all(-1 <= one.smile <= -0.5 for one in faces)
        assert all(low <= getattr(one, name) <= high for one in faces for name, (low, high) in RANGES.items())
    assert {one.smile > 0 for one in avatars.random(60, "somebody")} == {True, False}


def test_what_is_stored_is_read_back_and_the_record_says_what_labels_stand_for(avatars: Avatars) -> None:
    for one in avatars.random(5, "glad"):
        assert avatars.unpacked(avatars.packed(one)) == one
    assert avatars.described() != Avatars((24, 20), ink=2.0).described()
    assert "smile 0.5 to 1" in avatars.described()["labels"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"shape": (4, 4)},
        {"shape": (1000, 8)},
        {"ink": 0.0},
        {"labels": {"a": {"tail": (0.0, 1.0)}}},
        {"labels": {"a": {"smile": (0.5, 0.1)}}},
        {"labels": {"a": {"smile": (0.0, 2.0)}}},
        {"labels": {"a": {"smile": (float("nan"), 1.0)}}},
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong: dict) -> None:
    with pytest.raises(BadSynthesis):
        Avatars(**wrong)


def test_portraits_are_found_by_votes(tmp_path) -> None:
    """300 dark faces on bright paper: twins lie at .26 of the distance of faces at random (standard deviation .04, 25 runs)."""
    draw = np.random.default_rng(0)
    private = np.array([
        drawn_face(Avatar(**{**MIDDLE, "skin": draw.uniform(0.25, 0.4), "paper": draw.uniform(0.85, 1)}), (12, 12)) / 255
        for _ in range(300)
    ])  # fmt: skip
    with Ledger(tmp_path / "faces.ledger", limit=pv.ZeroConcentratedDP(1)) as book:
        twin = evolve_samples(
            Images(private), pv.ZeroConcentratedDP("0.5"), generator=Avatars((12, 12)), ledger=book, why="a test",
            rows=30, settings=EvolutionSettings(rounds=4, population=30, selection="draw"),
        )  # fmt: skip
    made = np.array(twin.to_arrow()["image"].to_pylist()).reshape(-1, 12, 12)
    random = np.array([Avatars((12, 12)).shown(one) for one in Avatars((12, 12)).random(30, None)])

    def away(rows: np.ndarray) -> float:
        return float(
            np.linalg.norm(private.reshape(300, 1, -1) - rows.reshape(1, len(rows), -1), axis=2)
            .mean(axis=0)
            .mean()
        )

    assert away(made) < 0.6 * away(random)
