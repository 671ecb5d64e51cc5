"""What a learned shield is compared with: each does what its name says."""

import numpy as np
import pytest
from tests.protect.shield.small_models import WIDTH, classifier, texts

from privet.errors import BadShield
from privet.protect.shield import isotropic_shield, metric_shield, plain_shield, substitution_shield

GIVEN, _ = texts(200, seed=4)


def sent(shield):
    return np.concatenate([one.numpy() for one in shield.send(GIVEN).embeddings])


def test_plain_embeddings_are_the_table() -> None:
    made = plain_shield(classifier())
    tokens = [token for one in GIVEN for token in made.tokens(one)]
    assert np.array_equal(sent(made), made.table[tokens])


def test_equal_noise_has_its_deviation_in_units_of_the_table() -> None:
    """19,200 squares: within a tenth but for a chance below 1e-9."""
    plain, made = plain_shield(classifier()), isotropic_shield(classifier(), 1.5)
    size = float(np.mean(plain.table.astype(float) ** 2)) ** 0.5
    assert float(np.mean((sent(made) - sent(plain)) ** 2)) ** 0.5 / size == pytest.approx(1.5, rel=0.1)


def test_metric_noise_has_norms_of_its_epsilon() -> None:
    """1,200 Gamma(16) norms: their mean is within a tenth of 16 / epsilon but for a chance below 1e-9."""
    plain, made = plain_shield(classifier()), metric_shield(classifier(), 4.0)
    norms = np.linalg.norm(sent(made) - sent(plain), axis=1)
    assert float(norms.mean()) == pytest.approx(WIDTH / 4.0, rel=0.1)


def test_substitution_sends_embeddings_of_words() -> None:
    made = substitution_shield(classifier(), 4.0)
    table = {row.tobytes() for row in made.table}
    found = sent(made)
    assert all(row.tobytes() in table for row in found)
    assert not np.array_equal(found, sent(plain_shield(classifier())))
    assert "epsilon 4" in made.name


@pytest.mark.parametrize("make", [isotropic_shield, metric_shield, substitution_shield])
def test_amounts_are_positive(make) -> None:
    with pytest.raises(BadShield):
        make(classifier(), 0.0)
