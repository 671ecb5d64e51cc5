"""National, tax and social security numbers, by the check that each country prints into them (python-stdnum).

A check proves little by itself: nearly every number of seven to twelve digits is valid somewhere, and one in eleven
passes a check modulo eleven. So the same values are tried again with made-up digits in their places; a format is claimed
only where nine in ten values pass and chance would bring that about less than once in a million columns.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from privet.audits.columns._column_evidence import Detector

# module of stdnum | category of the taxonomy, below user | what its numbers are called
_FORMATS = """
ar.dni|government_id|Argentine identity numbers
at.vnr|government_id|Austrian insurance numbers
au.tfn|government_id.au_tfn|Australian tax file numbers
be.nn|government_id.be_national|Belgian national numbers
be.bis|government_id.be_national|Belgian register numbers
bg.egn|government_id|Bulgarian personal numbers
bg.pnf|government_id|Bulgarian numbers of foreigners
br.cpf|government_id.br_cpf|Brazilian CPF numbers
ca.sin|government_id.ca_sin|Canadian social insurance numbers
ch.ssn|government_id.ch_ahv|Swiss AHV numbers
cl.rut|government_id|Chilean RUT numbers
cn.ric|government_id.cn_resident|Chinese resident numbers
cr.cpf|government_id|Costa Rican identity numbers
cu.ni|government_id|Cuban identity numbers
cz.rc|government_id|Czech and Slovak birth numbers
de.idnr|government_id.de_tax_id|German tax numbers
dk.cpr|government_id|Danish CPR numbers
do.cedula|government_id|Dominican identity numbers
ec.ci|government_id|Ecuadorian identity numbers
ee.ik|government_id|Estonian and Lithuanian personal codes
es.dni|government_id.es_dni|Spanish DNI numbers
es.nie|government_id.es_dni|Spanish NIE numbers
fi.hetu|government_id.fi_hetu|Finnish personal codes
fr.nif|government_id|French tax numbers
fr.nir|government_id.fr_insee|French INSEE numbers
gb.nhs|health_and_medical.uk_nhs|UK NHS numbers
gb.upn|government_id|English pupil numbers
gr.amka|government_id|Greek AMKA numbers
hr.oib|government_id|Croatian OIB numbers
id.nik|government_id|Indonesian NIK numbers
ie.pps|government_id|Irish PPS numbers
il.idnr|government_id|Israeli identity numbers
in_.aadhaar|government_id.in_aadhaar|Indian Aadhaar numbers
in_.epic|government_id|Indian voter numbers
in_.pan|government_id.in_pan|Indian PAN numbers
is_.kennitala|government_id|Icelandic identity numbers
it.codicefiscale|government_id.it_codice_fiscale|Italian tax codes
jp.in_|government_id|Japanese individual numbers
kr.rrn|government_id|South Korean resident numbers
mu.nid|government_id|Mauritian identity numbers
mx.curp|government_id.mx_curp|Mexican CURP codes
mx.rfc|government_id|Mexican RFC codes
my.nric|government_id|Malaysian identity numbers
nl.bsn|government_id.nl_bsn|Dutch citizen numbers
no.fodselsnummer|government_id|Norwegian birth numbers
nz.ird|government_id|New Zealand tax numbers
pe.cui|government_id|Peruvian identity numbers
pk.cnic|government_id|Pakistani identity numbers
pl.nip|government_id|Polish tax numbers
pl.pesel|government_id.pl_pesel|Polish PESEL numbers
pt.cc|government_id|Portuguese identity numbers
ro.cnp|government_id|Romanian CNP numbers
ru.inn|government_id|Russian tax numbers
se.personnummer|government_id.se_personnummer|Swedish personal numbers
si.emso|government_id|EMŠO and JMBG numbers
th.pin|government_id|Thai identity numbers
tr.tckimlik|government_id|Turkish identity numbers
ua.rntrc|government_id|Ukrainian tax numbers
us.itin|government_id.us_ssn|US taxpayer numbers
us.ssn|government_id.us_ssn|US social security numbers
za.idnr|government_id|South African identity numbers
"""
_SHARE = 0.9  # of the values pass
_TAIL = 1e-6  # chance that so many made-up ones would
OFTEN = 0.3  # made-up numbers that pass, from which on a name must say so too
_TRIES = 2_000  # made-up numbers
_FIRST = 40
_PLAUSIBLE = re.compile(r"(?=(?:.*\d){5})[A-Za-z0-9][A-Za-z0-9 .,/+-]{5,22}")
_NINO = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """A kind of number that belongs to natural persons."""

    module: str
    category: str
    label: str

    def accepts(self, text: str) -> bool:
        """Whether a number passes the check. Never fails: some checks raise on numbers that only look right."""
        try:
            return bool(_check(self.module)(text))
        except Exception:  # noqa: BLE001  a borrowed check that stumbles has not recognised the number
            return False


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A format that nearly all values have, and how often made-up numbers of the same form would."""

    format: NumberFormat
    share: float
    tested: int
    chance: float


