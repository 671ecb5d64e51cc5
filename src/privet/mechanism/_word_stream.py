"""Random words for local randomisers: AES-256 in counter mode under a key from the operating system.

Randomisers read bytes, 32-bit and 64-bit words (little-endian) from a stream and nothing else, so that each is a function
of its value and the bytes it reads: the same in every language, which shared test vectors check. A stream with a stated
seed repeats itself and protects nobody; it says so (`private` is False), and everything made with it repeats that.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError, OutOfRange
from privet.mechanism._key_material import fresh_bytes
from privet.mechanism._proofs import proven

if TYPE_CHECKING:
    from typing import Self

WORD32 = 2**32
_CHUNK = 1 << 20
_ZEROS = bytes(_CHUNK)


class WordStream:
    """A source of random words. `fresh()` is secret; `seeded(…)` is for tests and demonstrations."""

    def __init__(self, read: Callable[[int], NDArray[np.uint8]], *, private: bool) -> None:
        self._read, self.private = read, private

    @classmethod
    def fresh(cls) -> Self:
        """A stream nobody can have again."""
        return cls(_counter_mode(fresh_bytes(32)), private=True)

    @classmethod
    def seeded(cls, seed: int) -> Self:
        """A stream that everybody with the seed can have again: not private."""
        key = hashlib.sha256(b"privet seeded stream, not private %d" % seed).digest()
        return cls(_counter_mode(key), private=False)

    @classmethod
    def keyed(cls, secret: bytes, label: bytes) -> Self:
        """The stream of a secret for one label: whoever has the secret can have it again, and nobody else.

        The key is HMAC-SHA256(secret, label), so that streams of different labels are independent.
        """
        return cls(_counter_mode(hmac.digest(secret, label, "sha256")), private=True)

    @classmethod
    def of_bytes(cls, content: bytes, *, private: bool = False) -> Self:
        """Exactly these bytes, and a refusal when they are used up: for test vectors and keyed devices."""
        left = np.frombuffer(content, np.uint8)
        at = 0

        def read(count: int) -> NDArray[np.uint8]:
            nonlocal at
            if at + count > len(left):
                raise OutOfRange("the random bytes are used up.", "Give more bytes.")
            at += count
            return left[at - count : at]

        return cls(read, private=private)

    def bytes(self, count: int) -> NDArray[np.uint8]:
        """So many bytes."""
        return self._read(count)

    def words(self, count: int) -> NDArray[np.uint64]:
        """So many 64-bit words."""
        return self._read(8 * count).view("<u8").astype(np.uint64, copy=False)

    def words32(self, count: int) -> NDArray[np.uint32]:
        """So many 32-bit words."""
        return self._read(4 * count).view("<u4").astype(np.uint32, copy=False)

    def words56(self, count: int) -> NDArray[np.uint64]:
        """So many 56-bit numbers: what follows the first byte of a word."""
        wide = np.zeros((count, 8), np.uint8)
        wide[:, :7] = self._read(7 * count).reshape(count, 7)
        return wide.view("<u8").ravel().astype(np.uint64, copy=False)


@proven("word_stream.proof.md", digest="a0333bb5f5ded722")
def draw_below(stream: WordStream, count: int, bound: int) -> NDArray[np.int64]:
    """So many whole numbers from 0 to bound - 1, exactly uniform: words that would favour some are drawn again."""
    if not 1 <= bound < WORD32:
        raise OutOfRange("a uniform draw is among at most 2^32 - 1 numbers.", "Group the values.")
    if bound == 1:
        return np.zeros(count, np.int64)
    product = stream.words32(count).astype(np.uint64)
    product *= np.uint64(bound)
    least = np.uint64(WORD32 % bound)
    again = np.flatnonzero((product & np.uint64(WORD32 - 1)) < least) if least else np.zeros(0, np.int64)
    while again.size:
        drawn = stream.words32(again.size).astype(np.uint64) * np.uint64(bound)
        product[again] = drawn
        again = again[(drawn & np.uint64(WORD32 - 1)) < least]
    product >>= np.uint64(32)
    return product.view(np.int64)


@proven("word_stream.proof.md", digest="ac64bb2423f33c46")
def draw_chance(stream: WordStream, count: int, words: int) -> NDArray[np.bool_]:
    """So many events, each with probability words / 2^64."""
    if words >= 2**64:
        return np.ones(count, np.bool_)
    return stream.words(count) < np.uint64(words)


@proven("word_stream.proof.md", digest="fe0da271f7f0fbb9")
def draw_bits(
    stream: WordStream, own: NDArray[np.int64], width: int, odds: tuple[int, int]
) -> NDArray[np.bool_]:
    """A row of bits for each entry of `own`: that place is set with odds[0] / 2^64, every other with odds[1] / 2^64.

    The first byte of a word settles nearly all comparisons; where it ties, the other seven bytes are drawn. An entry
    of -1 has no place of its own.
    """
    rows = np.flatnonzero(own >= 0)
    first = stream.bytes(len(own) * width).reshape(len(own), width)
    top_own, top = odds[0] >> 56, odds[1] >> 56
    bits = first < top
    tied = first == top
    mine = first[rows, own[rows]]
    bits[rows, own[rows]] = mine < top_own
    tied[rows, own[rows]] = mine == top_own
    where = np.flatnonzero(tied)
    rest = stream.words56(where.size)
    least = np.where(own[where // width] == where % width, odds[0] % 2**56, odds[1] % 2**56).astype(np.uint64)
    bits.ravel()[where] = rest < least
    return bits


class StreamFamily:
    """The streams of one secret and label, one for each number from 0 to 2^64 - 1, which can be read in any order.

    The key is HMAC-SHA256(secret, label). Stream n is the encryption of the counters n · 2^64, n · 2^64 + 1, …, so no two
    streams share a block; every reading begins with a block of its own.
    """

    __slots__ = ("_encryptor",)

    def __init__(self, secret: bytes, label: bytes) -> None:
        self._encryptor = _encryptor(hmac.digest(secret, label, "sha256"))

    def stream(self, number: int) -> WordStream:
        """The stream of a number, from its beginning."""
        return WordStream(_counter_from(self._encryptor, number), private=True)


@proven("word_stream.proof.md", digest="05b4431a805a6943")
def _counter_mode(key: bytes) -> Callable[[int], NDArray[np.uint8]]:
    """Key stream of AES-256-CTR: the encryption of zeros."""
    encryptor = _encryptor(key)

    def read(count: int) -> NDArray[np.uint8]:
        return _encrypted_zeros(encryptor, count)

    return read


@proven("word_stream.proof.md", digest="7fa1252e550d3edd")
def _counter_from(encryptor: Any, number: int) -> Callable[[int], NDArray[np.uint8]]:
    """The same from the counter number · 2^64 on, whatever else the encryptor is used for between readings."""
    if not 0 <= number < 2**64:
        raise InternalError("streams have numbers of 64 bits.")
    block = number << 64

    def read(count: int) -> NDArray[np.uint8]:
        nonlocal block
        encryptor.reset_nonce(block.to_bytes(16, "big"))
        block += -(-count // 16)
        return _encrypted_zeros(encryptor, count)

    return read


@proven("word_stream.proof.md", digest="e4eee5961aa444fc")
def _encryptor(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor()


@proven("word_stream.proof.md", digest="39d6efb0570f18a2")
def _encrypted_zeros(encryptor: Any, count: int) -> NDArray[np.uint8]:
    """What follows in the key stream."""
    out = np.empty(count + 15, np.uint8)  # the library asks for room of one block more
    view, zeros, done = memoryview(out.data), memoryview(_ZEROS), 0
    while done < count:
        size = min(_CHUNK, count - done)
        encryptor.update_into(zeros[:size], view[done : done + size + 15])
        done += size
    return out[:count]
