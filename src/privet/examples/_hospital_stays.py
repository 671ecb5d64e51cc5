"""A made-up hospital: one row for each stay, several stays for many patients, and a reason behind every column.

A patient's stays are made one after another. After each stay the patient comes back within thirty days with
the odds of `READMISSION`; if so, the next stay begins within those thirty days, otherwise it begins later or
never. So `readmitted` is not a decoration: it can be learned from the other columns, up to its own chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from privet.errors import BadExample
from privet.examples import _hospital_vocabulary as hospital_vocabulary
from privet.examples._made_up_people import (
    FIRST_DAY,
    LAST_DAY,
    SEXES,
    MadeUpPeople,
    population,
    weighted,
)
from privet.examples._made_up_text import joined, picks

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

MOST_STAYS = 20
# The log-odds of coming back: base + each coefficient times its column, + the diagnosis' own share.
READMISSION = {"base": -2.3, "decades over 60": 0.22, "days up to 30": 0.07, "earlier stays up to 5": 0.30}
# Ages at which the mix of diagnoses changes.
_BANDS = (1.0, 6.0, 16.0, 25.0, 36.0, 50.0, 63.0, 73.0, 82.0)
_MIDDLES = (0.3, 3.0, 10.0, 20.0, 30.0, 43.0, 56.0, 68.0, 77.0, 88.0)


def hospital(patients: int = 2000, seed: int = 7) -> pa.Table:
    """The stays of made-up patients in one hospital from 2021 to 2025, ordered by admission.

    About two and a half stays come to a patient, never more than 20. Columns: patient_id, name, ssn, email,
    phone, born, zip, sex, ward, diagnosis, admitted, days, cost, note, readmitted (within thirty days). What
    belongs to a patient is the same in all of the patient's rows.
    """
    import numpy as np

    if patients < 1:
        raise BadExample("a hospital needs at least one patient.", "Ask for patients=2000.")
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence([seed, patients]).spawn(3)]
    people = population(patients, streams[0])
    stays = _ordered(_histories(people, streams[1]))
    return _table(people, stays, streams[2])


@dataclass(frozen=True, slots=True)
class _Stays:
    """One entry for each stay, in every array."""

    patient: NDArray[np.int32]
    diagnosis: NDArray[np.int16]
    ward: NDArray[np.int8]
    admitted: NDArray[np.int32]
    days: NDArray[np.int32]
    cost: NDArray[np.float64]
    readmitted: NDArray[np.bool_]


@cache
def _catalogue() -> tuple[hospital_vocabulary.Diagnosis, ...]:
    return hospital_vocabulary.diagnoses()


@cache
def _ladders() -> Any:
    """Cumulative chances of the diagnoses, one ladder for each sex (F, M) and age band."""
    import numpy as np

    listed = _catalogue()
    weight = np.array([d.weight for d in listed])
    centre, spread = np.array([d.age for d in listed]), np.array([d.spread for d in listed])
    ladders = []
    for sex in SEXES[:2]:
        possible = np.array([d.sex in ("", sex) for d in listed])
        for middle in _MIDDLES:
            fit = np.exp(-0.5 * ((middle - centre) / spread) ** 2) * possible * weight + 1e-12 * possible
            ladders.append(np.cumsum(fit) / fit.sum())
    return np.array(ladders).reshape(2, len(_MIDDLES), len(listed))


def _diagnose(ages: NDArray[Any], sex: NDArray[Any], draw: np.random.Generator) -> NDArray[np.int16]:
    """A diagnosis for each patient, by age and sex; those of neither sex draw from one of the two mixes."""
    import numpy as np

    chance, mix = draw.random(len(ages)), np.where(sex == 2, draw.integers(0, 2, len(ages)), sex)
    band = np.searchsorted(_BANDS, ages)
    found = np.empty(len(ages), dtype=np.int16)
    for one in range(2):
        for number in range(len(_MIDDLES)):
            here = np.flatnonzero((mix == one) & (band == number))
            found[here] = np.searchsorted(_ladders()[one, number], chance[here], side="right")
    return found


def _histories(people: MadeUpPeople, draw: np.random.Generator) -> list[_Stays]:
    """First stays, second stays, third stays, …: each made from the one before."""
    import numpy as np

    who = np.arange(len(people), dtype=np.int32)
    # Nobody is admitted before birth, and the first stay of newborns is soon after it.
    earliest = np.maximum(people.born, FIRST_DAY)
    admitted = (earliest + (draw.random(len(who)) ** 1.3 * (LAST_DAY - earliest)).astype(np.int32)).astype(
        np.int32
    )
    frail = draw.beta(2.0, 3.0, len(who))
    before = np.full(len(who), -1, dtype=np.int16)
    found = []
    for earlier in range(MOST_STAYS):
        ages = (admitted - people.born[who]) / 365.25
        fresh = _diagnose(ages, people.sex[who], draw)
        chronic = (before >= 0) & (draw.random(len(who)) < 0.55) & ~_once(before)
        diagnosis = np.where(chronic, before, fresh).astype(np.int16)
        stay = _stay(who, diagnosis, admitted, ages, earlier=earlier, draw=draw)
        found.append(stay)
        gap = np.where(
            stay.readmitted, draw.integers(1, 31, len(who)), 31 + draw.exponential(240.0, len(who))
        )
        admitted = (admitted + stay.days + gap.astype(np.int32)).astype(np.int32)
        goes_on = (stay.readmitted | (draw.random(len(who)) < 0.25 + 0.75 * frail)) & (admitted <= LAST_DAY)
        who, before, admitted, frail = who[goes_on], diagnosis[goes_on], admitted[goes_on], frail[goes_on]
        if not len(who):
            break
    return found


def _once(diagnosis: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Whether a diagnosis is over once treated: births, operations, injuries."""
    import numpy as np

    over = np.array([d.label[0] in "OPKS" for d in _catalogue()])
    return np.asarray(over[diagnosis])


