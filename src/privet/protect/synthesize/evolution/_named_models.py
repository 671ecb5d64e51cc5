"""Generators and embedders by a short text, as the command line and policies name them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.errors import BadSynthesis, FileProblem
from privet.evidence import given_text, read_yaml
from privet.protect.synthesize.evolution._chat_endpoint import OpenAICompatible, RemoteEmbedder
from privet.protect.synthesize.evolution._local_embedders import HashedWords, SentenceEncoder
from privet.protect.synthesize.evolution._local_language_model import LocalLanguageModel
from privet.protect.synthesize.evolution._phrase_templates import Phrases
from privet.protect.synthesize.evolution._prompts import Prompts
from privet.protect.synthesize.evolution._sample_generator import SampleEmbedder, SampleGenerator

_ADDRESS = ("http://", "https://")
_KINDS: dict[str, Any] = {
    "random": str, "variation": str, "styles": list, "words": int, "spread": (int, float), "fewest": int, "most": int
}  # fmt: skip


def named_generator(
    said: str, folder: Path, *, key: str | None = None, prompts: str | None = None
) -> SampleGenerator:
    """`https://host/v1#model`, a `.gguf` file or a model's folder, or a `.yaml` file of phrases.

    `prompts` is a `.yaml` file of what a language model is asked: the fields of `Prompts`, those that differ from its own.
    """
    if said.startswith(_ADDRESS):
        url, model = _split(said)
        return OpenAICompatible(url, model, key=key, prompts=_prompts(prompts, folder))
    if key is not None:
        raise BadSynthesis("a key is for a model at an address.", "Leave it out, or name the address.")
    place = folder / said
    if place.suffix in (".yaml", ".yml"):
        if prompts is not None:
            raise BadSynthesis(
                "prompts are for a language model, and phrases are asked nothing.",
                "Leave --prompts out, or name a model as the generator.",
            )
        return _phrases(place)
    return LocalLanguageModel(place, prompts=_prompts(prompts, folder))


def named_embedder(said: str | None, folder: Path, *, allowed: str | None = None) -> SampleEmbedder:
    """Hashed words where nothing is said; a sentence encoder's folder, or `https://host/v1#model`."""
    if said is None:
        return HashedWords()
    if said.startswith(_ADDRESS):
        url, model = _split(said)
        return RemoteEmbedder(url, model, private_texts_may_go_to=allowed)
    return SentenceEncoder(folder / said)


def _split(said: str) -> tuple[str, str]:
    url, mark, model = said.partition("#")
    if not mark or not model:
        raise BadSynthesis(
            "the address does not say which model.", "Write it after a #: https://host/v1#model."
        )
    return url, model


def _prompts(said: str | None, folder: Path) -> Prompts | None:
    """The prompts in a file; what it does not name is as usual."""
    if said is None:
        return None
    place = folder / said
    unlike = BadSynthesis(
        f"{place.name} does not hold prompts.",
        f"Write a line for each that differs from pv.Prompts(): {', '.join(_KINDS)}; styles is a list of texts.",
    )
    found = _yaml(place, unlike, "Name a YAML file of prompts.")
    if not isinstance(found, dict) or not all(_fits(name, value) for name, value in found.items()):
        raise unlike
    if "styles" in found:
        found["styles"] = tuple(found["styles"])
    return Prompts(**found)


def _fits(name: Any, value: Any) -> bool:
    if name == "styles":
        return _texts(value)
    return name in _KINDS and isinstance(value, _KINDS[name]) and not isinstance(value, bool)


def _yaml(place: Path, unlike: BadSynthesis, hint: str) -> Any:
    import yaml

    try:
        return read_yaml(given_text(place), what=place.name)
    except (OSError, UnicodeDecodeError):
        raise FileProblem(f"{place.name} cannot be read.", hint) from None
    except yaml.YAMLError:
        raise unlike from None


def _phrases(place: Path) -> Phrases:
    found = _yaml(place, _unlike(place), "Name a YAML file of templates and words.")
    known = {"templates", "words", "by_label"}
    if not isinstance(found, dict) or not set(found) <= known or not _texts(found.get("templates", [])):
        raise _unlike(place)
    words, own = found.get("words", {}), found.get("by_label", {})
    if not all(isinstance(part, dict) and all(_texts(one) for one in part.values()) for part in (words, own)):
        raise _unlike(place)
    return Phrases(found.get("templates", []), words, by_label=own)


def _texts(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(one, str) for one in found)


def _unlike(place: Path) -> BadSynthesis:
    return BadSynthesis(
        f"{place.name} does not hold templates and words.",
        'Write templates: ["{who} came in"] and words: {who: ["A child", "A man"]}, each a list of texts.',
    )
