"""One example of every event class, and what makes each of them quieter or louder."""

from collections.abc import Callable
from fractions import Fraction

from privet.guarantee._events import (
    BandedGaussian,
    BandedInverseGaussian,
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    DistributedGaussian,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    NonPrivate,
    NormedGaussian,
    Opaque,
    PacRelease,
    PermuteAndFlip,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    SealedPlan,
    Selected,
    ShuffledReports,
    ThresholdedKeys,
    TruncatedKeys,
    TruncatedPoissonSampled,
    Unsupported,
    ZeroConcentrated,
)

EXAMPLES: dict[str, Event] = {
    event.kind: event
    for event in (
        Laplace(20, 2),
        DiscreteLaplace(15, 2),
        Gaussian(20, 2),
        DiscreteGaussian(12, 2, 3),
        NormedGaussian(12_000, 2_000, 3),
        DistributedGaussian(6_000, 4, 3, 3, 1_000),
        BandedGaussian(20, 12, 3, 3, 4),
        BandedInverseGaussian(20, 12, 3, 3, 4),
        Exponential("0.1"),
        PermuteAndFlip("0.1"),
        ThresholdedKeys(10, 150, 2),
        TruncatedKeys(10, 150, 2),
        RandomizedResponse("0.9", 3),
        ShuffledReports(1, 20_000, "1e-9"),
        Opaque("0.1", "1e-9"),
        ZeroConcentrated("0.005"),
        NonPrivate(),
        PacRelease("1/16"),
        Unsupported("a plug-in of unknown privacy"),
        PoissonSampled("0.05", Gaussian(2)),
        TruncatedPoissonSampled("0.05", 80, 1000, Gaussian(2)),
        Repeated(Laplace(20), 3),
        Composed([Laplace(20), Gaussian(20)]),
        SealedPlan(Repeated(Gaussian(40), 4), "1e-8"),
        Selected([Repeated(Gaussian(40), 4), Gaussian(30)], 10),
    )
}

# More of the classes whose pricing has several branches.
MORE: list[Event] = [
    Laplace("0.1"),
    Laplace(10**8),
    DiscreteLaplace(10**9, 10**8),
    DiscreteLaplace(Fraction(1, 2)),
    DiscreteGaussian(10**9, 10**8, 2),
    NormedGaussian(10**9, 10**8, 2),
    DiscreteGaussian("1.5", 2),
    BandedGaussian("0.7", 6, 6, 1, 6),
    BandedInverseGaussian(3, 9, 1, 9, 1, "1/2"),
    RandomizedResponse(1),
    RandomizedResponse("0.01"),
    Opaque("0.00003"),
    ShuffledReports("0.5", 2, "1e-9"),
    Exponential(3),
    PoissonSampled("0.05", Laplace(1)),
    PoissonSampled("0.05", DiscreteLaplace(3, 2)),
    PoissonSampled("0.05", DiscreteLaplace(3000, 3000)),
    PoissonSampled("0.05", DiscreteGaussian(4, 2)),
    PoissonSampled("0.05", DiscreteGaussian(10**6, 10**6, 2)),
    PoissonSampled("0.05", Composed([Gaussian(3), Repeated(Gaussian(5), 2)])),
    PoissonSampled("0.05", Composed([Laplace(3), Exponential(1)])),
    PoissonSampled(1, Gaussian(5)),
    PoissonSampled("0.05", Opaque(1, "1e-9")),
    TruncatedPoissonSampled("0.05", 40, 1000, Gaussian(2)),
    SealedPlan(Composed([Laplace(20), Gaussian(20)]), "1e-9"),
    Selected([Gaussian(20)], 10, "poisson"),
    Selected([Gaussian(20)], 3, "geometric"),
    Selected([Laplace(20), DiscreteLaplace(15)], 10),
    SealedPlan(Selected([Gaussian(20)], 10), "1e-8"),
]

PRICED: list[Event] = [
    event
    for event in [*EXAMPLES.values(), *MORE]
    if not isinstance(event, NonPrivate | PacRelease | Unsupported)
]

