"""Shares of noise: under seal until they are summed, and of the variance that is promised."""

import numpy as np
import pytest
from tests.mechanism.permits import permit_for
from tests.sharing.loopback import Round, cohort_of

from privet.guarantee import DistributedGaussian
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism import noise_share
from privet.sealed import Sealed, Sensitivity
from privet.sharing import Stage, centred
from privet.sharing._contribution import masked_copy

ENTRIES = 100_000


def test_answers_are_counted_in_fine_steps_and_far_ones_are_clamped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opendp_samplers, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))
    answer = Sealed([0, 3, -3, 2**60, -(2**60)], Sensitivity(1, 1, 1))
    out = noise_share(answer, permit_for(DistributedGaussian(3_000, 2, steps=1024)))
    assert repr(out) == "<contribution>"
    assert centred(masked_copy(out)).tolist() == [0, 3072, -3072, 2**52, -(2**52)]


def test_removing_a_person_moves_the_summand_by_what_is_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opendp_samplers, "draw_discrete_gaussian", lambda n, sigma: np.arange(n))
    event, sensitivity = DistributedGaussian(3_000, 2, 25, 2, 8), Sensitivity.within_norm(2, 5)
    made = [
        centred(masked_copy(noise_share(Sealed(answer, sensitivity), permit_for(event))))
        for answer in ([10, 20, 30], [13, 16, 30])
    ]
    assert int(((made[0] - made[1]) ** 2).sum()) == 25 * 8**2


@pytest.mark.parametrize(("lost", "arrived"), [({}, 3), ({2: Stage.MASK}, 2)])
def test_with_all_data_zero_the_opened_sum_has_the_promised_variance(
    lost: dict[int, Stage], arrived: int
) -> None:
    """Two-sided: the variance of a sum of 100,000 entries strays by 0.45 % of itself; 6.5 times that is allowed (1e-10).

    A share more or fewer would change it by a third and more, and a tenth of sigma by a fifth.
    """
    event = DistributedGaussian(2_500, 2)
    answer = Sealed(np.zeros(ENTRIES, np.int64), Sensitivity(1, 1, 1))
    shares = [masked_copy(noise_share(answer, permit_for(event))).view(np.int64) for _ in range(3)]
    for share in shares:
        assert abs(float((share.astype(float) ** 2).mean()) / 2_500**2 - 1) < 6.5 * (2 / ENTRIES) ** 0.5
    opened = Round(cohort_of(3, 2, ENTRIES), np.array(shares), lost=lost).run()
    total = centred(opened.words).astype(float)
    assert len(opened.survivors) == arrived
    assert abs(float((total**2).mean()) / (arrived * 2_500**2) - 1) < 6.5 * (2 / ENTRIES) ** 0.5
    assert abs(float(total.mean())) < 6.5 * 2_500 * (arrived / ENTRIES) ** 0.5
