"""Losses of small training runs, by model size, steps and noise-batch ratio: what a scaling law is fitted to.

The noise-batch ratio is the standard deviation of the noise on the mean clipped gradient, in clipping bounds: the noise
multiplier over the batch. Loss depends on it, on the size and on the steps, and hardly on the batch or epsilon by
themselves, because the noise of privacy is far above that of sampling (McKenna et al. 2025, arXiv 2501.18914).
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from privet.artifact import Publishable, load_record, written_whole
from privet.errors import BadTraining, BadUsage, UnknownRecord, checked_class

KIND = "loss table"


@checked_class
@dataclass(frozen=True, slots=True)
class LossRun:
    """One run: the loss on text that was not trained on, at some of its steps."""

    size: int
    ratio: float
    rate: float
    steps: tuple[int, ...]
    losses: tuple[float, ...]

    @classmethod
    def from_json(cls, record: Any) -> LossRun:
        """The run in a record; what is no run is refused."""
        try:
            steps = tuple(_whole(step) for step in record["steps"])
            losses = tuple(_number(loss) for loss in record["losses"])
            where = _number(record["ratio"]), _number(record["rate"])
            return cls(_whole(record["size"]), *where, steps, losses)
        except (KeyError, TypeError, ValueError):
            raise UnknownRecord("this is no run of a sweep.") from None


@checked_class
@dataclass(frozen=True)
class LossTable:
    """The runs of a sweep.

    Args:
        runs: every size with every noise-batch ratio (0 among them) and the same learning rates, logged at the same steps.
        sequence: tokens of one example.
        batch: examples of a step while it was measured.
        vocabulary: how many tokens there are.
        model: what kind of model it was, in words.
        measured_on: which text, in words.
        not_for: where the table must not be trusted, in words.
        optimizer: how weights moved, in words.
    """

    runs: tuple[LossRun, ...]
    sequence: int
    batch: int
    vocabulary: int
    model: str
    measured_on: str
    not_for: str
    optimizer: str

    def __post_init__(self) -> None:
        faults = _faults(self)
        if faults:
            raise BadTraining(
                "the loss table is not whole: " + " ".join(faults),
                "Measure the table again with privet lm sweep.",
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that were trained, ascending."""
        return tuple(sorted({run.size for run in self.runs}))

    @property
    def noise_ratios(self) -> tuple[float, ...]:
        """The noise-batch ratios, from 0 upwards."""
        return tuple(sorted({run.ratio for run in self.runs}))

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates, ascending."""
        return tuple(sorted({run.rate for run in self.runs}))

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps at which losses were taken."""
        return self.runs[0].steps

    def without(self, *, size: int | None = None, ratio: float | None = None) -> LossTable:
        """The same table without the runs of a size or of a ratio."""
        kept = tuple(run for run in self.runs if run.size != size and run.ratio != ratio)
        return LossTable(kept, *(getattr(self, name) for name in list(self.__dataclass_fields__)[1:]))

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {"artifact": KIND, "version": 1, **asdict(self)}

    @classmethod
    def from_json(cls, record: Any) -> LossTable:
        """The table in a record; what is no such table is refused."""
        try:
            _known(record)
            model, measured_on, not_for, optimizer = (
                _text(record[name]) for name in ("model", "measured_on", "not_for", "optimizer")
            )
            runs = tuple(LossRun.from_json(one) for one in record["runs"])
            sequence, batch, vocabulary = (
                _whole(record[name]) for name in ("sequence", "batch", "vocabulary")
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise UnknownRecord(
                "this is no loss table of this version; privet lm sweep writes one."
            ) from None
        return cls(runs, sequence, batch, vocabulary, model, measured_on, not_for, optimizer)

    def save(self, path: str | Path) -> Path:
        """Write the table as JSON."""
        target = Path(path)
        if target.suffix != ".json":
            raise BadUsage("a loss table is saved as .json.", "Name a file that ends in .json.")
        text = json.dumps(self.to_json(), indent=1) + "\n"
        return written_whole(target, Publishable(text, "made from public rows"))

    @classmethod
    def load(cls, path: str | Path) -> LossTable:
        """Read a table that `save` wrote."""
        return cls.from_json(load_record(path, "a loss table"))


@lru_cache(maxsize=1)
def measured_by_us() -> LossTable:
    """The table that comes with Privet: small models on public text; `not_for` says where not to trust it."""
    text = resources.files("privet.protect.train.language").joinpath("loss_table.json").read_text("utf-8")
    return LossTable.from_json(json.loads(text))


def _known(record: Any) -> None:
    if record.get("artifact") != KIND or record.get("version") != 1:
        raise TypeError


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 < value < 10**18:
        raise TypeError
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise TypeError
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _faults(table: LossTable) -> list[str]:
    """What keeps a table from being a grid."""
    if not table.runs:
        return ["a loss table has at least one run."]
    faults = []
    met = {(run.size, run.ratio, run.rate) for run in table.runs}
    if len(met) < len(table.runs):
        faults.append("a run stands in it twice.")
    if len(met) < len(table.sizes) * len(table.noise_ratios) * len(table.rates):
        faults.append("not every size was run with every noise-batch ratio and learning rate.")
    if 0 not in table.noise_ratios:
        faults.append("there are no runs without noise, from which the floor of each size is read.")
    if len(table.sizes) < 2 or len(table.noise_ratios) < 3 or len(table.steps) < 4:
        faults.append("it takes two sizes, three noise-batch ratios and four logged steps at least.")
    if any(run.steps != table.steps or len(run.losses) != len(run.steps) for run in table.runs):
        faults.append("runs were logged at different steps.")
    if list(table.steps) != sorted(set(table.steps)):
        faults.append("steps do not ascend.")
    if any(loss <= 0 for run in table.runs for loss in run.losses):
        faults.append("a loss is not positive.")
    return faults
