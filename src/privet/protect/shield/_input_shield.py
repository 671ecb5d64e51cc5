"""A fitted shield: what it sends, how it is kept, and what can be said about it without attacking it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from privet.artifact import SHIELD, read_model, write_model
from privet.errors import BadModel, BadShield, ForeignShield, checked
from privet.evidence import Standing
from privet.mechanism import WordStream, embedding_noise
from privet.protect.shield._glass_transform import GlassTransform
from privet.protect.shield._mutual_information import InformationBound, information_bound
from privet.protect.shield._shield_card import shield_card
from privet.protect.shield._shield_settings import ShieldSettings
from privet.protect.shield._split_model import SplitModel, as_given, as_sequence, split_model
from privet.protect.shield._text_release import TextRelease

SCHEMA = 1


@dataclass(frozen=True)
class InputShield(TextRelease):
    """A learned transform of embeddings with noise, for one model.

    `fitted` says how it was fitted: strength, utility, number of texts, the losses of the last steps. None of it is a
    promise: `pv.attack(shield, corpus=…)` says how much a trained reader gets back.

    Guarantee:
        None of differential privacy, and no epsilon may be stated. What was measured holds against the attacks that are named, on
        texts like those they were tried on.
    Assumes:
        Noise is drawn on the machine that holds the text. Length, timing and the model's answers stay visible.
    """

    model: SplitModel = field(repr=False)
    transform: GlassTransform = field(repr=False)
    settings: ShieldSettings
    scale: float
    fitted: Mapping[str, Any]
    name: str = "learned shield"
    standing: Standing | None = field(default=None, compare=False, repr=False)

    def drawn(self, given: Tensor, mask: Tensor, stream: WordStream) -> NDArray[np.float64]:
        """The mean of each place and noise of its own size, added in 64 bits."""
        mean, log_variance = self.transform(given / self.scale, mask)
        noise = embedding_noise(stream, tuple(mean.shape))
        spread = np.exp(log_variance.double().numpy() / 2)
        return np.asarray(self.scale * (mean.double().numpy() + spread * noise))

    def embed_rows(self, inputs: Tensor) -> Tensor:
        """What is sent for inputs that are no texts: images, or rows of a table, through the model's first part."""
        with torch.no_grad():
            given = self.model.embed(inputs).float()
            rows = as_sequence(given)
            sent = self.drawn(rows, torch.ones(rows.shape[:2]), WordStream.fresh())
        return as_given(torch.from_numpy(sent.astype(np.float32)), given.shape)

    def information(self, texts: Sequence[str]) -> InformationBound:
        """An estimate of how much what is sent can tell of a text, in nats, and the success that it would allow."""
        return information_bound(self.moments([self.tokens(one) for one in texts]))

    def moments(self, sequences: Sequence[Sequence[int]]) -> list[tuple[Tensor, Tensor]]:
        """Mean and log-variance of what is sent for each sequence, in units of the typical size of an entry."""
        found = []
        with torch.no_grad():
            for one in sequences:
                given = self.model.embed(torch.tensor([list(one)])).float() / self.scale
                mean, log_variance = self.transform(given)
                found.append((mean[0], log_variance[0]))
        return found

    def attached(self, model: Any) -> InputShield:
        """This shield, refused for any other model than the one that it was fitted for."""
        if split_model(model).fingerprint != self.model.fingerprint:
            raise ForeignShield(
                "this shield was fitted for another model.", "Give the model it was fitted for."
            )
        return self

    # --- in a folder ---------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """What is kept beside the weights."""
        return {
            "schema": SCHEMA,
            "artifact": SHIELD,
            "settings": self.settings.to_json(),
            "scale": self.scale,
            "width": int(self.transform.kept.shape[0]),
            "model": self.model.fingerprint,
            "fitted": dict(self.fitted),
        }

    def card(self) -> str:
        """What it is, for people who decide about its use."""
        return shield_card(self.record())

    @checked
    def save(self, folder: str | Path) -> Path:
        """Write weights as safetensors, the record and a card, whole or not at all."""
        weights = save({name: one.contiguous() for name, one in self.transform.state_dict().items()})
        return write_model(folder, weights, self.record(), self.card())


@checked
def load_shield(folder: str | Path, model: Any) -> InputShield:
    """A saved shield for the model that it was fitted for; refuses a folder that was changed, and any other model."""
    record, weights, standing = read_model(folder, SHIELD)
    split = split_model(model)
    try:
        settings = ShieldSettings(**record["settings"])
        scale, width, fitted = float(record["scale"]), int(record["width"]), dict(record["fitted"])
        whose = str(record["model"])
    except (KeyError, TypeError, ValueError, BadShield):
        raise BadModel(
            "the record of this shield lacks a field.", "Was it written by a newer version?"
        ) from None
    if not (0 < scale < float("inf") and 1 <= width <= 2**16 and settings.layers <= 64):
        raise BadModel("the record of this shield does not make sense.", "Use the folder as it was saved.")
    if whose != split.fingerprint:
        raise ForeignShield("this shield was fitted for another model.", "Give the model it was fitted for.")
    transform = GlassTransform(width, settings)
    try:
        transform.load_state_dict(load(weights))
    except (SafetensorError, RuntimeError):
        raise BadModel(
            "the weights in this folder are not those of its record.", "Use it as it was saved."
        ) from None
    return InputShield(
        split,
        transform.eval().requires_grad_(requires_grad=False),
        settings,
        scale,
        fitted,
        standing=standing,
    )


def digest_of(*parts: object) -> str:
    """Of what a fit depends on."""
    content = hashlib.sha256()
    for part in parts:
        content.update(part if isinstance(part, bytes) else repr(part).encode())
        content.update(b"\x1f")
    return content.hexdigest()
