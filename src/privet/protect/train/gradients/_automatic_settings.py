"""How large batches are and how fast a network learns, where nobody says: from the promise and the plan, and from no record.

With a fixed number of steps, the noise in a mean gradient hardly depends on the batch as long as the noise is large against the
clipping bound: privacy by central limit is q · sqrt(T · (exp(1/sigma²) - 1)) (Bu, Dong, Long and Su 2020, theorem 5), which is
q · sqrt(T) / sigma for a large sigma. So the batch is the smallest at which that holds, about; a larger one costs time, a smaller
one privacy. The rate is such that noise alone, over all steps, carries the weights a small multiple of their own length: farther, and
they would be noise; nearer, and the gradient would not be heard either. The multiple was found on scikit-learn's digits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privet.guarantee import ApproxDP, Gaussian, calibrate

if TYPE_CHECKING:
    from torch import nn

NOISE = 1.5  # clipping bounds: from here on the noise in a mean gradient no longer depends on the batch, within a tenth
FASTEST = 0.5  # rates are at most that, however little noise there is
CARRIED = 3.0  # so many times the weights' own length
_MOMENTUM = 0.9


def automatic_batch(promise: ApproxDP, records: int, steps: int) -> int:
    """The smallest average batch that does not waste privacy."""
    one = float(calibrate(lambda sigma: Gaussian(sigma, 1), promise))
    share = 1 / one / math.sqrt(steps * math.expm1(1 / NOISE**2))
    return min(records, max(1, math.ceil(share * records)))


def automatic_rate(model: nn.Module, noise: float, steps: int, *, momentum: float = _MOMENTUM) -> float:
    """The rate of stochastic gradient descent: from the weights before training, and the noise in a mean gradient."""
    weights = [weight.detach() for weight in model.parameters() if weight.requires_grad]
    many = sum(weight.numel() for weight in weights)
    length = math.sqrt(sum(float(weight.double().square().sum()) for weight in weights))
    walked = noise * math.sqrt(steps * many) / (1 - momentum)
    return min(FASTEST, CARRIED * max(length, 1.0) / walked)
