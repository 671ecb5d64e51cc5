"""Privet: use sensitive data for analysis and machine learning without exposing the people in it.

Public names are loaded when first used, so that `import privet` stays light.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AlphaK": "privet.guarantee.promises",
    "ApproxDP": "privet.guarantee.promises",
    "AttackReport": "privet.attack",
    "Audit": "privet.audit",
    "BetaLikeness": "privet.guarantee.promises",
    "Bounds": "privet.source",
    "Change": "privet.guarantee.units",
    "Clipping": "privet.protect.train.gradients",
    "Course": "privet.protect.train.gradients",
    "DataSet": "privet.dataset",
    "DeltaDisclosure": "privet.guarantee.promises",
    "DeltaPresence": "privet.guarantee.promises",
    "Hierarchy": "privet.protect.anonymize.hierarchies",
    "Invariant": "privet.protect.release.spine",
    "KAnonymity": "privet.guarantee.promises",
    "KMap": "privet.guarantee.promises",
    "KeyRing": "privet.protect.anonymize.pseudonyms",
    "KeySet": "privet.source",
    "LDiversity": "privet.guarantee.promises",
    "Ledger": "privet.ledger",
    "LocalDP": "privet.guarantee.promises",
    "PacPrivacy": "privet.guarantee.promises",
    "Person": "privet.guarantee.units",
    "PopulationUniqueness": "privet.guarantee.promises",
    "PrivateClassifier": "privet.protect.train.tabular.estimators",
    "PrivateRegressor": "privet.protect.train.tabular.estimators",
    "PrivetError": "privet.errors",
    "PublicAudit": "privet.audit",
    "PublicTable": "privet.source",
    "PureDP": "privet.guarantee.promises",
    "Recipe": "privet.attack.recipe",
    "ReleasedAnswer": "privet.artifact.answer",
    "ReleasedHierarchy": "privet.artifact.hierarchy",
    "ReleasedModel": "privet.artifact.model",
    "ReleasedTable": "privet.artifact.table",
    "RenyiDP": "privet.guarantee.promises",
    "RiskEstimate": "privet.artifact.risk",
    "RiskThreshold": "privet.guarantee.promises",
    "Row": "privet.guarantee.units",
    "SafeHarbor": "privet.guarantee.promises",
    "Span": "privet.source",
    "Speed": "privet.engine.speed",
    "Spine": "privet.protect.release.spine",
    "StepSpeed": "privet.protect.train.gradients",
    "Sweep": "privet.pipeline.sweep",
    "TCloseness": "privet.guarantee.promises",
    "Table": "privet.source",
    "Tradeoff": "privet.pipeline.tradeoff",
    "TrainedModel": "privet.protect.train.gradients",
    "TrainingDiary": "privet.protect.train.diary",
    "Update": "privet.attack.updates",
    "Vault": "privet.protect.anonymize.pseudonyms",
    "View": "privet.source",
    "Window": "privet.source",
    "ZeroConcentratedDP": "privet.guarantee.promises",
    "anonymize": "privet.protect.anonymize",
    "attack": "privet.attack",
    "audit": "privet.audit",
    "col": "privet.source",
    "contingency": "privet.source",
    "correlation": "privet.source",
    "count": "privet.source",
    "covariance": "privet.source",
    "covariance_matrix": "privet.source",
    "deviation": "privet.source",
    "distinct": "privet.source",
    "epsilon_for": "privet.protect.release",
    "explain": "privet.protect.release",
    "find_keys": "privet.protect.anonymize.pseudonyms",
    "histogram": "privet.source",
    "mean": "privet.source",
    "median": "privet.source",
    "mobility": "privet.protect.release.mobility",
    "most_common": "privet.source",
    "open_public": "privet.source",
    "open_table": "privet.source",
    "persons": "privet.source",
    "pseudonymize": "privet.protect.anonymize.pseudonyms",
    "quantile": "privet.source",
    "quantiles": "privet.source",
    "regression": "privet.source",
    "release": "privet.protect.release",
    "reveal": "privet.protect.anonymize.pseudonyms",
    "save_training_page": "privet.report.training_page",
    "spine": "privet.protect.release.spine",
    "sum": "privet.source",
    "tradeoff": "privet.pipeline.tradeoff",
    "train": "privet.protect.train",
    "train_model": "privet.protect.train.gradients",
    "variance": "privet.source",
    "window": "privet.source",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'privet' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _House(ModuleType):
    """Some verbs are called like the room they live in: `privet.audit` is the verb, also after its room is loaded."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _House
