"""Ed25519 against the vectors of RFC 8032, section 7.1."""

import pickle

import pytest

from privet.errors import BadKeyRing
from privet.evidence import SeedSigner, is_valid

VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465"
        "5141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb0"
        "0d291612bb0c00",
    ),
]


@pytest.mark.parametrize(("seed", "public", "message", "signature"), VECTORS)
def test_the_vectors_of_the_standard(seed, public, message, signature):
    signer = SeedSigner(bytes.fromhex(seed))
    assert signer.public == public
    assert signer.sign(bytes.fromhex(message)).hex() == signature
    assert is_valid(public, bytes.fromhex(signature), bytes.fromhex(message))
    assert not is_valid(public, bytes.fromhex(signature), bytes.fromhex(message) + b"x")
    assert not is_valid(public[:-2] + "00", bytes.fromhex(signature), bytes.fromhex(message))
    assert not is_valid(public, b"short", bytes.fromhex(message))


def test_a_signer_keeps_its_secret():
    signer = SeedSigner(bytes(range(32)))
    assert bytes(range(32)).hex() not in repr(signer)
    with pytest.raises(BadKeyRing):
        pickle.dumps(signer)
    with pytest.raises(BadKeyRing):
        SeedSigner(b"short")
