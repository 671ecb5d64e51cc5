"""All that is fixed of a language model before a text is read: network, tokenizer, what a unit's text becomes, and the plan.

A design reads no private text and spends nothing, so that what would be refused is refused, and what would be booked is known,
before a ledger is opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from privet.artifact import UnitTerms
from privet.errors import BadTraining, checked_class
from privet.guarantee import Person, Promise, Row, Unit
from privet.protect.train.language._network_shape import (
    NetworkShape,
    adapted,
    fresh_network,
    is_shape_name,
    public_network,
)
from privet.protect.train.language._text_tokenizer import (
    BYTES,
    TextTokenizer,
    byte_tokenizer,
    given_tokenizer,
)

if TYPE_CHECKING:
    from privet.protect.train.gradients import Clipping, Optimizer, TrainingPlan

Given = Literal["sequence", "document"]
SEQUENCE, DOCUMENT = "sequence", "document"
GIVEN = (SEQUENCE, DOCUMENT)
_MOST = 4  # sequences of a unit in a step, where nobody says how many
# Rates of Adam by convention: for fresh weights of width 64, for all weights of a public network, and for adapters.
_FRESH, _ALL, _ADAPTERS = 4e-3, 5e-4, 2e-3


@checked_class
@dataclass(frozen=True, slots=True)
class LanguageRecipe:
    """Which network is trained on what of a text, and for how long. Nothing of it may follow from the texts.

    Args:
        model: a shape with fresh weights ("llama-small", "gemma-4x128", a `NetworkShape`), or the folder of a public causal network.
        tokenizer: "bytes", or the folder of a public tokenizer [default: that of the model's folder, or bytes].
        lora: the rank of adapters, which are then all that is trained of a public network.
        sequence: tokens of a sequence.
        sequences: how many sequences of a unit count in a step; longer units give the next ones in turn [default: 4, or 1
            where a sequence or a row is the unit].
        steps: how many steps to take; the noise follows.
        noise_multiplier: instead of steps, the noise in clipping bounds: as many steps as the promise allows.
        batch: how many units a batch holds on average [default: by a rule that knows the promise, the units and the steps].
        sampling: "poisson", or "truncated" at `cut` units, and accounted as that; large batches are accumulated either way.
        cut: the most units in a batch, for "truncated"; `records` must then be an upper bound.
        clipping: the clipping bound, or a `Clipping`.
        pooling: whether the gradients of a unit's sequences are averaged ("mean") or added up ("sum") before clipping.
        rate: the learning rate of Adam, which rises over the first twentieth of the steps and then falls to zero [default: by
            convention, from the width].
        seed: of the first weights, which are public.
    """

    model: NetworkShape | str | Path = "llama-tiny"
    tokenizer: str | Path | None = None
    lora: int | None = None
    sequence: int = 128
    sequences: int | None = None
    steps: int | None = None
    noise_multiplier: float | None = None
    batch: int | None = None
    sampling: Literal["poisson", "truncated"] = "poisson"
    cut: int | None = None
    clipping: float | Clipping = 1.0
    pooling: Literal["mean", "sum"] = "mean"
    rate: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        faults, shape = [], self.shape  # a name that says none is refused here
        if not (_whole(self.sequence) and 2 <= self.sequence <= 2**20):
            faults.append("a sequence has 2 tokens at least.")
        if self.sequences is not None and not _whole(self.sequences):
            faults.append("sequences is a whole number of at least 1.")
        if self.lora is not None and not _whole(self.lora):
            faults.append("the rank of adapters is a whole number of at least 1.")
        if self.lora is not None and shape is not None:
            faults.append("adapters need a public network: fresh weights are trained whole.")
        if self.rate is not None and not 0 < self.rate < 1e3:
            faults.append("the rate is positive.")
        if not 0 <= self.seed < 2**62:
            faults.append("the seed is a whole number.")
        if faults:
            raise BadTraining(" ".join(faults), "Correct the recipe; nothing was read or spent.")

    @property
    def shape(self) -> NetworkShape | None:
        """The shape of fresh weights; None where the network is a folder's."""
        if isinstance(self.model, NetworkShape):
            return self.model
        name = str(self.model)
        return NetworkShape.named(name) if is_shape_name(name) else None

    def terms(self, unit: Unit, given: str | None) -> UnitTerms:
        """What one unit's text becomes."""
        kind: Any = given or ("person" if isinstance(unit, Person) else "row")
        alone = kind in ("sequence", "row")
        if alone and (self.sequences or 1) > 1:
            raise BadTraining(
                f"a unit is one {kind} here, and has one sequence.",
                "Leave sequences out; or name the column of whoever wrote the texts, or of the documents, as the unit.",
            )
        return UnitTerms(kind, self.sequence, 1 if alone else self.sequences or _MOST)

    def text(self) -> TextTokenizer:
        """The tokenizer."""
        named = self.tokenizer
        if named is None:
            named = BYTES if self.shape is not None else self.model  # type: ignore[assignment]
        return byte_tokenizer() if named == BYTES else given_tokenizer(str(named))

    def network(self, text: TextTokenizer) -> Any:
        """The network as training begins with it, with adapters where they are asked for."""
        shape = self.shape
        if shape is not None:
            return fresh_network(shape, text.size, self.sequence, text.end, self.seed)
        made = public_network(str(self.model))
        self._refuse_unfit(made, text)
        return made if self.lora is None else adapted(made, self.lora, self.seed)

    def plan(self, network: Any, promise: Promise, unit: Unit, records: int) -> TrainingPlan:
        """Sampling, clipping, noise and account, fixed."""
        from privet.protect.train.gradients import plan

        return plan(
            network,
            promise,
            records=records,
            batch=self.batch,
            steps=self.steps,
            noise_multiplier=self.noise_multiplier,
            sampling=self.sampling,
            cut=self.cut,
            clipping=self.clipping,
            unit=unit,
            pooling=self.pooling,
        )

    def optimizer(self, steps: int) -> Optimizer:
        """Adam, whose rate rises and falls."""
        from privet.protect.train.gradients import Optimizer

        return Optimizer(
            "adam", rate=self.usual_rate, schedule="cosine", warmup=min(steps - 1, -(-steps // 20))
        )

    @property
    def usual_rate(self) -> float:
        """The rate: as it was said, or by convention."""
        if self.rate is not None:
            return self.rate
        if self.shape is not None:
            return _FRESH * 64 / max(64, self.shape.width)
        return _ALL if self.lora is None else _ADAPTERS

    def origin(self) -> str:
        """Where the weights come from, in words; of a folder no name, which may be a place of this machine."""
        if self.shape is not None:
            return self.shape.words()
        return (
            "all of a public network's weights"
            if self.lora is None
            else f"adapters of rank {self.lora} on a public network, merged into it"
        )

    def _refuse_unfit(self, network: Any, text: TextTokenizer) -> None:
        known = getattr(network.config, "vocab_size", None)
        longest = getattr(network.config, "max_position_embeddings", None)
        if isinstance(known, int) and text.size > known:
            raise BadTraining(
                f"the tokenizer has {text.size:,} tokens, and the network knows {known:,}.",
                "Give the tokenizer that the network was made with.",
            )
        if isinstance(longest, int) and self.sequence > longest:
            raise BadTraining(
                f"the network takes {longest:,} tokens at once, and a sequence has {self.sequence:,}.",
                f"Use sequence={longest} at most.",
            )


def stated_unit(unit: Given | Unit | None, sequences: int) -> tuple[Unit, str | None]:
    """The unit of a list of texts as it is booked, and what it is called; of a table, its own."""
    if unit is None:
        raise BadTraining(
            "it is not said whose presence is hidden.",
            'Say unit="sequence", unit="document", or unit=pv.Person("patient_id") with people=….',
        )
    if isinstance(unit, Person):
        return Person(unit.column, max_rows=sequences, change=unit.change), None
    if unit in GIVEN:
        return Person(str(unit), max_rows=1 if unit == SEQUENCE else sequences), str(unit)
    raise BadTraining(
        "a list of texts has sequences, documents or people as units.",
        'Say unit="sequence", unit="document", or unit=pv.Person("patient_id") with people=….',
    )


def table_unit(unit: Unit, sequences: int) -> Unit:
    """The unit of a table as it is booked: the same presence, of at most so many sequences in a step."""
    return unit if isinstance(unit, Row) else Person(unit.column, max_rows=sequences, change=unit.change)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