# Families in which a larger parameter means more protection, by (kind, parameter).
QUIETER: dict[tuple[str, str], Callable[[Fraction], Event]] = {
    ("laplace", "scale"): lambda x: Laplace(10 * x, 2),
    ("laplace", "sensitivity"): lambda x: Laplace(10, 1 / x),
    ("discrete-laplace", "scale"): lambda x: DiscreteLaplace(10 * x, 2),
    ("discrete-laplace", "sensitivity"): lambda x: DiscreteLaplace(20, int(12 / x)),
    ("gaussian", "sigma"): lambda x: Gaussian(10 * x, 2),
    ("gaussian", "sensitivity"): lambda x: Gaussian(10, 1 / x),
    ("discrete-gaussian", "sigma"): lambda x: DiscreteGaussian(8 * x, 2, 2),
    ("discrete-gaussian", "sensitivity"): lambda x: DiscreteGaussian(40, int(12 / x), 2),
    ("discrete-gaussian", "coordinates"): lambda x: DiscreteGaussian(40, 2, int(12 / x)),
    ("distributed-gaussian", "sigma"): lambda x: DistributedGaussian(4_000 * x, 4, 3, 3, 1_000),
    ("distributed-gaussian", "shares"): lambda x: DistributedGaussian(20_000, int(12 * x), 3, 3, 1_000),
    ("distributed-gaussian", "squares"): lambda x: DistributedGaussian(20_000, 4, int(12 / x), 3, 1_000),
    ("distributed-gaussian", "coordinates"): lambda x: DistributedGaussian(20_000, 4, 3, int(12 / x), 1_000),
    ("distributed-gaussian", "steps"): lambda x: DistributedGaussian(20_000, 4, 3, 3, int(1_200 / x)),
    ("normed-gaussian", "sigma"): lambda x: NormedGaussian(8_000 * x, 2_000, 2),
    ("normed-gaussian", "norm"): lambda x: NormedGaussian(40_000, int(12_000 / x), 2),
    ("normed-gaussian", "coordinates"): lambda x: NormedGaussian(40_000, 2_000, int(12 / x)),
    **{
        (cls.kind, name): family
        for cls in (BandedGaussian, BandedInverseGaussian)
        for name, family in (
            ("sigma", lambda x, cls=cls: cls(20 * x, 12, 3, 3, 4)),
            ("steps", lambda x, cls=cls: cls(20, int(24 / x), 8, 2, 6)),
            ("bands", lambda x, cls=cls: cls(20, 24, int(12 / x), 3, 4)),
            ("participations", lambda x, cls=cls: cls(20, 24, 3, int(12 / x), 2)),
            ("separation", lambda x, cls=cls: cls(20, 24, 8, 4, int(2 * x))),
            ("sensitivity", lambda x, cls=cls: cls(20, 12, 3, 3, 4, 1 / x)),
        )
    },
    ("exponential", "epsilon"): lambda x: Exponential(1 / (5 * x)),
    ("permute-and-flip", "epsilon"): lambda x: PermuteAndFlip(1 / (5 * x)),
    ("thresholded-keys", "scale"): lambda x: ThresholdedKeys(4 * x, 2000),
    ("thresholded-keys", "threshold"): lambda x: ThresholdedKeys(4, int(30 * x)),
    ("thresholded-keys", "keys"): lambda x: ThresholdedKeys(40, 2000, int(12 / x)),
    ("thresholded-keys", "reach"): lambda x: ThresholdedKeys(400, 20_000, 2, int(12 / x)),
    ("thresholded-keys", "parts"): lambda x: ThresholdedKeys(40, 560, 1, 2, 2 if x < 2 else 1),
    ("truncated-keys", "scale"): lambda x: TruncatedKeys(4 * x, 2000),
    ("truncated-keys", "bound"): lambda x: TruncatedKeys(4, int(30 * x)),
    ("truncated-keys", "keys"): lambda x: TruncatedKeys(40, 2000, int(12 / x)),
    ("randomized-response", "p"): lambda x: RandomizedResponse(x / 4),
    ("randomized-response", "buckets"): lambda x: RandomizedResponse("0.9", int(12 / x)),
    ("shuffled-reports", "epsilon"): lambda x: ShuffledReports(1 / x, 5_000, "1e-9"),
    ("shuffled-reports", "reports"): lambda x: ShuffledReports(1, int(5_000 * x), "1e-9"),
    ("opaque", "epsilon"): lambda x: Opaque(1 / (5 * x)),
    ("opaque", "delta"): lambda x: Opaque("0.1", Fraction(2, 10**6) / x),
    ("zero-concentrated", "rho"): lambda x: ZeroConcentrated(1 / (50 * x)),
    ("poisson-sampled", "q"): lambda x: PoissonSampled(1 / (4 * x), Gaussian(4)),
    ("poisson-sampled", "event"): lambda x: PoissonSampled("0.1", Gaussian(2 * x)),
    ("truncated-poisson-sampled", "q"): lambda x: TruncatedPoissonSampled(
        1 / (10 * x), 90, 1000, Gaussian(4)
    ),
    ("truncated-poisson-sampled", "batch"): lambda x: TruncatedPoissonSampled(
        "0.1", int(90 * x), 1000, Gaussian(4)
    ),
    ("truncated-poisson-sampled", "size"): lambda x: TruncatedPoissonSampled(
        "0.1", 90, int(1000 / x), Gaussian(4)
    ),
    ("truncated-poisson-sampled", "event"): lambda x: TruncatedPoissonSampled(
        "0.1", 90, 1000, Gaussian(2 * x)
    ),
    ("repeated", "count"): lambda x: Repeated(Laplace(40), int(12 / x)),
    ("repeated", "event"): lambda x: Repeated(Laplace(40 * x), 4),
    ("composed", "events"): lambda x: Composed([Laplace(20)] * int(12 / x)),
    ("selected", "events"): lambda x: Selected([Gaussian(10 * x), Gaussian(30 * x)], 10),
    ("selected", "mean"): lambda x: Selected([Gaussian(20)], 12 / x),
    ("sealed-plan", "event"): lambda x: SealedPlan(Gaussian(10 * x), "1e-9"),
}
