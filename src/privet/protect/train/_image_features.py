"""Images as tables: features that need no training, normalised image by image, for the linear learner.

A recipe of Tramèr and Boneh (2021): a fixed transform (scattering, where kymatio is installed, or the pixels themselves),
group normalisation *within* each image, and a softmax regression on top. Nothing is learned before the private fit, and
no image's features depend on another image.
"""

from __future__ import annotations

import gzip
import math
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadTraining, FileProblem, MissingExtra
from privet.evidence import given_file

_LARGEST = 1 << 30  # bytes of an idx file, unpacked
REACH = 3.0  # normalised features are cut off at so many standard deviations


def pixels(images: NDArray[Any]) -> NDArray[np.float64]:
    """One row for each image."""
    return np.asarray(images, dtype=np.float64).reshape(len(images), -1)


def scattering(images: NDArray[Any], scales: int = 2) -> NDArray[np.float64]:
    """Scattering coefficients (Mallat 2012): wavelets and absolute values, fixed; needs kymatio."""
    try:
        Scattering2D = import_module("kymatio.numpy").Scattering2D  # noqa: N806
    except ImportError:
        raise MissingExtra(
            "scattering needs kymatio.", "pip install kymatio, or use pixels(images): no promise changes."
        ) from None
    found = Scattering2D(scales, images.shape[1:3])(np.asarray(images, dtype=np.float32))
    return np.asarray(found, dtype=np.float64).reshape(len(images), -1)


def group_normalised(features: NDArray[np.float64], groups: int = 1) -> NDArray[np.float64]:
    """Each image's features, group by group, less their mean and over their spread, cut off at three spreads."""
    if groups < 1 or features.shape[1] % groups:
        raise BadTraining("groups must divide the number of features.", "Use groups=1.")
    parts = features.reshape(len(features), groups, -1)
    spread = parts.std(axis=2, keepdims=True)
    found = (parts - parts.mean(axis=2, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    cut: NDArray[np.float64] = np.clip(found.reshape(features.shape), -REACH, REACH)
    return cut


def as_columns(
    features: NDArray[np.float64], lower: float, upper: float
) -> tuple[dict[str, NDArray[np.float64]], dict[str, dict[str, Any]]]:
    """Columns for a table, and what a schema says of them: public bounds, the same for all."""
    names = [f"f{at:04}" for at in range(features.shape[1])]
    columns = {name: features[:, at] for at, name in enumerate(names)}
    return columns, {name: {"kind": "number", "lower": lower, "upper": upper} for name in names}


def read_idx(path: str | Path) -> NDArray[np.uint8]:
    """An array in an idx file, as MNIST comes, compressed or not."""
    file = Path(path)
    try:
        with given_file(file) as opened:
            whole: Any = gzip.GzipFile(fileobj=opened) if file.suffix == ".gz" else opened
            content = whole.read(_LARGEST + 1)
    except (OSError, EOFError, zlib.error) as problem:
        raise FileProblem(f"{file.name} cannot be read.", "Name an idx file, or its .gz.") from problem
    if len(content) > _LARGEST:
        raise FileProblem(
            f"{file.name} holds more than {_LARGEST:,} bytes.", "Name one of MNIST's four files."
        )
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise FileProblem(f"{file.name} is not an idx file of bytes.", "Name one of MNIST's four files.")
    axes = content[3]
    shape = [int.from_bytes(content[4 + 4 * at : 8 + 4 * at], "big") for at in range(axes)]
    if len(content) != 4 + 4 * axes + math.prod(shape):
        raise FileProblem(f"{file.name} is cut off.", "Fetch it again.")
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)
