"""Embedders: one row each, the same wherever a sample stands; alike for like texts."""

import numpy as np
import pytest

from privet.errors import BadSynthesis, FileProblem
from privet.protect.synthesize.evolution import HashedWords, Pixels, SentenceEncoder


def test_words_in_common_bring_texts_together() -> None:
    rows = HashedWords(512).embed(["fever and cough", "a cough with fever", "the leg was broken"])
    assert np.linalg.norm(rows[0] - rows[1]) < np.linalg.norm(rows[0] - rows[2])
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3), abs=1e-5)


def test_a_text_lies_where_it_lies_whatever_stands_beside_it() -> None:
    embedder = HashedWords(64)
    alone, beside = embedder.embed(["a wound"])[0], embedder.embed(["x y z", "a wound", ""])[1]
    assert np.allclose(alone, beside)
    assert not embedder.embed([""]).any()
    assert np.isfinite(embedder.embed(["\ud800 \x00 " + "word " * 100_000])).all()


def test_pictures_of_different_shapes_are_refused() -> None:
    assert Pixels(2.0).embed(np.ones((3, 2, 2))) == pytest.approx(np.full((3, 4), 0.5))
    with pytest.raises(BadSynthesis):
        Pixels().embed([np.ones((2, 2)), np.ones((3, 3))])


def test_a_folder_without_a_model_is_refused(tmp_path) -> None:
    with pytest.raises(FileProblem):
        SentenceEncoder(tmp_path)


def test_a_sentence_encoder_reads_a_folder(tmp_path) -> None:
    """A tiny encoder made here: mean states of length one, and padding beside a longer text changes nothing."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "fever", "cough", "wound", "leg", "the"])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=7, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertModel(config).save_pretrained(tmp_path)
    encoder = SentenceEncoder(tmp_path)
    rows = encoder.embed(["fever cough", "the leg wound fever cough"])
    assert rows.shape == (2, 16)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(2), abs=1e-4)
    assert np.allclose(encoder.embed(["fever cough"])[0], rows[0], atol=1e-4)
    assert encoder.remote is None


def test_a_huge_text_counts_as_its_first_words() -> None:
    start = " ".join(f"word{at}" for at in range(3_000))
    short, huge = HashedWords(64).embed([start, start + " more" * 2_000_000])
    assert (short == huge).all()
