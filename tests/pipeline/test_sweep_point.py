"""What a sweep found is compared within its family."""

from privet.artifact import IntervalEstimate
from privet.pipeline._sweep_point import SweepPoint

ESTIMATE = IntervalEstimate(0.5, 0.4, 0.6)


def point(technique: str, **strength: object) -> SweepPoint:
    return SweepPoint(technique, strength, "label", ESTIMATE, ESTIMATE, "attack", {"attack": ESTIMATE})


def test_promises_about_all_columns_are_a_family_of_their_own() -> None:
    assert point("anonymize", k=5).family == point("anonymize", k=25).family == "anonymize"
    assert point("anonymize", k=5, also_quasi=["dose"]).family == "anonymize, all columns"
    assert point("train", epsilon=1).family == "train"
