"""Hospital notes for somebody else's model: the ward is predicted from what is sent, and attacks say what of the note is read."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import nn

import privet as pv

torch.set_num_threads(1)
WARDS = {
    "surgery": ["fracture", "wound", "stitched", "theatre", "plaster", "scar", "operated", "drain"],
    "medicine": ["fever", "cough", "pneumonia", "tablets", "infusion", "lungs", "pressure", "sugar"],
    "psychiatry": ["mood", "sleep", "anxious", "voices", "calm", "talks", "tired", "worried"],
}
NAMES = ["Okafor", "Lindqvist", "Moreau", "Tanaka", "Alvarez", "Haddad", "Novak", "Silva"]
ATTACKS = [
    "shield-nearest-euclidean",
    "shield-inverter-mlp",
    "shield-inverter-transformer",
]  # by default: all
COMMON = [
    "patient",
    "was",
    "seen",
    "today",
    "by",
    "and",
    "has",
    "the",
    "with",
    "no",
    "more",
    "since",
    "morning",
    "stable",
]


def notes(count: int, seed: int) -> tuple[list[str], list[int]]:
    """Made-up notes: a name, five words of the ward and five common ones, in any order."""
    draw = torch.Generator().manual_seed(seed)

    def picked(words: list[str], size: int) -> list[str]:
        return [words[at] for at in torch.randint(len(words), (size,), generator=draw).tolist()]

    wards = torch.randint(3, (count,), generator=draw).tolist()
    texts = []
    for ward in wards:
        found = [*picked(list(WARDS.values())[ward], 5), *picked(COMMON, 5)]
        order = torch.randperm(10, generator=draw).tolist()
        texts.append(" ".join([*picked(NAMES, 1), *(found[at] for at in order)]))
    return texts, wards


class Words:
    """A tokenizer whose tokens are words."""

    known = ("?", *COMMON, *NAMES, *(word for words in WARDS.values() for word in words))

    def encode(self, text: str) -> list[int]:
        """Their numbers."""
        return [self.known.index(word) if word in self.known else 0 for word in text.split()]

    def decode(self, tokens: list[int]) -> str:
        """The words of numbers."""
        return " ".join(self.known[at] for at in tokens)


class Wards(nn.Module):
    """The part that somebody else runs: from embeddings to the ward."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.out = nn.Linear(16, 32), nn.Linear(32, 3)

    def forward(self, given: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits of each ward."""
        weights = mask.float()[..., None]
        return self.out((torch.relu(self.inner(given)) * weights).sum(1) / weights.sum(1))


public, wards = notes(600, seed=1)
torch.manual_seed(0)
embed, rest, words = nn.Embedding(len(Words.known), 16), Wards(), Words()
optimizer = torch.optim.Adam([*embed.parameters(), *rest.parameters()], lr=0.01)
rows, labels = torch.tensor([words.encode(one) for one in public]), torch.tensor(wards)
for _ in range(60):
    optimizer.zero_grad()
    nn.functional.cross_entropy(rest(embed(rows), torch.ones(rows.shape)), labels).backward()
    optimizer.step()

model = (embed, rest, words)
settings = pv.ShieldSettings(steps=200)
shield = pv.fit_shield(model, public, task=wards, strength=0.1, settings=settings)
private, truth = notes(100, seed=2)
for one in (pv.plain_shield(model), pv.isotropic_shield(model, 1.5), shield):
    right = np.mean([found.argmax() == ward for found, ward in zip(one.answers(private), truth, strict=True)])
    asked = {"auxiliary": public, "names": NAMES, "limit": 0.3, "steps": 60, "pairs": (), "sends": 2}
    report = pv.attack(one, corpus=private, attacks=ATTACKS, **asked)
    top = report.headline
    print(f"{one.name}: ward told for {right:.0%} of notes; {report.label.value}")
    print(f"  {top.attack} reads {top.success.value:.0%} of words; guessing reaches {top.baseline:.0%}")
    print(f"  names: {max(found.details['kinds']['names']['value'] for found in report.readers):.0%}")
print(shield.information(private[:50]).sentence(prior=0.1))
with TemporaryDirectory() as room:
    again = pv.load_shield(shield.save(Path(room) / "ward.shield"), model)
    print(f"sent for a note: {tuple(again.embed(private[0]).shape)}, {again.send(private[0]).stamp()}")
    pv.save_shield_page(report, Path(room) / "shield.html")
