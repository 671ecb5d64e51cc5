"""Embedders that run here: pixels, hashed words, and a sentence encoder from a folder."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSynthesis, FileProblem, MissingExtra, checked_class

_WORD = re.compile(r"\w+")
_MOST_WORDS, _LONGEST = 2_000, 100_000  # words of a text that count, and characters that are looked at


@dataclass(frozen=True)
class Pixels:
    """A picture lies where its brightness says, divided by `scale`."""

    scale: float = 1.0
    remote: str | None = field(default=None, init=False)
    alone: bool = field(default=True, init=False)

    def embed(self, samples: Sequence[Any]) -> NDArray[np.float32]:
        """One row of pixels for each picture; all must have one shape."""
        shapes = {np.shape(one) for one in samples}
        if len(shapes) > 1:
            raise BadSynthesis("the pictures have different shapes.", "Bring them to one shape first.")
        rows = np.asarray(samples, dtype=np.float32).reshape(len(samples), -1)
        return rows / np.float32(self.scale)

    def described(self) -> dict[str, str]:
        """Its kind."""
        return {"kind": "pixels", "scale": f"{self.scale:g}"}


@dataclass(frozen=True)
class HashedWords:
    """A text lies where its words and pairs of words are hashed to: no model, and a rough idea of what it is about.

    The feature hashing of Weinberger et al. (2009) with signs, damped counts and length one.
    """

    dimensions: int = 256
    pairs: bool = True
    remote: str | None = field(default=None, init=False)
    alone: bool = field(default=True, init=False)

    def embed(self, samples: Sequence[Any]) -> NDArray[np.float32]:
        """One row for each text."""
        found = np.zeros((len(samples), self.dimensions), dtype=np.float32)
        for row, text in zip(found, samples, strict=True):
            # A huge text takes no longer than one of so many words.
            some = itertools.islice(_WORD.finditer(str(text)[:_LONGEST].casefold()), _MOST_WORDS)
            words = [found.group() for found in some]
            terms = words + ([f"{a} {b}" for a, b in itertools.pairwise(words)] if self.pairs else [])
            for term in terms:
                place, sign = _hashed(term, self.dimensions)
                row[place] += sign
        damped = np.sign(found) * np.sqrt(np.abs(found))
        lengths = np.linalg.norm(damped, axis=1, keepdims=True)
        return np.asarray(damped / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    def described(self) -> dict[str, str]:
        """Its kind and size, and whether pairs of words count."""
        return {
            "kind": "hashed words",
            "dimensions": str(self.dimensions),
            "pairs": "yes" if self.pairs else "no",
        }


@lru_cache(maxsize=65_536)
def _hashed(term: str, dimensions: int) -> tuple[int, float]:
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return number % dimensions, 1.0 if number >> 63 else -1.0


@checked_class
class SentenceEncoder:
    """A transformer's mean of token states, as sentence encoders such as MiniLM have it; length one.

    Args:
        folder: where the model lies, in Hugging Face's layout (config, tokenizer, safetensors). Nothing is downloaded.
        tokens: the most tokens of a text that count.
        batch: texts embedded at a time; a text's row does not depend on its batch beyond float order.
    """

    remote: str | None = None
    alone: bool = False  # padding and products of a batch show in the last bits

    def __init__(self, folder: str | Path, *, tokens: int = 128, batch: int = 64) -> None:
        self.folder, self.tokens, self.batch = Path(folder), tokens, batch
        if not (self.folder / "config.json").is_file():
            raise FileProblem(
                f"{self.folder.name} holds no model.", "Name the folder that has config.json in it."
            )
        self._loaded: tuple[Any, Any] | None = None

    def embed(self, samples: Sequence[Any]) -> NDArray[np.float32]:
        """One row for each text."""
        torch = _torch()
        tokenizer, model = self._model()
        rows: list[NDArray[np.float32]] = []
        for start in range(0, len(samples), self.batch):
            texts = [str(text)[: 16 * self.tokens] for text in samples[start : start + self.batch]]
            given = tokenizer(
                texts, padding=True, truncation=True, max_length=self.tokens, return_tensors="pt"
            )
            with torch.inference_mode():
                states = model(**given).last_hidden_state.float()
            mask = given["attention_mask"].unsqueeze(-1).float()
            means = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
            rows.append(torch.nn.functional.normalize(means, dim=1).numpy().astype(np.float32))
        return np.concatenate(rows) if rows else np.zeros((0, 1), dtype=np.float32)

    def described(self) -> dict[str, str]:
        """The model's folder by name, and how much of a text it reads."""
        return {"kind": "sentence encoder", "model": self.folder.name, "tokens": str(self.tokens)}

    def _model(self) -> tuple[Any, Any]:
        if self._loaded is None:
            torch = _torch()
            try:
                library = import_module("transformers")
            except ImportError:
                raise MissingExtra(
                    "a sentence encoder needs transformers.", "pip install 'privet[language]'."
                ) from None
            tokenizer = library.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
            model = library.AutoModel.from_pretrained(
                self.folder, local_files_only=True, dtype=torch.float32, use_safetensors=True
            )
            self._loaded = tokenizer, model.eval()
        return self._loaded


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise MissingExtra("this needs torch.", "pip install 'privet[language]'.") from None