def _read(line: str) -> NumberFormat:
    module, category, label = line.split("|")
    return NumberFormat(module, f"user.{category}", label)


FORMATS = tuple(map(_read, _FORMATS.strip().splitlines()))


@functools.cache
def _check(module: str) -> Callable[[str], bool]:
    found: Callable[[str], bool] = importlib.import_module(f"stdnum.{module}").is_valid
    return found


def claims(texts: Sequence[str]) -> Iterator[NumberClaim]:
    """The formats that these distinct values have beyond chance."""
    if not texts or sum(_PLAUSIBLE.fullmatch(text) is not None for text in texts) < _SHARE * len(texts):
        return
    first = texts[:: max(1, len(texts) // _FIRST)][:_FIRST]
    for one in FORMATS:
        if sum(map(one.accepts, first)) < 0.8 * len(first):
            continue
        valid = sum(map(one.accepts, texts))
        chance = _chance(one, texts)
        if valid >= _SHARE * len(texts) and _tail(valid, len(texts), chance) < _TAIL:
            yield NumberClaim(one, valid / len(texts), len(texts), chance)


def _tail(valid: int, tested: int, chance: float) -> float:
    from scipy.special import bdtrc

    return float(bdtrc(valid - 1, tested, chance))


def _chance(one: NumberFormat, texts: Sequence[str]) -> float:
    """How often made-up numbers of the same forms pass, on the safe side."""
    tries = [made_up(text, turn) for turn in range(-(-_TRIES // len(texts))) for text in texts][:_TRIES]
    return min(1.0, (sum(map(one.accepts, tries)) + 3) / len(tries))


def made_up(text: str, turn: int) -> str:
    """The text with other digits and letters in the same places; the same ones every time."""
    state = hash_of(text, turn)
    made = []
    for letter in text:
        state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        drawn = state >> 33
        if letter.isdecimal():
            made.append(str(drawn % 10))
        elif letter.isascii() and letter.isalpha():
            made.append(chr(ord("A" if letter.isupper() else "a") + drawn % 26))
        else:
            made.append(letter)
    return "".join(made)


def hash_of(text: str, turn: int) -> int:
    """A start for made-up digits that does not depend on the process, as `hash` does."""
    import hashlib

    return int.from_bytes(hashlib.blake2b(f"{turn}|{text}".encode(), digest_size=8).digest(), "big")


def is_written_ssn(text: str) -> bool:
    """US social security (and taxpayer) number as it is written: three, two and four digits."""
    return re.fullmatch(r"(?!000|666)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}", text) is not None


def is_bare_ssn(text: str) -> bool:
    """Nine digits in the ranges that are issued; nearly all nine-digit numbers are."""
    return re.fullmatch(r"(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}", text) is not None


def is_nino(text: str) -> bool:
    """UK national insurance number: two letters of a short list, six digits, a letter A to D."""
    return _NINO.fullmatch(re.sub(r"[ .\-/]", "", text).upper()) is not None


DETECTORS = (
    Detector("user.government_id.us_ssn", is_written_ssn, chance=0.01),
    Detector("user.government_id.us_ssn", is_bare_ssn, chance=0.9, needs_name=True),
    Detector("user.government_id.uk_nino", is_nino, chance=0.02),
)
