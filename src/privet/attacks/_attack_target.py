"""What is attacked: anything that gives probabilities, behind one shape.

A scikit-learn estimator, a released model, a PyTorch module whose outputs are logits, or any function from features to
probabilities. Only queries go through here; nothing of the model is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.attacks._attack_records import AttackRecords
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BATCH = 65_536  # records asked at once: bounds memory, not what is learned


@dataclass(frozen=True)
class AttackTarget:
    """A model as an outsider sees it: features in, a probability for each class out."""

    ask: Callable[[Any], NDArray[np.float64]]
    name: str
    classes: NDArray[Any] | None = None  # the labels its columns stand for; 0, 1, … where it does not say
    numbered: bool = False  # whether whole numbers are places of columns, beside the names of classes

    def probabilities(self, records: AttackRecords) -> NDArray[np.float64]:
        """A row for each record that sums to one."""
        parts = [
            _checked(self.ask(records.take(np.arange(start, min(start + _BATCH, len(records)))).native))
            for start in range(0, len(records), _BATCH)
        ]
        return np.concatenate(parts)

    def codes(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """The column of each label; -1 where the model has never seen it."""
        if self.classes is None:
            if labels.dtype.kind not in "biuf":
                raise BadAttack(
                    "the model does not say what its classes are, and the labels are not numbers.",
                    "Give labels as 0, 1, …, in the order of the columns of its probabilities.",
                )
            return labels.astype(np.int64)
        if self.numbered and labels.dtype.kind in "iu":
            return labels.astype(np.int64)
        if self.classes.dtype.kind in "UO" and labels.dtype.kind != "U":
            from privet.artifact import as_text

            # As released models write their classes; a gap is no class.
            labels = np.array([str(as_text(label)) for label in labels.tolist()])
        elif labels.dtype.hasobject:
            labels = labels.astype(str)
        order = np.argsort(self.classes)
        at = np.clip(np.searchsorted(self.classes[order], labels), 0, len(order) - 1)
        found: NDArray[np.int64] = np.where(self.classes[order][at] == labels, order[at], -1)
        return found


def _checked(found: Any) -> NDArray[np.float64]:
    """Probabilities as a table of two columns or more; one column is the chance of the second class."""
    values = np.asarray(found, float)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim == 2 and values.shape[1] == 1:
        values = np.column_stack([1 - values, values])
    if values.ndim != 2 or not np.isfinite(values).all() or values.min() < -1e-6 or values.max() > 1 + 1e-6:
        raise BadAttack(
            "the model's answers are not probabilities, a row for each record and a column for each class.",
            "Give something with predict_proba, a PyTorch module that returns logits, or such a function.",
        )
    return np.asarray(np.clip(values, 0, 1))


def _plain(classes: NDArray[Any]) -> NDArray[Any]:
    """Names as text of one type, so that they can be sorted and looked up."""
    return classes.astype(str) if classes.dtype.hasobject else classes


def label_of(thing: Any, stated: str | None) -> str | None:
    """The label's column: as stated, or as a released model says."""
    own = getattr(getattr(thing, "target", None), "name", None)
    return stated if stated is not None or not isinstance(own, str) else own


def target_of(thing: Any) -> AttackTarget:
    """The thing as a target, whatever it is."""
    if isinstance(thing, AttackTarget):
        return thing
    name = type(thing).__name__
    ask = getattr(thing, "predict_proba", None)
    if callable(ask):
        classes = getattr(thing, "classes_", getattr(thing, "classes", None))
        known = None if classes is None or callable(classes) else _plain(np.asarray(classes))
        return AttackTarget(ask, name, known, _is_numbered(thing, known))
    torch = sys.modules.get("torch")  # a module cannot exist without it
    if torch is not None and isinstance(thing, torch.nn.Module):
        return AttackTarget(lambda features: _softmax(thing, features), name)
    if callable(thing):
        return AttackTarget(thing, getattr(thing, "__name__", name))
    raise BadAttack(
        "this is no model: it has no predict_proba and is neither a PyTorch module nor a function.",
        "Give a scikit-learn estimator, a released model, a PyTorch module or a function.",
    )


def _is_numbered(thing: Any, classes: NDArray[Any] | None) -> bool:
    """Whether labels may be places: of networks, whose targets are, unless classes are called by numbers themselves."""
    return hasattr(thing, "module") and not (
        classes is not None and all(str(name).lstrip("-").isdigit() for name in classes)
    )


def _softmax(module: Any, features: Any) -> NDArray[np.float64]:
    """Probabilities of a module that returns logits; one logit is that of the second of two classes."""
    import torch

    first = next(module.parameters(), None)
    dtype, device = (torch.float32, "cpu") if first is None else (first.dtype, first.device)
    values = np.asarray(features)
    given = torch.as_tensor(values, device=device)
    training = module.training
    module.eval()
    try:
        with torch.no_grad():
            logits = module(given.to(dtype) if values.dtype.kind in "fb" else given).double().cpu()
    finally:
        module.train(training)
    if logits.ndim == 1 or logits.shape[1] == 1:
        logits = torch.stack([torch.zeros_like(logits.reshape(-1)), logits.reshape(-1)], dim=1)
    return np.asarray(torch.softmax(logits, dim=1))
