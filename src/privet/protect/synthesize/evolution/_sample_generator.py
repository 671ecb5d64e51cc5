"""What breeds: a generator makes samples and varies them, an embedder says where a sample lies. Neither sees private data.

Any object with these methods will do. A generator is only ever handed samples that it, or another generator, made; an
embedder is handed private samples too, which is why one that sends them to another machine has to be named for that.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSynthesis, PrivetError

Sample = Any  # a text, an image, or whatever a generator makes
Points = NDArray[np.float32]


@runtime_checkable
class SampleGenerator(Protocol):
    """Makes synthetic samples out of nothing but a label, and others like given ones."""

    def random(self, count: int, label: str | None) -> Sequence[Sample]:
        """New samples of a class."""

    def variation(self, samples: Sequence[Sample], label: str | None, degree: float) -> Sequence[Sample]:
        """One sample like each of these; `degree` falls from 1 to 0 over the rounds."""

    def shown(self, sample: Sample) -> Any:
        """The sample as embedders and the released twin have it: the text, or the picture."""

    def packed(self, sample: Sample) -> Any:
        """The sample as JSON can hold it, so that a run that was killed goes on with it."""

    def unpacked(self, stored: Any) -> Sample:
        """The sample again."""

    def described(self) -> dict[str, str]:
        """What the record says of it: its kind, its model, its prompts. No secret.

        Runs with equal descriptions are one run: the second is given what the first one drew. So whatever bears on the
        samples is in it, what is long as `content_digest`.
        """


@runtime_checkable
class SampleEmbedder(Protocol):
    """Says where samples lie; near ones are alike."""

    def embed(self, samples: Sequence[Any]) -> NDArray[Any]:
        """One row of numbers for each sample, the same wherever and beside whatever it stands."""

    def described(self) -> dict[str, str]:
        """What the record says of it."""

    @property
    def remote(self) -> str | None:
        """The machine that samples are sent to; None where they stay."""

    @property
    def alone(self) -> bool:
        """Whether a sample's row is the same to the last bit whatever stands beside it; else each is embedded by itself."""


@dataclass(frozen=True)
class CallableGenerator:
    """A generator made of two functions of your own; see `SampleGenerator` for what they are given."""

    make: Callable[[int, str | None], Sequence[Sample]]
    vary: Callable[[Sequence[Sample], str | None, float], Sequence[Sample]]
    name: str = "functions of the caller's"
    pack: Callable[[Sample], Any] | None = None  # to what JSON can hold, where samples are not that already
    unpack: Callable[[Any], Sample] | None = None

    def random(self, count: int, label: str | None) -> Sequence[Sample]:
        """What `make` makes."""
        return self.make(count, label)

    def variation(self, samples: Sequence[Sample], label: str | None, degree: float) -> Sequence[Sample]:
        """What `vary` makes."""
        return self.vary(samples, label, degree)

    def shown(self, sample: Sample) -> Any:
        """The sample itself."""
        return sample

    def packed(self, sample: Sample) -> Any:
        """What `pack` makes of it."""
        return sample if self.pack is None else self.pack(sample)

    def unpacked(self, stored: Any) -> Sample:
        """What `unpack` makes of it."""
        return stored if self.unpack is None else self.unpack(stored)

    def described(self) -> dict[str, str]:
        """The name it was given."""
        return {"kind": "callable", "name": self.name}


@dataclass(frozen=True)
class CallableEmbedder:
    """An embedder made of a function of your own, which must look at each sample by itself."""

    function: Callable[[Sequence[Any]], NDArray[Any]]
    name: str = "a function of the caller's"
    remote: str | None = None  # the machine that the function sends samples to, if it does
    alone: bool = False
    private_texts_may_go_to: str | None = (
        None  # that machine once more, by whoever is responsible for the samples
    )

    def embed(self, samples: Sequence[Any]) -> NDArray[Any]:
        """What the function says."""
        return self.function(samples)

    def described(self) -> dict[str, str]:
        """The name it was given."""
        return {"kind": "callable", "name": self.name}


