"""A language model that may leave the house: a folder that transformers loads, with its promise, receipts and a card.

The folder holds no code. What is read back is held against its digests, its signature and its receipts before anything
computes with it, and what is loaded is a copy of the very bytes that were looked at.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact import (
    LANGUAGE,
    Displayed,
    LanguageRecord,
    OwnerOnly,
    Provenance,
    Receipt,
    read_beside,
    read_model_record,
    read_weights,
    sign_file,
    temporary_folder,
    write_model,
    written_whole,
)
from privet.errors import BadModel, checked
from privet.guarantee import Promise
from privet.protect.train.language._network_shape import public_network
from privet.protect.train.language._text_tokenizer import TextTokenizer, given_tokenizer

if TYPE_CHECKING:
    from privet.evidence import Signing, Standing

_SLACK = 2**24  # bytes of a header, and of buffers beside the weights
_NEVER = ("_name_or_path", "auto_map")
_LONGEST = 100_000  # characters of a prompt


@dataclass(frozen=True)
class ReleasedLanguageModel(Displayed):
    """A causal network with its tokenizer and its promise, which holds whatever is asked of it and however often."""

    network: Any = field(repr=False)
    text: TextTokenizer = field(repr=False)
    record: LanguageRecord
    digest: str = field(repr=False)  # of all tensors as the promise covers them
    _drawn_as: ClassVar[str] = "language model"

    @property
    def tokenizer(self) -> Any:
        """The tokenizer, as transformers has it."""
        return self.text.tokenizer

    @property
    def promise(self) -> Promise:
        """What everything in it keeps."""
        return self.record.promise

    @property
    def unit(self) -> dict[str, Any]:
        """Whose presence is hidden."""
        return self.record.unit

    @property
    def receipt(self) -> Receipt:
        """What paid for its training."""
        return self.record.receipt

    @property
    def standing(self) -> Standing | None:
        """Of one that was read from a folder: whether its promise is the data set's word."""
        return self.record.standing

    @property
    def provenance(self) -> Provenance:
        """Which rows it was made of, by the name of their snapshot."""
        stages = (self.record.origin, self.record.terms.sentence())
        return Provenance("language model", self.record.receipt.data or "", "torch", {}, stages)

    @property
    def sequence(self) -> int | None:
        """How many tokens the promise's unit has, where it is a sequence."""
        return self.record.terms.tokens if self.record.terms.kind == "sequence" else None

    def card(self) -> str:
        """The model card: what it is for people who decide about its use."""
        return self.record.card()

    def __str__(self) -> str:
        record = self.record
        note = record.receipt.note
        return (
            f"language model {record.architecture} of {record.weights:,} numbers, {record.origin}\n{record.sentence}"
            + (f"\n{note}" if note else "")
            + (f"\n{record.standing.sentence()}" if record.standing else "")
        )

    # --- use -----------------------------------------------------------------------------------

    @checked
    def generate(
        self, prompt: str = "", *, tokens: int = 64, temperature: float = 0.0, seed: int = 0, copies: int = 1
    ) -> tuple[str, ...]:
        """What it goes on with. Costs no budget.

        Args:
            prompt: the beginning of a text; nothing for a text of its own.
            tokens: at most so many are added.
            temperature: 0 for the likeliest token each time; 1 draws each with its probability.
            seed: of what is drawn.
            copies: how many, where they are drawn.
        """
        return generated(
            self.network, self.text, prompt, tokens=tokens, temperature=temperature, seed=seed, copies=copies
        )

    # --- keeping -------------------------------------------------------------------------------

    @checked
    def save(self, folder: str | Path, *, signing: Signing | None = None) -> Path:
        """Write weights, shape, tokenizer, record and card, whole or not at all, as transformers reads them.

        Args:
            folder: where to; one that is there is replaced only if it holds a model.
            signing: the data set's key, `pv.DataSet.of("notes.jsonl").signing()`; without one the folder is a claim.
        """
        from safetensors.torch import save

        from privet.protect.train.gradients import state_digest

        if state_digest(self.network) != self.digest:
            raise BadModel(
                "the network is no longer what the run ended with: its tensors were changed since.",
                "Save it before you go on with it; what is trained further is not covered by the promise.",
            )
        record = replace(self.record, standing=None)
        said = record.to_json()
        LanguageRecord.from_json(said, None)  # what cannot be read again is not written
        content = save(_own_tensors(self.network), metadata={"format": "pt"})
        place = write_model(
            folder, content, said, record.card(), {**self.text.files, **_shape_files(self.network)}
        )
        sign_file(place, signing)
        return place

    @classmethod
    @checked
    def load(cls, folder: str | Path) -> ReleasedLanguageModel:
        """Read a folder. Refuses one that is incomplete, was changed, promises more than was paid for or has a broken signature."""
        from privet.protect.train.gradients import state_digest

        said, standing = read_model_record(folder, LANGUAGE)
        record = LanguageRecord.from_json(said, standing)
        files = read_beside(folder, said)
        weights = read_weights(folder, said, largest=8 * record.weights + _SLACK)
        with temporary_folder() as room:
            for name, content in {**files, "model.safetensors": weights}.items():
                written_whole(room / name, OwnerOnly(content))
            network, text = public_network(room), given_tokenizer(room)
        _refuse_other(network, weights, record)
        return cls(network, replace(text, said=record.tokenizer), record, state_digest(network))


