"""FF1: encryption that keeps the format (NIST SP 800-38G, algorithms 7 and 8).

A string over an alphabet becomes another of the same length over the same alphabet. The standard's revision asks
for at least a million possible strings, since with fewer an attacker builds the table from what he knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from privet.errors import BadPseudonym, BadTransform, SmallDomain
from privet.protect.transform.pseudonyms._key_ring import Key, KeyScope, subkey

SMALLEST_DOMAIN = 10**6
ALPHABETS = {
    "digits": "0123456789",
    "lower": "0123456789abcdefghijklmnopqrstuvwxyz",
    "upper": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "alphanumeric": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
}
_ROUNDS = 10


class FF1:
    """FF1 with one key over one radix; numerals are lists of whole numbers below the radix."""

    def __init__(self, key: bytes, radix: int) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        if not 2 <= radix <= 2**16:
            raise BadTransform("the radix of a format lies between 2 and 65,536.")
        self.radix = radix
        cipher = algorithms.AES(key)
        self._chained = Cipher(cipher, modes.CBC(bytes(16)))
        self._block = Cipher(cipher, modes.ECB()).encryptor()  # noqa: S305  single blocks, as the standard says

    def encrypt(self, numerals: Sequence[int], tweak: bytes = b"") -> list[int]:
        """The numerals' encryption, of the same length."""
        return self._walk(numerals, tweak, range(_ROUNDS), forward=True)

    def decrypt(self, numerals: Sequence[int], tweak: bytes = b"") -> list[int]:
        """What `encrypt` was given."""
        return self._walk(numerals, tweak, range(_ROUNDS - 1, -1, -1), forward=False)

    def _walk(self, numerals: Sequence[int], tweak: bytes, rounds: range, *, forward: bool) -> list[int]:
        size = len(numerals)
        if size < 2 or self.radix**size < SMALLEST_DOMAIN:
            raise SmallDomain(
                "a value has fewer than a million possible pseudonyms of its format.",
                "Use pseudonyms that do not keep the format, or a larger alphabet.",
            )
        half = size // 2
        widths = half, size - half
        left, right = self._number(numerals[:half]), self._number(numerals[half:])
        mix = self._mixer(size, tweak)
        for at in rounds:
            modulus = self.radix ** widths[at % 2]
            if forward:
                left, right = right, (left + mix(at, right)) % modulus
            else:
                left, right = (right - mix(at, left)) % modulus, left
        return self._numerals(left, widths[0]) + self._numerals(right, widths[1])

    def _mixer(self, size: int, tweak: bytes) -> Callable[[int, int], int]:
        """The round function: a CBC-MAC of parameters, tweak, round and half, stretched to the length needed."""
        half = size // 2
        octets = ((self.radix ** (size - half) - 1).bit_length() + 7) // 8
        wanted = 4 * ((octets + 3) // 4) + 4
        head = bytes([1, 2, 1]) + self.radix.to_bytes(3, "big") + bytes([10, half % 256])
        head += size.to_bytes(4, "big") + len(tweak).to_bytes(4, "big")
        head += tweak + bytes((-len(tweak) - octets - 1) % 16)

        def mix(at: int, number: int) -> int:
            block = self._chained.encryptor().update(head + bytes([at]) + number.to_bytes(octets, "big"))[
                -16:
            ]
            stream, more = block, 1
            while len(stream) < wanted:
                turned = int.from_bytes(block, "big") ^ more
                stream += self._block.update(turned.to_bytes(16, "big"))
                more += 1
            return int.from_bytes(stream[:wanted], "big")

        return mix

    def _number(self, numerals: Sequence[int]) -> int:
        total = 0
        for each in numerals:
            total = total * self.radix + each
        return total

    def _numerals(self, number: int, width: int) -> list[int]:
        found = []
        for _ in range(width):
            number, each = divmod(number, self.radix)
            found.append(each)
        return found[::-1]


def alphabet_of(name: str) -> str:
    """The characters of a named alphabet."""
    if name not in ALPHABETS:
        raise BadTransform("there is no such alphabet.", f"Use one of: {', '.join(ALPHABETS)}.")
    return ALPHABETS[name]


def format_preserved(
    values: Sequence[str], key: Key, scope: KeyScope, alphabet: str = "digits", *, back: bool = False
) -> list[str]:
    """Each text with its characters of the alphabet encrypted in place; others (dashes, spaces) stay where they are.

    `back` decrypts. Refuses texts with fewer than a million possibilities, and says how many there are.
    """
    letters = alphabet_of(alphabet)
    places = {letter: at for at, letter in enumerate(letters)}
    needed = 2
    while len(letters) ** needed < SMALLEST_DOMAIN:
        needed += 1
    short = sum(sum(letter in places for letter in value) < needed for value in values)
    if short and back:
        raise BadPseudonym(
            f"{short} values are too short to be pseudonyms of this format.", "Check column and alphabet."
        )
    if short:
        raise SmallDomain(
            f"{short} of {len(values)} distinct values have fewer than {needed} characters of the alphabet "
            f"{alphabet!r}, and so fewer than a million possible pseudonyms.",
            "Use --method hmac or siv, or a larger alphabet.",
            values=short,
            needed=needed,
        )
    cipher = FF1(subkey(key, f"ff1 {alphabet}", scope), len(letters))
    turn = cipher.decrypt if back else cipher.encrypt
    return [_in_place(value, letters, places, turn) for value in values]


def _in_place(
    value: str, letters: str, places: dict[str, int], turn: Callable[[Sequence[int]], list[int]]
) -> str:
    turned = iter(turn([places[letter] for letter in value if letter in places]))
    return "".join(letters[next(turned)] if letter in places else letter for letter in value)
