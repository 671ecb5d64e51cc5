"""What columns share, of a noisy table of their products: a few causes that stand out from noise, and nothing else.

A symmetric matrix of noise has its eigenvalues within a known distance of zero (Wigner 1955); one that lies beyond it is that of a
cause which many columns share, too large by a known amount (Benaych-Georges and Nadakuditi 2011). Everything within is taken for
noise and dropped. It is arithmetic on noisy figures, so it costs nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# What is seen of causes counts half: those between the classes are among them, and should not be taken for nuisance.
TRUSTED = 0.5

Floats = NDArray[np.float64]


def shared(products: Floats, noise: float) -> Floats:
    """The causes that stand out of a symmetric matrix, whose entries off the diagonal carry noise of this deviation."""
    edge = 2 * noise * np.sqrt(len(products))
    values, causes = np.linalg.eigh(products)
    beyond = values > edge
    seen, causes = values[beyond], causes[:, beyond]
    size = (seen + np.sqrt(seen**2 - edge**2)) / 2
    aligned = 1 - (edge / 2 / size) ** 2  # how much of a cause that is seen is the true one
    return np.asarray((causes * (size * aligned)) @ causes.T)


def apart(means: Floats, ahead: Floats, products: Floats, noise: float) -> Floats:
    """The direction in which classes with these mean differences lie apart, given what columns share (Fisher 1936).

    `products` are of entries times `ahead`, each entry of spread 1, with nothing on the diagonal.
    """
    causes = TRUSTED * shared(products, noise)
    return np.asarray(ahead * np.linalg.solve(np.diag(ahead**2) + causes, ahead * means))