@checked
def load_language_model(folder: str | Path) -> ReleasedLanguageModel:
    """Load a language model that `train_language_model` made and `save` wrote, or `privet lm train -o`.

    No code is read from the folder. What was changed, or promises more than its receipts, is refused; what carries no signature
    of a key that is trusted here says so in its `standing`.
    """
    found: ReleasedLanguageModel = ReleasedLanguageModel.load(folder)
    return found


def generated(
    network: Any, text: TextTokenizer, prompt: str, *, tokens: int, temperature: float, seed: int, copies: int
) -> tuple[str, ...]:
    """Texts that a network goes on with, without the prompt."""
    import torch

    if tokens < 1 or copies < 1:
        raise BadModel("tokens and copies are at least 1.", "Write tokens=64.")
    if not 0 <= temperature < 100:
        raise BadModel("the temperature is at least 0, and below 100.", "Write temperature=1.")
    if len(prompt) > _LONGEST:
        raise BadModel("the prompt is longer than any network here takes.", "Give its end.")
    begun = [text.end, *text.tokens(prompt)]
    window = getattr(network.config, "max_position_embeddings", None)
    if isinstance(window, int):
        tokens = min(tokens, window - 1)
        begun = begun[-(window - tokens) :]
    drawn = (
        {"do_sample": True, "temperature": float(temperature), "top_k": 0}
        if temperature
        else {"do_sample": False}
    )
    given = torch.tensor([begun]).repeat(copies if temperature else 1, 1)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(seed)
        found = network.generate(
            given,
            attention_mask=torch.ones_like(given),
            max_new_tokens=tokens,
            pad_token_id=text.end,
            eos_token_id=text.end,
            **drawn,
        )
    rows = [row[len(begun) :].tolist() for row in found]
    return tuple(
        str(text.tokenizer.decode(row[: row.index(text.end)] if text.end in row else row)) for row in rows
    )


def _own_tensors(network: Any) -> dict[str, Any]:
    """All tensors by name, those that are tied once, under the name that comes first."""
    import torch

    found: dict[str, Any] = {}
    there: set[tuple[int, tuple[int, ...]]] = set()
    for name, value in network.state_dict().items():
        if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
            raise BadModel(f"{name!r} of this network is not a plain tensor.", "Only those are kept.")
        where = (value.data_ptr(), tuple(value.shape))
        if where not in there:
            there.add(where)
            found[str(name)] = value.detach().cpu().contiguous().clone()
    return found


def _shape_files(network: Any) -> dict[str, bytes]:
    """What transformers reads of a network's shape, and how it goes on."""
    shape = {**json.loads(network.config.to_json_string()), "architectures": [type(network).__name__]}
    files = {"config.json": shape}
    usual = getattr(network, "generation_config", None)
    if usual is not None:
        files["generation_config.json"] = json.loads(usual.to_json_string())
    # Where the network came from is a place of this machine, and code is never read from a folder.
    kept = {name: {key: said[key] for key in said if key not in _NEVER} for name, said in files.items()}
    return {name: (json.dumps(said, indent=1) + "\n").encode() for name, said in kept.items()}


def _refuse_other(network: Any, weights: bytes, record: LanguageRecord) -> None:
    """Refuse a network that is not what the folder's weights and record say."""
    import torch
    from safetensors.torch import load

    state, stored = network.state_dict(), load(weights)
    same = stored.keys() <= state.keys() and all(
        torch.equal(state[name].cpu(), value.to(state[name].dtype)) for name, value in stored.items()
    )
    count = sum(one.numel() for one in network.parameters())
    if not same or count != record.weights or type(network).__name__ != record.architecture:
        raise BadModel(
            "the network in this folder is not what its record says.", "Use the folder as it was saved."
        )
