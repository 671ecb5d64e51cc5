"""What learners by gradients make small: log loss for classes, half the squared error for numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.protect.train.tabular._learner_registry import Task


def residuals_of(
    scores: NDArray[np.float64], targets: NDArray[np.float64], task: Task
) -> NDArray[np.float64]:
    """The gradient of the loss in the scores: what the model expects less what is there."""
    target, weights = task.target, task.class_weights
    if target.kind == "number":
        return scores - targets[:, None]
    named = targets.astype(np.int64)
    if target.outputs == 1:
        found = 1 / (1 + np.exp(-np.clip(scores, -500, 500))) - targets[:, None]
    else:
        found = np.exp(scores - scores.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        found[np.arange(len(named)), named] -= 1
    return found * np.asarray(weights)[named, None] if weights else found


def losses_of(scores: NDArray[np.float64], targets: NDArray[np.float64], task: Task) -> NDArray[np.float64]:
    """Each row's loss, without class weights."""
    if task.target.kind == "number":
        return np.asarray((scores[:, 0] - targets) ** 2 / 2)
    if task.target.outputs == 1:
        return np.asarray(np.logaddexp(0, scores[:, 0]) - targets * scores[:, 0])
    top = scores.max(axis=1)
    total = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
    return np.asarray(total - scores[np.arange(len(scores)), targets.astype(np.int64)])
