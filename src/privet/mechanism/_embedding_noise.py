"""Noise for embeddings that an input shield sends: Gaussian, or Laplace in the Euclidean norm.

Neither is drawn with a permit, because no budget is spent and no sealed answer opened: the one who holds a text draws the
noise on their own machine, as a device does under local differential privacy. Gaussian noise of a learned size carries no
promise of an epsilon, and none may be stated for it. Noise from `WordStream.fresh()` is nobody's to have again; a seeded
stream says that it protects nobody.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privet.errors import OutOfRange
from privet.mechanism._keyed_normals import standard_normals
from privet.mechanism._proofs import proven
from privet.mechanism._word_stream import WordStream


@proven("embedding_noise.proof.md", digest="9dce10433912e9f3")
def embedding_noise(stream: WordStream, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Independent standard normal numbers.

    Guarantee:
        None of differential privacy: it hides what attacks cannot tell from other texts, and attacks say what that is.
    Assumes:
        A fresh stream for each call, where the noise is to protect anybody.
    """
    return standard_normals(stream, math.prod(shape)).reshape(shape)


@proven("embedding_noise.proof.md", digest="779cbd783dcecb17")
def euclidean_laplace(stream: WordStream, shape: tuple[int, ...], epsilon: float) -> NDArray[np.float64]:
    """For each row a vector with density proportional to exp(-epsilon · its Euclidean norm).

    Guarantee:
        With real numbers, a row that moves by a distance r is told apart with a loss of at most epsilon · r (metric
        differential privacy). Rows are drawn in floating point, so nothing is claimed to the last bit.
    Assumes:
        A fresh stream for each call.
    """
    if not 0 < epsilon < math.inf:
        raise OutOfRange("the epsilon of Laplace noise is positive and finite.", "Give epsilon=10.")
    *rows, width = shape
    count = math.prod(rows)
    directions = standard_normals(stream, count * width).reshape(count, width)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    uniforms = (stream.words(count * width).reshape(count, width) + 0.5) * 2.0**-64
    norms = -np.log(uniforms).sum(1, keepdims=True) / epsilon
    found: NDArray[np.float64] = (directions * norms).reshape(shape)
    return found
