"""Tokenizers: bytes come back as they were, words that are not listed become one token, and folders are read without code."""

import pytest

from privet.artifact import OwnerOnly, written_whole
from privet.errors import BadTraining
from privet.protect.train.language._text_tokenizer import (
    END,
    UNKNOWN,
    byte_tokenizer,
    given_tokenizer,
    split_words,
    word_tokenizer,
)


@pytest.mark.parametrize("text", ["", "a", "Ärzte, 患者\n\t ", "  two  spaces ", END])
def test_bytes_come_back(text) -> None:
    made = byte_tokenizer()
    if END not in text:
        assert made.tokens(text) == list(text.encode())
    assert made.tokenizer.decode(made.tokens(text)) == text  # exact: texts
    assert (made.size, made.end) == (257, 256)


def test_a_text_that_is_no_unicode_does_not_fail() -> None:
    assert byte_tokenizer().tokens("a\ud800b") == list(b"a?b")
    assert split_words("a\ud800b") == ["a", "?", "b"]


def test_a_list_of_words_has_one_size_whatever_is_in_it() -> None:
    few, many = word_tokenizer(["ward"], 8), word_tokenizer([f"w{at}" for at in range(50)], 8)
    assert few.size == many.size == 8
    assert few.tokens("ward rest") == [2, 1]
    assert few.tokenizer.convert_ids_to_tokens([0, 1]) == [END, UNKNOWN]
    assert split_words("The ward's 3 beds.") == ["The", "ward", "'", "s", "3", "beds", "."]


def test_the_files_make_it_again(tmp_path) -> None:
    for made in (byte_tokenizer(), word_tokenizer(["ward", "rest"], 6)):
        for name, content in made.files.items():
            written_whole(tmp_path / name, OwnerOnly(content))
        again = given_tokenizer(tmp_path)
        assert again.tokens("rest on the ward") == made.tokens("rest on the ward")
        assert (again.size, again.end) == (made.size, made.end)
        assert dict(again.files) == dict(made.files)


def test_a_folder_that_holds_none_is_refused(tmp_path) -> None:
    with pytest.raises(BadTraining, match="no folder with a tokenizer"):
        given_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(BadTraining, match="cannot be read"):
        given_tokenizer(tmp_path)
