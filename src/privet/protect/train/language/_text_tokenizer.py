"""How text becomes tokens: bytes, a public tokenizer from a folder, or a list of words; and the files that say so.

Whatever is done to a text is done to it alone, and none fails: what is no valid Unicode is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import BESIDE, is_there
from privet.errors import BadTraining, MissingExtra
from privet.evidence import given_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTES = "bytes"
END, UNKNOWN = "<|end|>", "<|unknown|>"  # between texts; a word that is not in the list
_FILES = tuple(name for name in BESIDE if "config.json" not in name or name == "tokenizer_config.json")
_LARGEST = 2**28


@dataclass(frozen=True)
class TextTokenizer:
    """A tokenizer of transformers, the files that make it again, and what it is in words."""

    tokenizer: Any
    files: Mapping[str, bytes]
    said: str

    @property
    def end(self) -> int:
        """The token that stands before, between and after texts."""
        found = self.tokenizer.eos_token_id
        assert isinstance(found, int)
        return found

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return len(self.tokenizer)

    def tokens(self, text: str) -> list[int]:
        """The tokens of one text, without any that mark its beginning or end."""
        whole = text.encode("utf-8", "replace").decode("utf-8")
        return [int(one) for one in self.tokenizer.encode(whole, add_special_tokens=False)]


def byte_tokenizer() -> TextTokenizer:
    """A token is a byte; one more stands between texts."""
    tokenizers = _tokenizers()
    letters = _letters()
    made = tokenizers.Tokenizer(tokenizers.models.BPE({letters[at]: at for at in range(256)}, []))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.add_special_tokens([END])
    return _wrapped(made, "bytes")


def word_tokenizer(words: Sequence[str], size: int) -> TextTokenizer:
    """A token is a word of the list or one sign; words that are not in it are one and the same token.

    The number of tokens is `size`, whatever the list holds: places that are left over stand for nothing.
    """
    tokenizers = _tokenizers()
    listed = [END, UNKNOWN, *dict.fromkeys(words)][:size]
    listed += [f"<|unused {at}|>" for at in range(len(listed), size)]
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(listed)}, unk_token=UNKNOWN)
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.add_special_tokens([END, UNKNOWN])
    return _wrapped(made, f"a list of {size:,} words", unk_token=UNKNOWN)


def split_words(text: str) -> list[str]:
    """The words of one text, as `word_tokenizer` takes it apart."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return [word for word, _ in _tokenizers().pre_tokenizers.Whitespace().pre_tokenize_str(whole)]


def given_tokenizer(folder: str | Path) -> TextTokenizer:
    """The tokenizer of a folder, with its files as they are; no code of the folder is run."""
    place = Path(folder)
    if not any(is_there(place / name) for name in ("tokenizer.json", "tokenizer_config.json")):
        raise BadTraining(
            f"{place.name} is no folder with a tokenizer.",
            'Name a folder with tokenizer.json, or use tokenizer="bytes".',
        )
    try:
        from transformers import AutoTokenizer

        load: Any = AutoTokenizer.from_pretrained
        made = load(place, local_files_only=True, trust_remote_code=False)
        files = {
            name: given_bytes(place / name, largest=_LARGEST) for name in _FILES if is_there(place / name)
        }
    except ModuleNotFoundError:
        raise MissingExtra("language models need transformers.", "pip install 'privet[language]'") from None
    except Exception as problem:  # noqa: BLE001 -- parsers of many formats, and each has errors of its own
        raise BadTraining(
            f"the tokenizer in {place.name} cannot be read ({type(problem).__name__}).",
            "Give the folder of a tokenizer that transformers loads without code of its own.",
        ) from None
    if not isinstance(made.eos_token_id, int):
        raise BadTraining(
            f"the tokenizer in {place.name} has no token that ends a text.",
            "Give one with an eos_token: it stands between texts.",
        )
    return TextTokenizer(made, files, "given")


def _wrapped(made: Any, said: str, **special: str) -> TextTokenizer:
    """As transformers has it, with the two files that it reads."""
    from transformers import PreTrainedTokenizerFast

    named = {"eos_token": END, "bos_token": END, "pad_token": END, **special}
    make: Any = PreTrainedTokenizerFast
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": 10**9,
        **named,
    }
    files = {
        "tokenizer.json": made.to_str(pretty=True).encode(),
        "tokenizer_config.json": (json.dumps(config, indent=1) + "\n").encode(),
    }
    return TextTokenizer(
        make(tokenizer_object=made, clean_up_tokenization_spaces=False, **named), files, said
    )


def _letters() -> dict[int, str]:
    """How byte-level tokenizers write bytes: those that print as themselves, the others from 256 on (GPT-2)."""
    shown: Iterable[int] = [*range(33, 127), *range(161, 173), *range(174, 256)]
    printed = {one: chr(one) for one in shown}
    others = [one for one in range(256) if one not in printed]
    return printed | {one: chr(256 + at) for at, one in enumerate(others)}


def _tokenizers() -> Any:
    try:
        import tokenizers
        import tokenizers.decoders
        import tokenizers.models
        import tokenizers.pre_tokenizers
        import transformers  # noqa: F401  what is made here is handed to it
    except ImportError:
        raise MissingExtra("language models need transformers.", "pip install 'privet[language]'") from None
    return tokenizers
