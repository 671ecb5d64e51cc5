"""What is known of one mechanism, in one place: its event, its prices, its error, what it covers, and its words.

An accountant walks the tree of events, knows how composing, sampling and sealing change a price, and asks each
mechanism for its own. A mechanism answers with what it knows better than the theorems that hold for all, and with
None otherwise. The other half, drawing and its proof, lies in `privet.mechanism`: it needs a permit and randomness.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar, Protocol

from privet.errors import BadAmount, UnsupportedEvent
from privet.guarantee._event_record import Event

if TYPE_CHECKING:
    from privet.guarantee._costs import BasicCost, ConcentratedCost
    from privet.guarantee._loss_grid import Priced
    from privet.guarantee._renyi_curves import Curve

# Scales of integer noise are in fixed-point steps, so they are far larger than scales in people's units.
LARGEST_INTEGER_SCALE = Fraction(2**62)
# That of the widths which sentences speak of.
CONFIDENCE = 0.95


class Moved(Protocol):
    """How far one privacy unit moves an answer, as `privet.sealed.Sensitivity` states it."""

    @property
    def coordinates(self) -> int:
        """At most so many entries change."""

    @property
    def largest(self) -> int:
        """Each by at most this."""

    @property
    def total(self) -> int:
        """All together by at most this."""

    @property
    def squares(self) -> int:
        """The squares of all changes add up to at most this."""

    @property
    def block(self) -> int:
        """Entries come in blocks of so many."""

    @property
    def blocks(self) -> int:
        """At most so many blocks hold a changed entry."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One named number. `larger_is_safer` is None where the loss is not known to be monotone in it."""

    name: str
    whole: bool = False
    optional: bool = False
    larger_is_safer: bool | None = False


@dataclass(frozen=True, slots=True)
class Notation:
    """How the calculator writes and says a mechanism; `words` is a sentence with the parameters' names in braces."""

    name: str
    parameters: tuple[Parameter, ...]
    words: str


@dataclass(frozen=True)
class NoiseSpread:
    """The size of the noise on one coordinate."""

    standard_deviation: float
    mean_absolute: float
    event: Mechanism = field(repr=False)

    def half_width(self, confidence: float) -> float:
        """How far the noise strays at most, on either side, with at least this probability.

        For integer noise the smallest whole number w with P[|Z| <= w] >= confidence.
        """
        return self.event.half_width(confidence)


@dataclass(frozen=True)
class Mechanism(Event):
    """The event of one mechanism, and what follows from its parameters alone."""

    notation: ClassVar[Notation]
    title: ClassVar[str] = ""  # what people call it; empty for what nothing here can draw or explain
    is_gaussian: ClassVar[bool] = False  # continuous Gaussian noise: what theorems on sampled noise are about
    hides_presence: ClassVar[bool] = True  # or only what a unit says, not that it is there
    chooses: ClassVar[bool] = (
        False  # one candidate of several; may be repeated, once for each block of scores
    )
    reveals_keys: ClassVar[bool] = False  # decides which keys of the data are shown

    # --- prices ---

    def basic_cost(self) -> BasicCost | None:
        """Its (epsilon, delta); None where there is no finite epsilon until a delta is chosen."""
        return None

    def concentrated_cost(self) -> ConcentratedCost | None:
        """Its (rho, delta), where better than what its (epsilon, delta) implies."""
        return None

    def renyi_curve(self) -> tuple[Curve, Fraction] | None:
        """Its Rényi divergences and the delta set aside, where better than what its other prices imply."""
        return None

    def loss_distribution(self, grid: float) -> Priced | None:
        """Its privacy-loss distribution, where better than the worst one of its (epsilon, delta)."""
        del grid
        return self.merged_gaussian()

    def merged_gaussian(self) -> Priced | None:
        """As a term of one Gaussian noise that takes the place of several, where it can be."""
        return None

    def sampled_distribution(self, q: Fraction, grid: float) -> Priced | None:
        """Its loss distribution alone on a Poisson sample, where better than amplification of its (epsilon, delta)."""
        del q, grid
        return None

    # --- error ---

    def spread(self) -> NoiseSpread:
        """The spread of the noise it adds; refuses where it adds none to a number."""
        moments = self._moments()
        if moments is None:
            raise no_noise(self)
        return NoiseSpread(*moments, self)

    def half_width(self, confidence: float) -> float:
        """The half-width of its noise, without the rest of its spread."""
        if not 0 < confidence < 1:
            raise BadAmount("confidence must lie between 0 and 1.", "Write confidence=0.95.")
        width = self._half_width(confidence)
        if width is None:
            raise no_noise(self)
        return width

    def _moments(self) -> tuple[float, float] | None:
        """Standard deviation and mean absolute value of the noise on one coordinate."""
        return None

    def _half_width(self, confidence: float) -> float | None:
        del confidence
        return None

    def expectation(self) -> str:
        """What to expect of an answer, in a sentence."""
        raise UnsupportedEvent(f"nothing is known of what a {self.kind} event does to an answer.")

    def stage(self, what: str) -> str:
        """What is done to `what`, as a step of a release, without the full stop."""
        return f"Noise {what}"

    # --- what it is drawn for ---

    def covers(self, moved: Moved) -> bool:
        """Whether it, as priced, pays for its draw on an answer that one unit moves so far."""
        del moved
        return False

    def noise_scale(self, moved: Moved) -> Fraction | None:
        """The exact scale of what is drawn for such an answer; None where nothing with a scale is drawn."""
        del moved
        return None


@dataclass(frozen=True)
class LaplaceNoise(Mechanism):
    """A mechanism whose noise has the shape of Laplace's: what sums of noises need to know of it."""

    scale: Fraction


@dataclass(frozen=True)
class PartitionSelection(LaplaceNoise):
    """A mechanism that decides which keys of the data are shown, by noise on a number of each."""

    @property
    @abstractmethod
    def shown_above(self) -> int:
        """What a key's noisy number must exceed."""


@dataclass(frozen=True)
class CandidateSelection(Mechanism):
    """A mechanism that chooses one of several candidates by their scores; repeated, one in each block of scores."""

    epsilon: Fraction


@dataclass(frozen=True)
class GaussianNoise(Mechanism):
    """A mechanism whose noise has the shape of Gauss'."""

    sigma: Fraction


def no_noise(event: Event) -> UnsupportedEvent:
    """The refusal for events that add no noise to a number."""
    return UnsupportedEvent(f"a {event.kind} event adds no noise to a number.", kind=event.kind)


def normal_quantile(confidence: float) -> float:
    """How many standard deviations hold a normal variable with this probability."""
    # From the lower tail: (1 - confidence) / 2 keeps its digits where (1 + confidence) / 2 has lost them.
    return -NormalDist().inv_cdf((1 - confidence) / 2)


# --- parameters --------------------------------------------------------------------------------


def safer(name: str, *, whole: bool = False) -> Parameter:
    """A parameter that costs less the larger it is."""
    return Parameter(name, whole=whole, larger_is_safer=True)


def costlier(name: str, *, whole: bool = False, optional: bool = False) -> Parameter:
    """A parameter that costs more the larger it is."""
    return Parameter(name, whole=whole, optional=optional)
