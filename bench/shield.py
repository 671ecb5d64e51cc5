"""Shields against trained readers: a classifier of eight topics behind a learned shield, equal noise and metric privacy.

    python -m bench.shield [--strengths 0.02 0.05] [--steps 1500] [--reader 600] [--settings topics noise fooled]

Texts are 24 words of the standard library's own documentation, of eight kinds of modules; words beyond the 1,000 most common
are one token that is not scored. The classifier is trained in the usual way. In one run are printed: the share of held-out
texts it tells rightly from what is sent, beside what the nearest token, BeamClean and two trained readers get of the words.
`noise` measures BeamClean on equal noise of deviation 1.5; `fooled` fits for usefulness and cosine alone.
"""

from __future__ import annotations

import argparse
import importlib
import pydoc
import re
import time
from collections import Counter
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as nnf

import privet as pv

WINDOW, VOCABULARY, WIDTH = 24, 1_000, 64
TOPICS = {
    "texts": "string re difflib textwrap unicodedata stringprep codecs locale gettext",
    "files": "os os.path shutil pathlib tempfile glob fnmatch zipfile tarfile fileinput",
    "network": "socket ssl http.client http.server urllib.request urllib.parse ftplib smtplib imaplib socketserver",
    "numbers": "math cmath decimal fractions statistics numbers random",
    "time": "datetime calendar time zoneinfo sched",
    "threads": "threading multiprocessing asyncio subprocess queue concurrent.futures selectors signal",
    "markup": "html.parser xml.dom.minidom xml.sax xml.etree.ElementTree email.message mailbox json csv configparser",
    "code": "ast dis inspect tokenize importlib traceback pdb unittest doctest trace",
}
READERS = [
    "shield-nearest-euclidean",
    "shield-beam-clean",
    "shield-inverter-mlp",
    "shield-inverter-transformer",
]
Labelled = list[tuple[str, int]]


class Words:
    """A token is a word; the first stands for all that are not known."""

    all_special_ids = (0,)

    def __init__(self, words: list[str]) -> None:
        self.words, self.ids = words, {word: at for at, word in enumerate(words)}

    def encode(self, text: str) -> list[int]:
        """Their numbers."""
        return [self.ids.get(word, 0) for word in text.split()]

    def decode(self, tokens: list[int]) -> str:
        """The words of numbers."""
        return " ".join(self.words[at] for at in tokens)


class Rest(nn.Module):
    """One layer of a transformer, and the topic of the mean of its places."""

    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.zeros(1, WINDOW, WIDTH))
        layer = nn.TransformerEncoderLayer(
            WIDTH, 4, 2 * WIDTH, dropout=0.3, batch_first=True, norm_first=True
        )
        self.around = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.out = nn.Linear(WIDTH, len(TOPICS))

    def forward(self, given: Tensor, mask: Tensor) -> Tensor:
        """Logits of each topic."""
        seen = self.around(given + self.places[:, : given.shape[1]], src_key_padding_mask=~mask.bool())
        weights = mask[..., None].float()
        return self.out((seen * weights).sum(1) / weights.sum(1))


