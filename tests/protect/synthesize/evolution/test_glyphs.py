"""Rendered characters: what is drawn, how far a variation strays, and digits that votes make legible."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

import privet as pv
from privet.errors import BadSynthesis
from privet.ledger import Ledger
from privet.protect.synthesize.evolution import EvolutionSettings, Glyphs, Images, evolve_samples
from privet.protect.synthesize.evolution._glyphs import Glyph, drawn_picture, system_fonts

pytest.importorskip("PIL")
needs_fonts = pytest.mark.skipif(len(system_fonts()) < 10, reason="too few fonts are installed")
DIGITS = [str(digit) for digit in range(10)]


@pytest.fixture(scope="module")
def glyphs() -> Glyphs:
    if not system_fonts():
        pytest.skip("no font is installed")
    return Glyphs((16, 12), ink=2.0)


def test_a_picture_has_ink_within_its_shape(glyphs: Glyphs) -> None:
    for one in glyphs.random(20, "8"):
        picture = glyphs.shown(one)
        assert picture.shape == (16, 12)
        assert 0 <= picture.min() <= picture.max() <= 2
        assert picture.sum() > 1


def test_parameters_do_what_they_say(glyphs: Glyphs) -> None:
    font = glyphs.fonts[0]

    def ink(**other: float) -> np.ndarray:
        known = {"size": 0.8, "turn": 0.0, "slant": 0.0, "stroke": 0.0, "across": 0.0, "down": 0.0} | other
        return drawn_picture(Glyph("1", 0, **known), font, (24, 24), 1.0)

    assert ink(stroke=3.0).sum() > ink().sum()
    rows = np.arange(24)
    assert (ink(down=0.2).sum(axis=1) * rows).sum() / ink(down=0.2).sum() > (
        ink().sum(axis=1) * rows
    ).sum() / ink().sum()
    assert not np.allclose(ink(turn=30.0), ink())


def test_a_variation_is_nearer_than_another_sample(glyphs: Glyphs) -> None:
    before = glyphs.random(60, "3")
    shown = np.array([glyphs.shown(one).ravel() for one in before])
    near = np.array([glyphs.shown(one).ravel() for one in glyphs.variation(before, "3", 0.0)])
    far = np.array([glyphs.shown(one).ravel() for one in glyphs.variation(before, "3", 1.0)])
    other = np.array([glyphs.shown(one).ravel() for one in glyphs.random(60, "3")])
    distances = [float(np.linalg.norm(shown - some, axis=1).mean()) for some in (near, far, other)]
    assert distances == sorted(distances)


def test_what_is_stored_is_read_back(glyphs: Glyphs) -> None:
    for one in glyphs.random(5, "7"):
        assert glyphs.unpacked(glyphs.packed(one)) == one


def test_what_cannot_be_drawn_is_refused(glyphs: Glyphs) -> None:
    for label in (None, "", "a long label"):
        with pytest.raises(BadSynthesis):
            glyphs.random(1, label)
    with pytest.raises(BadSynthesis):
        Glyphs((2, 2))
    with pytest.raises(BadSynthesis, match="no font"):
        Glyphs(fonts=[])


@needs_fonts
def test_digits_become_legible_by_votes_and_not_by_votes_for_other_labels(tmp_path) -> None:
    """Real digits of scikit-learn, about 0.73 with their own labels and 0.4 with others.

    From one run to the next either moves by about 0.045 (a standard deviation): both bars are five away, of it or of the difference.
    """
    pixels, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(5).permutation(len(pixels))
    train, test = order[:1257], order[1257:]
    pictures = pixels.reshape(-1, 8, 8) / 16

    def accuracy(voted: np.ndarray, name: str) -> float:
        with Ledger(tmp_path / f"{name}.ledger", limit=pv.ZeroConcentratedDP(1)) as book:
            twin = evolve_samples(
                Images(pictures[train], labels=voted), pv.ZeroConcentratedDP("0.0369"),  # epsilon 1 at delta 1e-5
                generator=Glyphs((8, 8)), ledger=book, why="a test", rows=400,
                labels=DIGITS, shares=dict.fromkeys(DIGITS, 0.1),
                settings=EvolutionSettings(rounds=12, population=250, selection="draw", variations=2, votes=8),
            )  # fmt: skip
        made = twin.to_arrow()
        model = KNeighborsClassifier(1).fit(np.array(made["image"].to_pylist()), made["label"].to_pylist())
        return float(model.score(pictures[test].reshape(len(test), -1), labels[test].astype(str)))

    found = accuracy(labels[train].astype(str), "real")
    permuted = accuracy(np.random.default_rng(1).permutation(labels[train]).astype(str), "permuted")
    assert found > 0.5
    assert permuted < found
