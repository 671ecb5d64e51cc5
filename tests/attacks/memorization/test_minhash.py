"""MinHash: agreement estimates the share of common shingles, near texts meet in a bucket, unlike ones do not."""

import numpy as np
import pytest
from tests.attacks.memorization.tiny_models import notes

from privet.attacks.memorization._minhash import LENGTH, likeness, near_clusters, signatures


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.lower().replace(".", "").split()
    return {tuple(words[at : at + 3]) for at in range(len(words) - 2)}


def test_agreement_estimates_the_jaccard_likeness() -> None:
    draw = np.random.default_rng(1)
    words = [f"w{at}" for at in range(400)]
    long = [" ".join(words[at] for at in draw.integers(0, 400, 60)) for _ in range(300)]
    other = [
        " ".join([*text.split()[:45], *(words[at] for at in draw.integers(0, 400, 15))]) for text in long
    ]
    true = [
        len(shingles(a) & shingles(b)) / len(shingles(a) | shingles(b))
        for a, b in zip(long, other, strict=True)
    ]
    found = likeness(signatures(long), signatures(other))
    # 300 means of 64 agreements each; the mean of all is within six standard errors.
    spread = np.sqrt(np.mean([one * (1 - one) for one in true]) / LENGTH / len(true))
    assert abs(found.mean() - np.mean(true)) < 6 * spread


def test_case_and_signs_do_not_count_and_order_does() -> None:
    same = signatures(["The patient, slept well!", "the PATIENT slept -- well", "well slept patient the"])
    assert likeness(same[0], same[1]) > 0.99
    assert likeness(same[0], same[2]) < 0.5


@pytest.mark.parametrize("shingle", [1, 2, 5])
def test_short_and_empty_texts_have_signatures(shingle: int) -> None:
    found = signatures(["", "...", "ward", "ward", "two words"], shingle)
    assert found.shape == (5, LENGTH)
    assert likeness(found[0], found[1]) > 0.99
    assert likeness(found[2], found[3]) > 0.99
    assert likeness(found[2], found[4]) < 0.9
    assert signatures([]).shape == (0, LENGTH)


def test_a_text_has_the_same_signature_in_every_block() -> None:
    texts = notes(5_000, 4)
    assert np.array_equal(signatures(texts)[4_900:], signatures(texts[4_900:]))


def test_near_texts_are_joined_and_others_are_not() -> None:
    draw = np.random.default_rng(2)
    words = [f"w{at}" for at in range(3_000)]
    texts = [" ".join(words[at] for at in draw.integers(0, 3_000, 40)) for _ in range(500)]
    near = [text + " more" for text in texts[:50]]
    found = near_clusters(signatures([*texts, *near, *texts[:20]]), 0.8)
    assert found[:500].tolist() == list(range(500))
    assert found[500:550].tolist() == list(range(50))
    assert found[550:].tolist() == list(range(20))
