"""Which network is trained: a family with its sizes, made with fresh weights, or a public one from a folder.

Nothing of it follows from the texts: sizes are said, and weights are drawn or public.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from privet.artifact import is_there
from privet.errors import BadTraining, MissingExtra, checked_class

if TYPE_CHECKING:
    from collections.abc import Iterator

Family = Literal["gemma", "llama", "gpt2"]
SIZES: dict[str, tuple[int, int, int]] = {  # layers, width, heads
    "tiny": (2, 64, 4),
    "small": (4, 128, 4),
    "base": (8, 256, 8),
    "medium": (12, 512, 8),
    "large": (16, 1024, 16),
}
_NAMED = re.compile(r"(gemma|llama|gpt2)(?:-(.*))?")
_NUMBERS = re.compile(r"([1-9][0-9]{0,2})x([1-9][0-9]{0,5})")


@checked_class
@dataclass(frozen=True, slots=True)
class NetworkShape:
    """A decoder that begins with fresh weights, in a style that transformers knows; input and output embeddings are one.

    Args:
        family: "gemma" (as VaultGemma: multi-query attention, gated GELU, norms before each part), "llama" (rotary positions,
            gated SiLU) or "gpt2" (learned positions, GELU).
        layers: how many.
        width: of what flows through the layers; a multiple of twice the heads.
        heads: of the attention, in each layer.
    """

    family: Family = "llama"
    layers: int = 2
    width: int = 64
    heads: int = 4

    def __post_init__(self) -> None:
        faults = []
        if self.family not in _MAKERS:
            faults.append(f"the family must be one of {', '.join(_MAKERS)}.")
        if min(self.layers, self.width, self.heads) < 1:
            faults.append("layers, width and heads are at least 1.")
        elif self.width % (2 * self.heads):
            faults.append("the width is a multiple of twice the heads.")
        if faults:
            raise BadTraining(" ".join(faults), "Correct the shape.")

    @classmethod
    def named(cls, name: str) -> NetworkShape:
        """From a name: "llama", "gemma-small" or "gpt2-4x128" (layers and width)."""
        found = _NAMED.fullmatch(name)
        size = None if found is None else "tiny" if found[2] is None else found[2]
        numbers = None if size is None else _NUMBERS.fullmatch(size)
        if found is None or size is None or (size not in SIZES and numbers is None):
            raise BadTraining(
                "there is no shape of that name.",
                f"Name a family ({', '.join(_MAKERS)}) with a size ({', '.join(SIZES)}, or layers and width: 4x128): llama-small.",
            )
        family: Any = found[1]
        if size in SIZES:
            return cls(family, *SIZES[size])
        assert numbers is not None
        layers, width = int(numbers[1]), int(numbers[2])
        heads = next((one for one in (width // 32, 4, 2, 1) if one >= 1 and width % (2 * one) == 0), 1)
        return cls(family, layers, width, heads)

    def network(self, vocabulary: int, tokens: int, end: int) -> Any:
        """The network, in the state it is trained in."""
        with _libraries():
            return _MAKERS[self.family](self, vocabulary, tokens, end).eval()

    def words(self) -> str:
        """What it is, for a card."""
        return f"from scratch ({self.family} style, {self.layers} layers of width {self.width}, {self.heads} heads)"


def is_shape_name(name: str) -> bool:
    """Whether a text is meant as the name of a shape, rather than as that of a folder."""
    return _NAMED.fullmatch(name) is not None


def fresh_network(shape: NetworkShape, vocabulary: int, tokens: int, end: int, seed: int) -> Any:
    """The network with weights drawn from a public seed; torch's generator is as it was afterwards."""
    with _libraries():
        import torch
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return shape.network(vocabulary, tokens, end)


def public_network(folder: str | Path) -> Any:
    """A causal network from a folder, in 32 bits: weights without executable content, and no code of the folder's own."""
    place = Path(folder)
    if not is_there(place / "config.json"):
        raise BadTraining(
            f"{place.name} is no folder with a causal language model.",
            "Name a folder with config.json and model.safetensors, or a shape such as llama-small.",
        )
    with _libraries():
        import torch
        from transformers import AutoModelForCausalLM
        from transformers.utils import logging

        bars: Any = logging
        shown = bars.is_progress_bar_enabled()
        bars.disable_progress_bar()
        try:
            load: Any = AutoModelForCausalLM.from_pretrained
            made, found = load(
                place,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except Exception as problem:  # noqa: BLE001 -- parsers of many formats, and each has errors of its own
            raise BadTraining(
                f"the model in {place.name} cannot be read ({type(problem).__name__}).",
                "It has weights as safetensors, and an architecture that this version of transformers knows.",
            ) from None
        finally:
            if shown:
                bars.enable_progress_bar()
    if found["missing_keys"] or found["mismatched_keys"]:
        raise BadTraining(
            f"the folder {place.name} lacks weights of the causal language model that its config.json describes.",
            "Name the folder of a whole causal model; a head that is missing would be made up.",
        )
    return made.eval()


def adapted(network: Any, rank: int, seed: int) -> Any:
    """The network with low-rank adapters on its dense layers (Hu et al. 2022), which alone are trained."""
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError:
        raise MissingExtra("adapters need peft.", "pip install 'privet[language]'") from None
    import warnings

    import torch

    settings = LoraConfig(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of layers that keep their weights transposed, which peft sees to
        torch.manual_seed(seed)
        make: Any = get_peft_model
        return make(network, settings).eval()


def _llama(shape: NetworkShape, vocabulary: int, tokens: int, end: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        **_sizes(shape, vocabulary, tokens, end),
        intermediate_size=_inner(shape.width),
        num_key_value_heads=shape.heads,
        tie_word_embeddings=True,
    )
    make: Any = LlamaForCausalLM
    return make(config)


def _gemma(shape: NetworkShape, vocabulary: int, tokens: int, end: int) -> Any:
    from transformers import VaultGemmaConfig, VaultGemmaForCausalLM

    head = shape.width // shape.heads
    config = VaultGemmaConfig(
        **_sizes(shape, vocabulary, tokens, end),
        intermediate_size=_inner(shape.width),
        num_key_value_heads=1,
        head_dim=head,
        query_pre_attn_scalar=head,
        layer_types=["full_attention"] * shape.layers,
    )
    make: Any = VaultGemmaForCausalLM
    return make(config)


def _gpt2(shape: NetworkShape, vocabulary: int, tokens: int, end: int) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    still: dict[str, Any] = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = GPT2Config(
        n_embd=shape.width, n_layer=shape.layers, n_head=shape.heads, n_positions=tokens, vocab_size=vocabulary,
        bos_token_id=end, eos_token_id=end, pad_token_id=end, **still,
    )  # fmt: skip
    make: Any = GPT2LMHeadModel
    return make(config)


def _sizes(shape: NetworkShape, vocabulary: int, tokens: int, end: int) -> dict[str, Any]:
    return {
        "vocab_size": vocabulary,
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "max_position_embeddings": tokens,
        "bos_token_id": end,
        "eos_token_id": end,
        "pad_token_id": end,
    }


def _inner(width: int) -> int:
    """Of the gated part: eight thirds of the width, rounded up to a multiple of 16 (Shazeer 2020)."""
    return -(-8 * width // 48) * 16


_MAKERS: dict[str, Callable[[NetworkShape, int, int, int], Any]] = {
    "gemma": _gemma,
    "llama": _llama,
    "gpt2": _gpt2,
}


@contextmanager
def _libraries() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError:
        raise MissingExtra("language models need transformers.", "pip install 'privet[language]'") from None
