"""Small training runs on public text, from which a scaling law is fitted: every size with every noise level.

Gradients are clipped and noised as in a private run, but the noise is that of a stated noise-batch ratio and hides nobody:
texts must be public. Each run is one file in a folder, so a sweep that stops goes on with the runs that are missing.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Publishable, is_there, load_record, own_folder, written_whole
from privet.errors import BadTraining, FileProblem, MissingExtra, checked, checked_class
from privet.evidence import digest, given_text
from privet.mechanism import fresh_generator
from privet.protect.train.language._loss_table import LossRun, LossTable

VOCABULARY = 256  # bytes
_HELD_OUT = 20  # one sequence of so many is kept apart to take losses on
_MOST_HELD_OUT = 256
_BOUND = 1.0


@checked_class
@dataclass(frozen=True, slots=True)
class ScalingSweep:
    """What is run: all combinations of shapes, ratios and rates.

    Args:
        shapes: layers and width of each model; the width is a multiple of 16.
        noise_ratios: noise-batch ratios; 0 is always among them.
        rates: learning rates of Adam, the best of which counts.
        steps: how long each run is.
        every: after how many steps a loss is taken.
        batch: sequences of a step.
        sequence: tokens of a sequence; a token is a byte.
    """

    shapes: tuple[tuple[int, int], ...] = ((1, 16), (2, 32), (2, 64))
    noise_ratios: tuple[float, ...] = (0.0, 2.0**-10, 2.0**-8, 2.0**-6, 2.0**-4)
    rates: tuple[float, ...] = (0.002, 0.008)
    steps: int = 400
    every: int = 25
    batch: int = 16
    sequence: int = 64

    def __post_init__(self) -> None:
        faults = []
        if len(self.shapes) < 2 or any(
            layers < 1 or width < 16 or width % 16 for layers, width in self.shapes
        ):
            faults.append("there are two shapes at least, of one layer or more and widths that 16 divides.")
        if 0 not in self.noise_ratios or len(set(self.noise_ratios)) < 3 or min(self.noise_ratios) < 0:
            faults.append("there are three noise-batch ratios at least, 0 among them.")
        if not self.rates or min(self.rates) <= 0:
            faults.append("rates are positive.")
        if self.every < 1 or self.steps // self.every < 4 or self.batch < 1 or self.sequence < 2:
            faults.append("losses are taken four times at least; a sequence has two tokens or more.")
        if faults:
            raise BadTraining(" ".join(faults), "Correct the sweep.")

    @property
    def logged(self) -> tuple[int, ...]:
        """The steps after which losses are taken."""
        return tuple(range(self.every, self.steps + 1, self.every))


@checked
def measure_losses(
    texts: Iterable[str],
    design: ScalingSweep,
    folder: str | Path,
    *,
    measured_on: str,
    workers: int = 1,
    say: Callable[[str], None] | None = None,
) -> LossTable:
    """Train every model of a sweep and gather the losses.

    Args:
        texts: public texts. Nothing is booked, and losses are written down as they are.
        design: what is run.
        folder: where each run's losses are kept; runs that are there already are not repeated.
        measured_on: what the texts are, in words, for whoever uses the table.
        workers: processes, each with one thread.
        say: told which runs have ended.

    Assumes: that the texts are public. No promise covers them.
    """
    from joblib import Parallel, delayed

    sequences = _sequences(texts, design)
    place = Path(folder)
    own_folder(place, parents=True)
    # A folder of another text or design does not answer for this one.
    mark = digest({"design": asdict(design), "text": hashlib.sha256(sequences.tobytes()).hexdigest()})
    asked = list(itertools.product(design.shapes, design.noise_ratios, design.rates))
    known = {one: found for one in asked if (found := _kept(_file(place, one, mark))) is not None}
    missing = [one for one in asked if one not in known]
    runs = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(_one)(sequences, design, one, _file(place, one, mark)) for one in missing
    )
    for at, (one, run) in enumerate(runs, len(known) + 1):
        known[one] = run
        if say is not None:
            say(f"{at} of {len(asked)} runs")
    return LossTable(
        tuple(known[one] for one in asked), design.sequence, design.batch, VOCABULARY,
        "Llama-style transformers with tied embeddings over bytes",
        measured_on,
        f"It was measured with models of {min(run.size for run in known.values()):,} to "
        f"{max(run.size for run in known.values()):,} weights and {design.steps:,} steps: other text, other tokens and much larger "
        "models follow a law of their own. Run privet lm sweep on text like yours.",
        f"Adam at the best of {len(design.rates)} rates, clipping bound {_BOUND:g}",
    )  # fmt: skip


Asked = tuple[tuple[int, int], float, float]


def _one(
    sequences: NDArray[np.int64], design: ScalingSweep, asked: Asked, file: Path
) -> tuple[Asked, LossRun]:
    """One run, written down."""
    run = _trained(sequences, design, *asked)
    written_whole(file, Publishable(json.dumps(asdict(run)) + "\n", "made from public rows"))
    return asked, run


def _trained(
    sequences: NDArray[np.int64], design: ScalingSweep, shape: tuple[int, int], ratio: float, rate: float
) -> LossRun:
    """Clipped and noised steps, and the loss on sequences that were kept apart."""
    import torch

    from privet.protect.train.gradients import Batch, Objective
    from privet.protect.train.gradients.clipping import Bookkeeping, ClippingRule

    apart = sequences[::_HELD_OUT][:_MOST_HELD_OUT]
    trained_on = np.delete(sequences, np.arange(0, len(sequences), _HELD_OUT), axis=0)
    chance = fresh_generator()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng():
            torch.manual_seed(int(chance.integers(2**62)))
            model = small_model(*shape, design.sequence)
        weights = dict(model.named_parameters())
        engine, rule = Bookkeeping(model, weights, Objective.of("language")), ClippingRule(_BOUND)
        optimizer = torch.optim.Adam(weights.values(), rate)
        losses = []
        for step in range(1, design.steps + 1):
            rows = torch.from_numpy(trained_on[chance.integers(0, len(trained_on), design.batch)])
            found = engine.clipped_sum(Batch(rows, rows, design.batch), rule)
            for name, weight in weights.items():
                noise = chance.normal(0, ratio * _BOUND, tuple(weight.shape)).astype(np.float32)
                weight.grad = found.sums[name] / design.batch + torch.from_numpy(noise)
            optimizer.step()
            if step % design.every == 0:
                losses.append(_loss(model, apart))
    finally:
        torch.set_num_threads(before)
    size = sum(weight.numel() for weight in weights.values())
    return LossRun(size, ratio, rate, design.logged, tuple(losses))


def small_model(layers: int, width: int, sequence: int) -> Any:
    """A small Llama-style model over bytes, with fresh weights and tied embeddings."""
    try:
        from transformers import LlamaConfig, LlamaForCausalLM
    except ImportError:
        raise MissingExtra(
            "training language models needs torch and transformers.", "pip install 'privet[language]'."
        ) from None
    heads = max(1, width // 32)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=heads, max_position_embeddings=sequence, tie_word_embeddings=True,
        use_cache=False, pad_token_id=None, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    make: Any = LlamaForCausalLM
    return make(config)


def _loss(model: Any, apart: NDArray[np.int64]) -> float:
    import torch

    from privet.protect.train.gradients import Batch, Objective

    rows = torch.from_numpy(apart)
    with torch.no_grad():
        return float(Objective.of("language").losses(model, Batch(rows, rows, len(rows))).mean())


def _sequences(texts: Iterable[str], design: ScalingSweep) -> NDArray[np.int64]:
    """All texts as bytes, one after the other, cut into sequences."""
    joined = np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)
    count = len(joined) // design.sequence
    if count < 2 * _HELD_OUT:
        raise BadTraining(
            f"there is too little text: {count} sequences of {design.sequence} bytes.",
            f"Give at least {2 * _HELD_OUT}, and better many thousands.",
        )
    return joined[: count * design.sequence].reshape(count, design.sequence).astype(np.int64)


def _file(place: Path, asked: Asked, mark: str) -> Path:
    (layers, width), ratio, rate = asked
    return place / f"{mark[:16]}-{layers}x{width}-{ratio:.6g}-{rate:.6g}.json"


def _kept(file: Path) -> LossRun | None:
    """A run that was written down before."""
    return LossRun.from_json(load_record(file, "a run of a sweep")) if is_there(file) else None


def public_texts(paths: Sequence[str | Path]) -> list[str]:
    """The texts in files that somebody named as public, each whole."""
    found = []
    for path in paths:
        try:
            found.append(given_text(path))
        except (OSError, UnicodeDecodeError):
            raise FileProblem(
                f"{Path(path).name} cannot be read as text.", "Give text files in UTF-8."
            ) from None
    return found
