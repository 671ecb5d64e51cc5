"""The words that columns are called by, in many languages, read from `lexicon.txt` beside this module."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources

# Letters that Unicode does not take apart, and Arabic letters that are written in several ways.
_SPELLED = str.maketrans(
    {
        "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th",
        "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ؤ": "و", "ئ": "ي", "ـ": "",
    }
)  # fmt: skip
# Accents, and the marks of vowels in Arabic and Hebrew; those of kana and of Indian scripts are letters.
_MARKS = re.compile("[\u0300-\u036f\u064b-\u0652\u0591-\u05c7]")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_TOGETHER = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f]")
_ELIDED = re.compile(r"\b[dlsn]['’]")  # pièce d'identité: also piece_identite
_SHORT = 3
_NUMBERED = ("id", "nr", "no", "num", "code", "key")


def spelled(text: str) -> str:
    """Text as it is compared: compatible forms made one, small letters, no accents."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_SPELLED)
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", plain)))


def tokens(name: str) -> list[str]:
    """The words and numbers of a name: `PatientDOB_2` gives patient, dob and 2."""
    text = unicodedata.normalize("NFKC", name)
    return _split("".join(_parted(text, at) for at in range(len(text))))


def _split(text: str) -> list[str]:
    plain = spelled(text)
    if not plain.isalnum():
        plain = "".join(letter if _is_letter(letter) else " " for letter in plain)
    return plain.split()


def _is_letter(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter).startswith("M")


def _parted(text: str, at: int) -> str:
    """A letter, after a blank where a word in capitals begins or a number does."""
    here, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    begins = here.isupper() and (
        before.islower() or before.isdigit() or (before.isupper() and after.islower())
    )
    number = before.isalnum() and here.isalnum() and here.isdecimal() != before.isdecimal()
    return f" {here}" if begins or number else here


def is_written_together(word: str) -> bool:
    """Whether a word is of a script that puts no blanks between words."""
    return _TOGETHER.search(word) is not None


@dataclass(frozen=True, slots=True)
class Match:
    """An entry found in a name: of which block, from which word to which, and how many letters it accounts for."""

    block: str
    begin: int
    end: int
    letters: int
    alone: bool  # the entry counts only if nothing else is in the name


@dataclass(eq=False)
class Lexicon:
    """Entries by the way they are looked up; lists of blocks keep the order of the file."""

    exact: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    beginnings: dict[str, str] = field(default_factory=dict)
    endings: dict[str, str] = field(default_factory=dict)
    inside: dict[str, str] = field(default_factory=dict)
    languages: dict[str, set[str]] = field(default_factory=dict)
    longest: int = 1

    def add(self, block: str, language: str, entry: str) -> None:
        """Take in one entry, with its umlauts written out as well."""
        self.languages.setdefault(block, set()).add(language)
        alone = entry.startswith("(") and entry.endswith(")")
        text = entry[1:-1] if alone else entry
        for spelling in dict.fromkeys((text, text.translate(_UMLAUTS), _ELIDED.sub("", text))):
            if spelling.endswith("*"):
                self.beginnings.setdefault(spelled(spelling[:-1]), block)
            elif spelling.startswith("*"):
                self.endings.setdefault(spelled(spelling[1:]), block)
            else:
                self._whole(block, language, spelling, alone=alone)

    def _whole(self, block: str, language: str, text: str, *, alone: bool) -> None:
        words = _split(text)
        joined = "".join(words)
        if not joined:
            return
        together = is_written_together(joined)
        foreign = (
            language != "en" and joined.isascii()
        )  # short words of one language mean something else in another
        short = len(joined) == 1 if together else foreign and len(joined) <= _SHORT
        self.longest = max(self.longest, len(words))
        known = self.exact.setdefault(joined, [])
        if all(other != block for other, _ in known):
            known.append((block, alone or short))
        if together and not (alone or short):
            self.inside.setdefault(joined, block)

    def parted(self, words: list[str]) -> list[str]:
        """Words with a number's ending taken off where the rest is known: `townid` gives town and id."""
        found: list[str] = []
        for word in words:
            ending = next((one for one in _NUMBERED if self._ends(word, one)), "")
            found += [word.removesuffix(ending), ending] if ending else [word]
        return found

    def _ends(self, word: str, ending: str) -> bool:
        stem = word.removesuffix(ending)
        return stem != word and word not in self.exact and len(stem) >= _SHORT and stem in self.exact

    def matches(self, words: list[str]) -> Iterator[Match]:
        """Every entry that occurs in a name of these words."""
        for begin in range(len(words)):
            joined = ""
            for end in range(begin + 1, min(len(words), begin + self.longest + 2) + 1):
                joined += words[end - 1]
                for block, alone in self.exact.get(joined, ()):
                    yield Match(block, begin, end, len(joined), alone)
            yield from self._in_word(words[begin], begin)

    def _in_word(self, word: str, at: int) -> Iterator[Match]:
        for length in range(len(word), 2, -1):
            if (block := self.beginnings.get(word[:length])) is not None:
                yield Match(block, at, at + 1, length, alone=False)
            if (block := self.endings.get(word[-length:])) is not None:
                yield Match(block, at, at + 1, length, alone=False)
        if not is_written_together(word):
            return
        for begin in range(len(word)):
            for end in range(begin + 2, min(len(word), begin + 12) + 1):
                if (block := self.inside.get(word[begin:end])) is not None:
                    # A letter counts twice: these scripts say in two what others say in six.
                    yield Match(block, at, at + 1, 2 * (end - begin), alone=False)


@functools.cache
def lexicon() -> Lexicon:
    """The words of `lexicon.txt`."""
    found, block = Lexicon(), ""
    text = resources.files("privet.audits.columns").joinpath("lexicon.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            block = line[1:-1]
        elif line and not line.startswith("#"):
            language, _, entries = line.partition(":")
            for entry in entries.split("|"):
                found.add(block, language, entry.strip())
    return found