def content_digest(*parts: object) -> str:
    """Sixteen letters that stand for all of these, for a description."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def allowed_host(embedder: SampleEmbedder) -> str | None:
    """The machine that private samples are sent to, None where they stay; refused unless it was named for that.

    The one place that lets samples leave: whatever an embedder is, its `private_texts_may_go_to` has to be its `remote`.
    """
    host = embedder.remote
    if host is not None and getattr(embedder, "private_texts_may_go_to", None) != host:
        raise BadSynthesis(
            "private samples would be sent to another machine.",
            f"Embed them here (pv.SentenceEncoder, pv.HashedWords), or write private_texts_may_go_to={host!r} "
            f"(--private-texts-may-go-to {host}).",
        )
    return host


def exactly(count: int, made: Sequence[Sample]) -> list[Sample]:
    """The samples, if there are as many as were asked for."""
    try:
        found = list(made)
    except TypeError:
        raise BadSynthesis("the generator made no list of samples.", "Let it return one for each.") from None
    if len(found) != count:
        raise BadSynthesis(
            f"the generator made {len(found)} samples where {count} were asked for.",
            "Let it return one for each.",
        )
    return found


def form_of(shown: Sequence[Any]) -> tuple[int, ...] | None:
    """The one shape of pictures, None for texts; what a twin could not hold is refused while it still costs nothing."""
    forms = {None if isinstance(one, str) else _shape(one) for one in shown}
    if len(forms) != 1:
        raise BadSynthesis(
            "the generator makes texts and pictures, or pictures of different shapes.",
            "Let `shown` give texts alone, or arrays of one shape.",
        )
    return forms.pop()


def _shape(one: Any) -> tuple[int, ...]:
    array = np.asarray(one)
    if array.dtype.kind not in "uif" or array.size == 0:
        raise BadSynthesis(
            f"the generator shows a sample as {type(one).__name__}, which is neither a text nor an array of numbers.",
            "Let `shown` give a text, or an array of pixels.",
        )
    return tuple(array.shape)


def points_of(embedder: SampleEmbedder, samples: Any, *, size: int = 4_096) -> Points:
    """Where samples lie, embedded a piece at a time; a sample whose numbers are not all finite lies nowhere (NaN)."""
    pieces: list[Points] = []
    for start in range(0, len(samples), size):
        piece = samples[start : start + size]
        found = _said_by(embedder, piece)
        if found.ndim != 2 or len(found) != len(piece) or found.shape[1] == 0:
            raise BadSynthesis(
                "the embedder does not give one row of numbers for each sample.",
                "Return an array of shape (samples, dimensions).",
            )
        pieces.append(found)
    if not pieces:
        return np.zeros((0, 1), dtype=np.float32)
    if len({piece.shape[1] for piece in pieces}) > 1:
        raise BadSynthesis("the embedder gives rows of different lengths.", "Let it keep to one.")
    points = np.concatenate(pieces)
    # Beyond this, squared distances overflow and every candidate looks equally far.
    points[~(np.isfinite(points).all(axis=1) & (np.abs(points).max(axis=1) < 1e15))] = np.nan
    return points


def _said_by(embedder: SampleEmbedder, samples: Any) -> Points:
    """What the embedder gives. What it says where it fails is kept back: it sees private samples, and might quote one.

    Also where it fails at synthetic samples, since it may remember others; and whatever it raises, since some libraries
    raise what is no `Exception`. Warnings go the same way.
    """
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return np.asarray(embedder.embed(samples), dtype=np.float32)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        if isinstance(problem, PrivetError) and _of_this_house(embedder):
            raise
        kind = type(problem)
    known = f" ({kind.__name__})" if kind.__module__ == "builtins" else ""
    raise BadSynthesis(
        f"the embedder failed{known}; what it said is kept back, since it sees private samples.",
        "Try it by itself on a text of your own: embedder.embed(['a text']).",
    )


def _of_this_house(embedder: SampleEmbedder) -> bool:
    """Whether what it raises was written here, and so holds no value from the data."""
    house = __name__.partition(".")[0]
    return type(embedder).__module__.split(".")[0] == house and not isinstance(embedder, CallableEmbedder)
