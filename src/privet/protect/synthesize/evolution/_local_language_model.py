"""A language model on this machine as a generator of texts: a Hugging Face folder, or a GGUF file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from privet.errors import FileProblem, MissingExtra, checked_class
from privet.protect.synthesize.evolution._prompted_writer import PromptedWriter, tokens_for
from privet.protect.synthesize.evolution._prompts import Prompts


@checked_class
class LocalLanguageModel(PromptedWriter):
    """An instruction-following model from a folder or a `.gguf` file; fp32, and nothing is downloaded.

    Args:
        path: the folder, or the file.
        prompts: what it is asked.
        temperature: how freely it writes at degree 1; less at 0.
        batch: texts written at a time.
        most_tokens: the most that it writes for one text.
        cache: a file that keeps what it wrote, so that a run that was stopped does not wait for it twice.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        prompts: Prompts | None = None,
        temperature: float = 1.0,
        batch: int = 16,
        most_tokens: int = 256,
        cache: str | Path | None = None,
    ) -> None:
        super().__init__(prompts, temperature, cache)
        self.path, self.batch, self.most_tokens = Path(path), batch, most_tokens
        if not (self.path.is_dir() or (self.path.suffix == ".gguf" and self.path.is_file())):
            raise FileProblem(f"there is no model at {self.path.name}.", "Name a folder, or a .gguf file.")
        self._loaded: tuple[Any, Any] | None = None

    def described(self) -> dict[str, str]:
        """Which model, how freely and how much it writes, and which prompts."""
        return {
            "kind": "local language model",
            "model": self.path.name,
            "temperature": f"{self.temperature:g}",
            "most tokens": str(self.most_tokens),
            **self.prompts.described(),
        }

    def _written(self, asked: Sequence[tuple[str, int]], degree: float) -> list[str]:
        torch = _needed("torch")
        tokenizer, model = self._model()
        texts: list[str] = []
        for start in range(0, len(asked), self.batch):
            part = asked[start : start + self.batch]
            prompts = [
                tokenizer.apply_chat_template(
                    [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
                )
                for prompt, _ in part
            ]
            given = tokenizer(prompts, return_tensors="pt", padding=True, padding_side="left")
            longest = max(tokens_for(words) for _, words in part)
            with torch.inference_mode():
                made = model.generate(
                    **given,
                    max_new_tokens=min(longest, self.most_tokens),
                    do_sample=True,
                    temperature=self._warmth(degree),
                    top_p=0.95,
                    pad_token_id=tokenizer.pad_token_id or tokenizer.eos_token_id,
                )
            new = made[:, given["input_ids"].shape[1] :]
            texts += [text.strip() for text in tokenizer.batch_decode(new, skip_special_tokens=True)]
        return texts

    def _model(self) -> tuple[Any, Any]:
        if self._loaded is None:
            torch, library = _needed("torch"), _needed("transformers")
            known: dict[str, Any] = {"local_files_only": True}
            folder = self.path
            if self.path.suffix == ".gguf":
                _needed("gguf")
                folder, known["gguf_file"] = self.path.parent, self.path.name
            tokenizer = library.AutoTokenizer.from_pretrained(folder, **known)
            if tokenizer.pad_token_id is None:
                tokenizer.pad_token = tokenizer.eos_token
            model = library.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **known)
            self._loaded = tokenizer, model.eval()
        return self._loaded


def _needed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(
            f"a language model on this machine needs {name}.", "pip install 'privet[language,gguf]'."
        ) from None
