"""The integer noises have the scale they say: the right one passes, 0.9 and 1.1 times of it do not.

100,000 draws for each scale; false-alarm rate 1e-9 for each assertion (`tests.statistical.binomial`).
"""

import math
import multiprocessing

import numpy as np
import pytest
from scipy.special import erfc
from tests.statistical.binomial import fits

from privet.mechanism import _opendp_samplers as sampling

N = 100_000
SCALES = [0.3, 0.75, 2.5, 40.0, 1e4 + 1 / 3, 1e9, 2.0**40]
WIDE = 2.0**56  # no two draws agree; one past 2^63, where all are held alike, has odds below e^-127
MULTIPLES = [0, 0.25, 0.5, 1, 1.5, 2, 3, 4]


def laplace_tail(k: int, scale: float) -> float:
    """P[z > k] for k ≥ 0."""
    q = math.exp(-1 / scale)
    return math.exp(-(k + 1) / scale) / (1 + q)


def gaussian_tail(k: int, sigma: float) -> float:
    """P[z > k] for k ≥ 0: summed up, or for wide noise by the midpoint rule (off by less than 1e-10)."""
    if sigma > 1e5:
        return float(erfc((k + 0.5) / sigma / math.sqrt(2)) / 2)
    reach = math.ceil(12 * sigma) + 1
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return float(weights[reach + k + 1 :].sum() / weights.sum())


NOISES = {
    "laplace": (sampling.draw_discrete_laplace, laplace_tail),
    "gaussian": (sampling.draw_discrete_gaussian, gaussian_tail),
}


def counts(noise, tail, scale):
    """Left tail, right tail and middle at several distances from zero."""
    for k in sorted({math.floor(multiple * scale) for multiple in MULTIPLES}):
        beyond = tail(k, scale)
        yield int((noise > k).sum()), len(noise), beyond
        yield int((noise < -k).sum()), len(noise), beyond
        yield int((abs(noise) <= k).sum()), len(noise), 1 - 2 * beyond


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", NOISES)
def test_the_right_scale_and_no_other(name, scale):
    draw, tail = NOISES[name]
    noise = draw(N, scale)
    assert fits(counts(noise, tail, scale))
    assert not fits(counts(noise, tail, 0.9 * scale))
    assert not fits(counts(noise, tail, 1.1 * scale))
    if scale >= 1e9:  # no gaps: the last binary digits are fair, to within 1/scale²
        assert fits((int((noise % 16 == rest).sum()), N, 1 / 16) for rest in range(16))
    if scale >= 1e4:
        check_independence(noise, tail, scale)


def check_independence(noise, tail, scale):
    """Neighbours, and halves of one call, agree in sign and in size as often as independent draws do."""
    middle = math.floor(0.68 * scale)
    large = 2 * tail(middle, scale)
    for one, other in [(noise[0::2], noise[1::2]), (noise[: N // 2], noise[N // 2 :])]:
        used = (one != 0) & (other != 0)
        same_sign = ((one > 0) == (other > 0))[used]
        same_size = (abs(one) > middle) == (abs(other) > middle)
        assert fits([(int(same_sign.sum()), len(same_sign), 0.5)])
        assert fits([(int(same_size.sum()), len(same_size), large**2 + (1 - large) ** 2)])


@pytest.mark.parametrize("name", NOISES)
def test_two_calls_share_nothing(name):
    draw, _ = NOISES[name]
    first, second = draw(20_000, WIDE), draw(20_000, WIDE)
    assert not (first == second).any()  # one match: odds below 1e-12
    assert fits([(int(((first > 0) == (second > 0)).sum()), len(first), 0.5)])


def drawn(channel):
    channel.send(sampling.draw_discrete_laplace(64, WIDE).tolist())
    channel.close()


def test_forked_processes_do_not_share_the_stream():
    sampling.draw_discrete_laplace(64, WIDE)  # the parent's generator is warm before it forks
    context = multiprocessing.get_context("fork")
    values = []
    for _ in range(3):
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=drawn, args=(theirs,))
        child.start()
        values += ours.recv()
        child.join()
    values += sampling.draw_discrete_laplace(64, WIDE).tolist()
    assert len(set(values)) == len(values) == 256  # a collision: odds below 1e-12
