"""Privet: use sensitive data for analysis and machine learning without exposing the people in it.

Public names are loaded when first used, so that `import privet` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AlphaK": "privet.guarantee",
    "ApproxDP": "privet.guarantee",
    "AttackReport": "privet.attacks",
    "Audit": "privet.audits",
    "BetaLikeness": "privet.guarantee",
    "Bounds": "privet.source",
    "Change": "privet.guarantee",
    "Clipping": "privet.protect.train.gradients",
    "DataSet": "privet.dataset",
    "DeltaDisclosure": "privet.guarantee",
    "DeltaPresence": "privet.guarantee",
    "Hierarchy": "privet.protect.anonymize.hierarchies",
    "Invariant": "privet.protect.tabulate",
    "KAnonymity": "privet.guarantee",
    "KMap": "privet.guarantee",
    "KeyRing": "privet.protect.transform.pseudonyms",
    "KeySet": "privet.source",
    "LDiversity": "privet.guarantee",
    "Ledger": "privet.ledger",
    "LocalDP": "privet.guarantee",
    "Optimizer": "privet.protect.train.gradients",
    "PacPrivacy": "privet.guarantee",
    "Person": "privet.guarantee",
    "PopulationUniqueness": "privet.guarantee",
    "PrivateClassifier": "privet.protect.train.tabular",
    "PrivateRegressor": "privet.protect.train.tabular",
    "PrivetError": "privet.errors",
    "PublicAudit": "privet.audits",
    "PublicTable": "privet.source",
    "PureDP": "privet.guarantee",
    "Recipe": "privet.attacks",
    "ReleasedAnswer": "privet.artifact",
    "ReleasedHierarchy": "privet.artifact",
    "ReleasedModel": "privet.artifact",
    "ReleasedTable": "privet.artifact",
    "RenyiDP": "privet.guarantee",
    "RiskEstimate": "privet.artifact",
    "RiskThreshold": "privet.guarantee",
    "Row": "privet.guarantee",
    "SafeHarbor": "privet.guarantee",
    "Span": "privet.source",
    "Speed": "privet.engine",
    "Spine": "privet.protect.tabulate",
    "StepSpeed": "privet.protect.train.gradients",
    "Sweep": "privet.pipeline",
    "TCloseness": "privet.guarantee",
    "Table": "privet.source",
    "Tradeoff": "privet.pipeline",
    "TrainedModel": "privet.protect.train.gradients",
    "TrainingLog": "privet.protect.train",
    "Update": "privet.attacks.updates",
    "Vault": "privet.protect.transform.pseudonyms",
    "View": "privet.source",
    "Window": "privet.source",
    "ZeroConcentratedDP": "privet.guarantee",
    "anonymize": "privet.protect.anonymize",
    "attack": "privet.attacks",
    "audit": "privet.audits",
    "col": "privet.source",
    "contingency": "privet.source",
    "correlation": "privet.source",
    "count": "privet.source",
    "covariance": "privet.source",
    "covariance_matrix": "privet.source",
    "deviation": "privet.source",
    "distinct": "privet.source",
    "epsilon_for": "privet.protect.query",
    "explain": "privet.protect.statistics",
    "find_keys": "privet.protect.transform.pseudonyms",
    "histogram": "privet.source",
    "mean": "privet.source",
    "median": "privet.source",
    "mobility": "privet.protect.query",
    "most_common": "privet.source",
    "open_public": "privet.dataset",
    "open_table": "privet.dataset",
    "persons": "privet.source",
    "pseudonymize": "privet.protect.transform.pseudonyms",
    "quantile": "privet.source",
    "quantiles": "privet.source",
    "regression": "privet.source",
    "release": "privet.protect.statistics",
    "reveal": "privet.protect.transform.pseudonyms",
    "save_training_page": "privet.report",
    "spine": "privet.protect.tabulate",
    "sum": "privet.source",
    "tradeoff": "privet.pipeline",
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
