"""FF1 gives NIST's sample vectors, is a permutation, and refuses small domains."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import BadPseudonym, BadTransform, SmallDomain
from privet.protect.transform.pseudonyms._format_preserving_encryption import ALPHABETS, FF1, format_preserved
from privet.protect.transform.pseudonyms._key_ring import Key, KeyScope

# SP 800-38G, FF1 samples 1 to 3 (AES-128).
NIST_KEY = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C")
SAMPLES = [
    ("digits", "", "0123456789", "2433477484"),
    ("digits", "39383736353433323130", "0123456789", "6124200773"),
    ("lower", "3737373770717273373737", "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
]
KEY = Key("k1", bytes(range(32)))
SCOPE = KeyScope("hospital", "ssn")


@pytest.mark.parametrize(("alphabet", "tweak", "plain", "expected"), SAMPLES)
def test_nist_samples(alphabet: str, tweak: str, plain: str, expected: str) -> None:
    letters = ALPHABETS[alphabet]
    cipher = FF1(NIST_KEY, len(letters))
    numerals = [letters.index(letter) for letter in plain]
    turned = cipher.encrypt(numerals, bytes.fromhex(tweak))
    assert "".join(letters[each] for each in turned) == expected
    assert cipher.decrypt(turned, bytes.fromhex(tweak)) == numerals


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_there_and_back(data: st.DataObject) -> None:
    radix = data.draw(st.sampled_from([2, 3, 10, 26, 62, 256, 65_536]))
    shortest = next(size for size in range(2, 30) if radix**size >= 10**6)
    numerals = data.draw(st.lists(st.integers(0, radix - 1), min_size=shortest, max_size=shortest + 20))
    tweak = data.draw(st.binary(max_size=20))
    cipher = FF1(bytes(range(32)), radix)
    turned = cipher.encrypt(numerals, tweak)
    assert len(turned) == len(numerals)
    assert all(0 <= each < radix for each in turned)
    assert cipher.decrypt(turned, tweak) == numerals


def test_no_two_values_share_a_pseudonym() -> None:
    values = [f"{at:06d}" for at in range(0, 10**6, 613)]
    assert len(set(format_preserved(values, KEY, SCOPE))) == len(values)


def test_signs_between_the_digits_stay_in_place() -> None:
    turned = format_preserved(["078-05-1120", "+49 (0)30 123"], KEY, SCOPE)
    assert [[at for at, sign in enumerate(text) if not sign.isdigit()] for text in turned] == [
        [3, 6],
        [0, 3, 4, 6, 9],
    ]
    assert turned[0] != "078-05-1120"
    assert format_preserved(turned, KEY, SCOPE, back=True) == ["078-05-1120", "+49 (0)30 123"]


def test_each_scope_key_and_alphabet_has_its_own() -> None:
    keys = [KEY, Key("k2", bytes(range(1, 33)))]
    scopes = [SCOPE, KeyScope("hospital", "phone"), KeyScope("clinic", "ssn")]
    alphabets = ["digits", "lower", "upper", "alphanumeric"]
    turned = [
        format_preserved(["123456789"], key, scope, alphabet)[0]
        for key, scope, alphabet in itertools.product(keys, scopes, alphabets)
    ]
    assert len(set(turned)) == len(turned)


def test_a_small_domain_is_refused_with_a_count_and_no_value() -> None:
    with pytest.raises(SmallDomain, match=r"2 of 3 distinct values have fewer than 6") as caught:
        format_preserved(["12345", "a-77", "123456"], KEY, SCOPE)
    assert "12345" not in str(caught.value)
    assert "77" not in str(caught.value)
    with pytest.raises(SmallDomain):
        FF1(bytes(32), 10).encrypt([1, 2, 3, 4, 5])
    with pytest.raises(BadPseudonym):
        format_preserved(["12"], KEY, SCOPE, back=True)


def test_unknown_alphabets_and_radixes_are_refused() -> None:
    with pytest.raises(BadTransform, match="alphabet"):
        format_preserved(["123456"], KEY, SCOPE, "klingon")
    with pytest.raises(BadTransform, match="radix"):
        FF1(bytes(32), 1)