def _stay(
    who: NDArray[np.int32],
    diagnosis: NDArray[np.int16],
    admitted: NDArray[np.int32],
    ages: NDArray[Any],
    *,
    earlier: int,
    draw: np.random.Generator,
) -> _Stays:
    """Ward, length, cost and return of one stay for each patient."""
    import numpy as np

    listed, size = _catalogue(), len(who)
    usual = np.array([hospital_vocabulary.WARDS.index(d.ward) for d in listed], dtype=np.int8)[diagnosis]
    chance = draw.random(size)
    ward = np.where(chance < 0.03, hospital_vocabulary.INTENSIVE_CARE, usual)
    ward = np.where(
        (ages < 16) & (usual != hospital_vocabulary.INTENSIVE_CARE), hospital_vocabulary.PAEDIATRICS, ward
    )
    # Only infants and children lie in the children's ward.
    ward = np.where((ages >= 18) & (ward == hospital_vocabulary.PAEDIATRICS), 2, ward).astype(np.int8)
    median = np.array([d.days for d in listed])[diagnosis] * (1 + np.maximum(ages - 60, 0) / 90)
    days = np.clip(np.rint(median * np.exp(0.55 * draw.standard_normal(size))), 1, 120).astype(np.int32)
    daily = np.array([d.daily for d in listed])[diagnosis] * np.where(
        ward == hospital_vocabulary.INTENSIVE_CARE, 1.8, 1.0
    )
    cost = np.round((900 + daily * days**0.92) * np.exp(0.18 * draw.standard_normal(size)), 2)
    odds = np.exp(log_odds(ages, days, earlier, np.array([d.returns for d in listed])[diagnosis]))
    readmitted = draw.random(size) < odds / (1 + odds)
    return _Stays(who, diagnosis, ward, admitted, days, cost, readmitted)


def log_odds(ages: Any, days: Any, earlier: Any, returns: Any) -> Any:
    """The log-odds of coming back within thirty days; `returns` is the diagnosis' own share."""
    import numpy as np

    rule = READMISSION
    return (
        rule["base"]
        + rule["decades over 60"] * (ages - 60) / 10
        + rule["days up to 30"] * np.minimum(days, 30)
        + rule["earlier stays up to 5"] * np.minimum(earlier, 5)
        + returns
    )


def _ordered(histories: list[_Stays]) -> _Stays:
    """All stays in order of admission; one day's are in the order of the patients."""
    import numpy as np

    together = {
        name: np.concatenate([getattr(part, name) for part in histories]) for name in _Stays.__slots__
    }
    order = np.argsort(together["admitted"].astype(np.int64) << 32 | together["patient"], kind="stable")
    return _Stays(**{name: values[order] for name, values in together.items()})


def _table(people: MadeUpPeople, stays: _Stays, draw: np.random.Generator) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    rows = pa.array(stays.patient)
    numbers = 100_000 + draw.permutation(len(people)).astype(np.int64)
    name, phone = people.name.take(rows), people.phone.take(rows)
    return pa.table(
        {
            "patient_id": numbers[stays.patient],
            "name": name,
            "ssn": people.ssn.take(rows),
            "email": people.email.take(rows),
            "phone": phone,
            "born": pa.array(people.born[stays.patient]).cast(pa.date32()),
            "zip": people.zip.take(rows),
            "sex": picks(SEXES, people.sex[stays.patient]),
            "ward": picks(hospital_vocabulary.WARDS, stays.ward),
            "diagnosis": picks([d.label for d in _catalogue()], stays.diagnosis),
            "admitted": pa.array(stays.admitted).cast(pa.date32()),
            "days": stays.days.astype(np.int64),
            "cost": stays.cost,
            "note": _notes(name, phone, draw),
            "readmitted": stays.readmitted,
        }
    )


def _notes(name: pa.Array, phone: pa.Array, draw: np.random.Generator) -> pa.Array:
    """Free text: a phrase, and in some rows the patient's name or telephone number in the middle of it."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen = weighted(hospital_vocabulary.NOTE_WEIGHTS, len(name), draw)
    slots = np.array([slot for _, slot, _ in hospital_vocabulary.NOTES])[chosen]
    slot = pc.if_else(pa.array(slots == "name"), name, pc.if_else(pa.array(slots == "phone"), phone, ""))
    return joined(
        picks([n[0] for n in hospital_vocabulary.NOTES], chosen),
        slot,
        picks([n[2] for n in hospital_vocabulary.NOTES], chosen),
    )
