"""Tokens: the HMAC they say, padded, and open only to their key and scope."""

import base64
import hashlib
import hmac

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import BadPseudonym
from privet.protect.transform.pseudonyms import (
    Key,
    KeyRing,
    KeyScope,
)
from privet.protect.transform.pseudonyms import (
    _pseudonym_tokens as tokens,
)
from privet.protect.transform.pseudonyms._key_ring import subkey


def test_the_token_is_the_hmac_it_says(ring: KeyRing) -> None:
    (token,) = tokens.one_way(["ada@x.org"], ring.current, KeyScope("hospital", "email"))
    secret = subkey(ring.current, "one-way", KeyScope("hospital", "email"))
    expected = hmac.new(secret, b"ada@x.org", hashlib.sha256).digest()[:16]
    assert token == "k1." + base64.b32encode(expected).decode().rstrip("=").lower()


def test_a_token_does_not_show_the_exact_length(ring: KeyRing) -> None:
    made = tokens.sealed(["a", "abc", "a" * 15, "a" * 16], ring.current, KeyScope("h", "x"))
    assert [len(token) for token in made[:3]] == [len(made[0])] * 3
    assert len(made[3]) > len(made[0])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=5, unique=True))
def test_any_text_survives(values: list[str]) -> None:
    ring = KeyRing((Key("k1", bytes(range(32))),))
    scope = KeyScope("h", "x")
    made = tokens.sealed(values, ring.current, scope)
    assert tokens.opened(made, ring, scope) == values
    assert len(set(tokens.one_way(values, ring.current, scope))) == len(values)


def test_numbers_and_their_texts_are_one_value_and_folding_unites_more() -> None:
    assert tokens.worded(4711) == tokens.worded("4711")
    assert tokens.worded(True) == "true"
    assert tokens.worded(" Straße ") == " Straße "
    assert tokens.worded(" ﬁsch ", fold=True) == tokens.worded("FISCH", fold=True) == "fisch"


def test_a_token_opens_in_its_own_scope_only(ring: KeyRing) -> None:
    scope = KeyScope("h", "email")
    (token,) = tokens.sealed(["ada"], ring.current, scope)
    assert tokens.opened([token], ring, scope) == ["ada"]
    for other in (KeyScope("h", "name"), KeyScope("g", "email")):
        with pytest.raises(BadPseudonym, match="1 of 2"):
            tokens.opened([token, *tokens.sealed(["x"], ring.current, other)], ring, other)
    flipped = token[:9] + ("a" if token[9] != "a" else "b") + token[10:]
    for broken in (flipped, token[:-8], token.replace("k1.", "k2."), "", "k1."):
        with pytest.raises(BadPseudonym):
            tokens.opened([broken], ring, scope)


@given(st.binary(max_size=40))
def test_letters_stand_for_bytes(content: bytes) -> None:
    text = tokens.lettered(content)
    assert tokens.unlettered(text) == content
    assert text == text.lower()
    assert "=" not in text


def test_padding_fills_whole_blocks_and_comes_off_again() -> None:
    for value in ("", "a", "a" * 15, "a" * 16, "\0\0", "x\x80", "\ud800"):
        assert len(tokens.padded(value)) % 16 == 0
        assert tokens.unpadded(tokens.padded(value)) == value
    assert tokens.unlettered("not base32!") is None