def texts(most: int = 700) -> tuple[Labelled, Labelled, Words]:
    """Windows of each topic to learn from, others held out (the last fifth of every module), and the vocabulary."""
    draw = np.random.default_rng(0)
    first: list[Labelled] = [[] for _ in TOPICS]
    last: list[Labelled] = [[] for _ in TOPICS]
    for label, names in enumerate(TOPICS.values()):
        for name in names.split():
            page = pydoc.render_doc(importlib.import_module(name), renderer=pydoc.plaintext).lower()
            words = re.findall(r"[a-z]+|\d+", page)
            windows = [" ".join(words[at : at + WINDOW]) for at in range(0, len(words) - WINDOW + 1, WINDOW)]
            cut = int(0.8 * len(windows))
            first[label] += [(one, label) for one in windows[:cut]]
            last[label] += [(one, label) for one in windows[cut:]]

    def mixed(sides: list[Labelled], each: int) -> Labelled:
        own = [list(dict.fromkeys(side)) for side in sides]
        chosen = [side[at] for side in own for at in draw.permutation(len(side))[:each]]
        return [chosen[at] for at in draw.permutation(len(chosen))]

    learned, held = mixed(first, most), mixed(last, most // 4)
    counts = Counter(word for text, _ in learned for word in text.split())
    return learned, held, Words(["?", *(word for word, _ in counts.most_common(VOCABULARY - 1))])


def classifier(learned: Labelled, words: Words, steps: int = 500) -> tuple[nn.Embedding, Rest, Words]:
    """Trained in the usual way."""
    torch.manual_seed(0)
    embed, rest = nn.Embedding(VOCABULARY, WIDTH), Rest()
    rows = torch.tensor([words.encode(text) for text, _ in learned])
    labels = torch.tensor([label for _, label in learned])
    optimizer = torch.optim.AdamW([*embed.parameters(), *rest.parameters()], lr=2e-3, weight_decay=0.05)
    for step in range(steps):
        chosen = torch.randint(len(rows), (64,))
        optimizer.param_groups[0]["lr"] = 2e-3 * (1 - step / steps)
        given = nnf.dropout(embed(rows[chosen]), 0.2)
        optimizer.zero_grad()
        nnf.cross_entropy(rest(given, torch.ones(given.shape[:2])), labels[chosen]).backward()
        optimizer.step()
    return embed.eval(), rest.eval(), words


def told(shield: Any, held: Labelled) -> float:
    """The share of held-out texts whose topic is told from what is sent; the mean of three sends."""
    shares = []
    for _ in range(3):
        answers = shield.answers([text for text, _ in held])
        shares.append(np.mean([one.argmax() == label for one, (_, label) in zip(answers, held, strict=True)]))
    return float(np.mean(shares))


def measured(name: str, shield: Any, texts: tuple[Labelled, Labelled], steps: int, clean: float) -> None:
    """One row: what is told of topics, and what is read of words."""
    started, (learned, held) = time.process_time(), texts
    share = told(shield, held)
    report = pv.attack(
        shield,
        corpus=[text for text, _ in held],
        auxiliary=[text for text, _ in learned],
        attacks=READERS,
        steps=steps,
        pairs=(),
        limit=0.16,
        rare=20,
    )
    rare = max(
        (one.details["kinds"]["rare"]["value"] for one in report.readers if "rare" in one.details["kinds"]),
        default=0.0,
    )
    count = report.headline.details["counts"]["rare"]
    cells = [f"{one.attack.removeprefix('shield-')} {one.success.value:.3f}" for one in report.readers]
    print(
        f"{name:28} topics {share:.3f} ({share / clean:.1%} of clean)  {'  '.join(cells)}  rare {rare:.3f} of {count}  "
        f"guessing {report.headline.baseline:.3f}  {report.label.value}  {time.process_time() - started:.0f} s",
        flush=True,
    )
    for one in report.readers:
        if "variance" in one.details:
            print(f"{'':28} BeamClean's variance {one.details['variance']:.4f}", flush=True)


def main() -> None:
    """Print one row for each shield."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strengths", type=float, nargs="*", default=[0.02, 0.05])
    parser.add_argument("--steps", type=int, default=1_500)
    parser.add_argument("--reader", type=int, default=600)
    parser.add_argument("--settings", nargs="*", default=["topics", "noise", "fooled"])
    asked = parser.parse_args()
    torch.set_num_threads(1)
    learned, held, words = texts()
    both = learned, held
    model: Any = classifier(learned, words)
    clean = told(pv.plain_shield(model), held)
    print(f"{len(learned)} texts, {len(held)} held out; clean {clean:.3f}", flush=True)
    fit = [text for text, _ in learned]
    settings = pv.ShieldSettings(steps=asked.steps, batch=48)
    if "noise" in asked.settings:
        measured("equal noise 1.5", pv.isotropic_shield(model, 1.5), both, asked.reader, clean)
    if "topics" in asked.settings:
        for strength in asked.strengths:
            shield = pv.fit_shield(model, fit, strength=strength, settings=settings)
            measured(f"learned, strength {strength:g}", shield, both, asked.reader, clean)
        measured("metric, epsilon 10", pv.metric_shield(model, 10), both, asked.reader, clean)
    if "fooled" in asked.settings:
        aside = pv.ShieldSettings(steps=asked.steps, batch=48, cosine=1.0, most_log_variance=-4.0)
        shield = pv.fit_shield(model, fit, strength=0.0, settings=aside)
        measured("usefulness and cosine alone", shield, both, asked.reader, clean)


if __name__ == "__main__":
    main()
