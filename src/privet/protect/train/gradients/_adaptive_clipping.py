"""The noise on the count that moves an adaptive clipping bound, chosen so that the count never eats the run's budget.

In each step the number of uncut examples is released with noise of its own, one half being what one example can move it by once
each is counted as plus or minus one half. Together with the gradient's noise sigma that is one Gaussian of noise z, with
1 / z² = 1 / sigma² + 1 / (2 · count)² (Andrew, Thakkar, McMahan, Ramaswamy: NeurIPS 2021, theorem 1).
"""

from __future__ import annotations

from fractions import Fraction

# Of a run's budget, in terms of 1 / z², the count takes at most 1 / (2 · 8/5)², a little less than a tenth.
_LEAST = Fraction(8, 5)


def count_noise(given: float | None, batch: int, without: Fraction) -> Fraction:
    """The noise that was asked for, or a twentieth of the batch, as the paper advises, where that is cheap enough.

    `without` is the noise on gradients that the run would need if nothing was counted.
    """
    if given is not None:
        return Fraction(given)
    return max(Fraction(batch, 20), Fraction(1), _LEAST * without)
