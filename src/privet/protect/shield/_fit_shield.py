"""Fitting a shield to a frozen model on public texts, step by step, so that an interrupted fit goes on where it stopped."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as nnf

from privet.errors import BadShield, checked
from privet.mechanism import WordStream, draw_below
from privet.protect.shield import _shield_losses as losses
from privet.protect.shield._fit_checkpoint import FitCheckpoint
from privet.protect.shield._glass_transform import GlassTransform, begun_transform, drawn_embeddings
from privet.protect.shield._input_shield import InputShield, digest_of
from privet.protect.shield._shield_settings import UTILITIES, ShieldSettings
from privet.protect.shield._split_model import (
    SplitModel,
    as_given,
    as_sequence,
    frozen,
    split_model,
    typical_size,
)
from privet.protect.shield._text_release import padded

_CLIP = 1.0  # norm of a step's gradient
_RAMP = 0.3  # share of the steps in which the information term reaches its strength
_LAST = 0.05  # share of the steps whose losses are told


@dataclass(frozen=True)
class _Fit:
    """What a fit is of."""

    model: SplitModel
    inputs: Sequence[Any]
    labels: Tensor | None
    strength: float
    utility: str
    layer: int | None
    settings: ShieldSettings
    seed: int
    scale: float
    median: float
    parts: list[dict[str, float]] = field(default_factory=list)

    def key(self) -> str:
        """All that its steps depend on."""
        labels = None if self.labels is None else self.labels.tolist()
        given = [one.numpy().tobytes() if isinstance(one, Tensor) else tuple(one) for one in self.inputs]
        said = (self.strength, self.utility, self.layer, self.settings, self.seed)
        return digest_of(self.model.fingerprint, labels, *given, *said)


@checked
def fit_shield(
    model: Any,
    public_texts: Any,
    *,
    strength: float,
    task: Sequence[int] | None = None,
    utility: str | None = None,
    layer: int | None = None,
    settings: ShieldSettings | None = None,
    checkpoint: str | Path | None = None,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> InputShield:
    """Fit a shield: as little in the embeddings as the model can do with.

    Args:
        model: a network of transformers with its tokenizer, the folder of one, or `(embed, rest)` of any torch model; with
            `(embed, rest, tokenizer)` the model takes tokens, and `rest` a mask of what is no padding.
        public_texts: texts that anybody may see, like those that will be sent; a tensor of inputs where they are no texts.
        strength: of the information term against usefulness, per nat. There is no right one: fit several and attack them.
        task: the class of each text, where the model is a classifier and its task is what counts.
        utility: what the model keeps: its `task`, its `logits`, or the `hidden` states of a layer [default: task where there
            are labels, else logits].
        layer: whose hidden states are kept.
        settings: how it is built and fitted.
        checkpoint: a folder in which the fit is kept, to go on after an interruption.
        seed: of first weights and of draws while fitting; public texts need no secrecy. What is sent later is noised afresh.
        progress: called with what is done, how many steps are done, and how many there are.

    Guarantee:
        None of differential privacy; see `InputShield`.
    Assumes:
        The texts and labels are public: the shield learns them, and its weights may be seen by anybody.
    """
    settings = settings or ShieldSettings()
    fit = _prepared(model, public_texts, _Asked(strength, task, utility, layer), settings, seed)
    width = int(_embedded(fit, range(min(2, len(fit.inputs))))[0].shape[-1])
    transform = begun_transform(width, settings, WordStream.seeded(_number(seed, -1)))
    optimizer = torch.optim.AdamW(transform.parameters(), lr=settings.rate, weight_decay=0.01)
    kept = FitCheckpoint(
        None if checkpoint is None else Path(checkpoint), "" if checkpoint is None else fit.key()
    )
    start = kept.restore(transform, optimizer, fit.parts)
    with frozen(fit.model):
        for step in range(start, settings.steps):
            if progress:
                progress("fitting the shield", step, settings.steps)
            _step(fit, transform, optimizer, step)
            kept.note(transform, optimizer, fit.parts, step + 1, settings.steps)
    last = fit.parts[-max(1, math.ceil(_LAST * settings.steps)) :]
    told = {name: sum(part[name] for part in last) / len(last) for name in last[0]}
    fitted = {
        "texts": len(fit.inputs),
        "utility": fit.utility,
        "strength": fit.strength,
        "seed": seed,
        **told,
    }
    done = transform.eval().requires_grad_(requires_grad=False)
    return InputShield(fit.model, done, settings, fit.scale, fitted)


@dataclass(frozen=True)
class _Asked:
    """What a caller said a fit is to keep, and by how much it is to hide."""

    strength: float
    task: Sequence[int] | None
    utility: str | None
    layer: int | None

    @property
    def kind(self) -> str:
        return self.utility or ("logits" if self.task is None else "task")

    def faults(self, texts: int, batch: int) -> list[str]:
        """All that is wrong with it."""
        checks = {
            "a strength is at least 0 and finite.": not 0 <= self.strength < math.inf,
            f"a utility is one of {', '.join(UTILITIES)}.": self.kind not in UTILITIES,
            "labels go with the utility task, and it with labels.": (self.kind == "task")
            != (self.task is not None),
            "a layer goes with the utility hidden, and it with a layer.": (self.kind == "hidden")
            != (self.layer is not None),
            f"{texts} public texts are fewer than a batch of {batch}.": texts < batch,
            f"there are {texts} public texts and {0 if self.task is None else len(self.task)} labels.": (
                self.task is not None and len(self.task) != texts
            ),
        }
        return [said for said, wrong in checks.items() if wrong]


def _prepared(model: Any, texts: Sequence[Any], asked: _Asked, settings: ShieldSettings, seed: int) -> _Fit:
    split = split_model(model)
    if faults := asked.faults(len(texts), settings.batch):
        raise BadShield(
            " ".join(faults), "Give 1,000 texts or more and strength=0.05; see the guide.", faults=faults
        )
    inputs: Sequence[Any]
    if split.tokenizer is None:
        inputs = [one if isinstance(one, Tensor) else torch.as_tensor(one) for one in texts]
        with torch.no_grad():
            table = as_sequence(split.embed(torch.stack(list(inputs[:1024]))).float()).flatten(0, 1)
    else:
        inputs = [split.tokens(one)[: settings.longest] for one in texts]
        table = split.table
    labels = None if asked.task is None else torch.as_tensor(list(asked.task), dtype=torch.long)
    scale = typical_size(table)
    median = max(float(table.norm(dim=1).median()) / scale, 1e-6)
    return _Fit(
        split, inputs, labels, float(asked.strength), asked.kind, asked.layer, settings, seed, scale, median
    )


def _embedded(fit: _Fit, chosen: Sequence[int]) -> tuple[Tensor, Tensor | None, Sequence[int]]:
    """Embeddings as sequences, the mask of what is no padding, and the shape that they had."""
    with torch.no_grad():
        if fit.model.tokenizer is None:
            given = fit.model.embed(torch.stack([fit.inputs[at] for at in chosen])).float()
            return as_sequence(given), None, given.shape
        ids, mask = padded([fit.inputs[at] for at in chosen])
        given = fit.model.embed(ids).float()
        return given, mask, given.shape


def _step(fit: _Fit, transform: GlassTransform, optimizer: torch.optim.Optimizer, step: int) -> None:
    """One step, whose draws follow from the seed and its number."""
    settings, stream = fit.settings, WordStream.seeded(_number(fit.seed, step))
    chosen = draw_below(stream, settings.batch, len(fit.inputs)).tolist()
    given, mask, shape = _embedded(fit, chosen)
    here = torch.ones(given.shape[:2], dtype=torch.bool) if mask is None else mask
    mean, log_variance = transform(given / fit.scale, mask)
    sent = drawn_embeddings(mean, log_variance, stream)
    with torch.no_grad():
        clean = fit.model.rest(as_given(given, shape), mask, fit.layer)
    shielded = fit.model.rest(as_given(fit.scale * sent, shape), mask, fit.layer)
    useful = _usefulness(fit, clean, shielded, here, chosen)
    rows = int(here.sum())
    order = torch.from_numpy(draw_below(stream, rows, rows).copy())
    information = losses.pairwise_information(mean[here], log_variance[here], order)
    loss = useful + fit.strength * min(1.0, step / max(1.0, _RAMP * settings.steps)) * information
    loss = loss + settings.cosine * losses.alignment(given[here], sent[here])
    loss = loss + settings.norm * losses.norm_distance(mean[here], fit.median)
    for group in optimizer.param_groups:
        group["lr"] = settings.rate * _share_of_rate(step, settings.steps)
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(transform.parameters(), _CLIP)
    optimizer.step()
    fit.parts.append({"usefulness": float(useful.detach()), "information": float(information.detach())})


def _usefulness(
    fit: _Fit,
    clean: tuple[Tensor, Tensor | None],
    shielded: tuple[Tensor, Tensor | None],
    here: Tensor,
    chosen: Sequence[int],
) -> Tensor:
    """The loss of what the model is to keep."""
    if fit.utility == "task":
        assert fit.labels is not None
        if shielded[0].dim() != 2:
            raise BadShield(
                "labels are for a classifier, and this model does not give one row of logits for each text.",
                "Leave out task, or give a classifier.",
            )
        return nnf.cross_entropy(shielded[0], fit.labels[list(chosen)])
    if fit.utility == "hidden":
        assert clean[1] is not None
        assert shielded[1] is not None
        return losses.hidden_distance(clean[1][here], shielded[1][here])
    wanted, found = clean[0], shielded[0]
    return (
        losses.distilled(wanted[here], found[here]) if wanted.dim() == 3 else losses.distilled(wanted, found)
    )


def _share_of_rate(step: int, steps: int) -> float:
    """Up in a twentieth of the steps, and down again along a cosine."""
    rise = max(1, steps // 20)
    return min((step + 1) / rise, 0.5 + 0.5 * math.cos(math.pi * step / steps))


def _number(seed: int, step: int) -> int:
    """A number for each seed and step."""
    return int(digest_of("fit of a shield", seed, step)[:16], 16)
