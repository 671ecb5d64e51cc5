"""A made-up population: identity, date of birth, sex and address, drawn jointly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.examples import _hospital_vocabulary as hospital_vocabulary
from privet.examples._made_up_text import digits, joined, picks

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

# Day numbers count from 1970-01-01. The observed years are 2021 to 2025.
FIRST_DAY, LAST_DAY = 18628, 20453
SEXES = ("F", "M", "X")


@dataclass(frozen=True, slots=True)
class MadeUpPeople:
    """One entry for each person, in every array."""

    name: pa.Array
    ssn: pa.Array
    email: pa.Array
    phone: pa.Array
    zip: pa.Array
    sex: NDArray[np.int8]  # index into SEXES
    born: NDArray[np.int32]  # day number

    def __len__(self) -> int:
        return len(self.born)


def zip_codes() -> NDArray[np.int64]:
    """All postal codes of the region, the hospital's own county first."""
    import numpy as np

    return np.concatenate([np.arange(count) * 2 + start for start, count in hospital_vocabulary.ZIP_AREAS])


def population(size: int, draw: np.random.Generator, *, youngest: float = 0.0) -> MadeUpPeople:
    """People of a region: where one lives goes with one's age, and age with sex.

    Some postal codes are student quarters and some retirement towns; women outnumber men in old age and among
    patients of childbearing age. `youngest` cuts the ages off from below.
    """
    import numpy as np

    places = _places(size, draw)
    born = _birthdays(places, draw, youngest)
    ages = (LAST_DAY - born) / 365.25
    woman = 0.49 + 0.06 * ((ages > 18) & (ages < 45)) + 0.14 / (1 + np.exp(-(ages - 80) / 5))
    chance = draw.random(size)
    sex = (chance > woman).astype("int8") + (chance > 0.997)
    first, last, name = _names(sex, draw)
    return MadeUpPeople(
        name=name,
        ssn=_numbers(size, draw),
        email=_addresses(first, last, size, draw),
        phone=digits("###-555-01##", draw.integers(201, 990, size), draw.integers(0, 100, size)),
        zip=digits("#####", zip_codes()[places]),
        sex=sex.astype("int8"),
        born=born,
    )


def weighted(weights: Any, size: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """Indices drawn in proportion to the weights."""
    import numpy as np

    ladder = np.cumsum(np.asarray(weights, dtype=np.float64))
    return np.asarray(np.searchsorted(ladder, draw.random(size) * ladder[-1], side="right"))


def _places(size: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """Index of the postal code: near ones are common, far ones rare, and their sizes differ."""
    import numpy as np

    weights = []
    for nearness, (_, count) in zip((8.0, 2.0, 1.2, 0.5), hospital_vocabulary.ZIP_AREAS, strict=True):
        weights.append(nearness * (1 + np.arange(count)) ** -0.35)
    return weighted(np.concatenate(weights), size, draw)


def _birthdays(places: NDArray[np.int64], draw: np.random.Generator, youngest: float) -> NDArray[np.int32]:
    import numpy as np

    size = len(places)
    student, retired = places % 17 == 3, places % 11 == 5
    child = np.where(retired, 0.03, 0.10)
    young = child + np.where(student, 0.62, np.where(retired, 0.12, 0.27))
    middle = young + np.where(student, 0.16, np.where(retired, 0.20, 0.28))
    chance = draw.random(size)
    ages = np.select(
        [chance < child, chance < young, chance < middle],
        [
            18 * draw.random(size) ** 1.6,
            draw.normal(np.where(student, 22.0, 31.0), np.where(student, 2.5, 7.0), size),
            draw.normal(52.0, 8.0, size),
        ],
        draw.normal(75.0, 9.0, size),
    )
    ages = youngest + np.abs(ages - youngest)  # fold back what falls below
    ages = np.where(ages > 102, 102 - (ages - 102) % 30, ages)
    return np.asarray(LAST_DAY - 1 - np.floor(ages * 365.25), dtype=np.int32)


def _fashion(many: int) -> NDArray[np.float64]:
    """How popular the first, second, third … of many names is."""
    import numpy as np

    return np.asarray((np.arange(many) + 8.0) ** -0.7)


def _names(sex: NDArray[Any], draw: np.random.Generator) -> tuple[pa.Array, pa.Array, pa.Array]:
    import numpy as np

    size = len(sex)
    firsts = (*hospital_vocabulary.WOMEN, *hospital_vocabulary.MEN)
    woman = np.where(sex == 2, draw.random(size) < 0.5, sex == 0)
    chosen = np.where(
        woman,
        weighted(_fashion(len(hospital_vocabulary.WOMEN)), size, draw),
        len(hospital_vocabulary.WOMEN) + weighted(_fashion(len(hospital_vocabulary.MEN)), size, draw),
    )
    first = picks(firsts, chosen)
    last = picks(
        hospital_vocabulary.FAMILIES, weighted(_fashion(len(hospital_vocabulary.FAMILIES)), size, draw)
    )
    letter = picks([f" {c}. " for c in "ABCDEFGHIJKLMNOPRSTVW"], draw.integers(0, 21, size))
    return first, last, joined(first, letter, last)


def _numbers(size: int, draw: np.random.Generator) -> pa.Array:
    """Distinct nine-digit numbers whose area lies from 900 up, which is never issued for social security."""
    import numpy as np

    area, group, serial = 100, 99, 9999
    space = area * group * serial
    # A walk with a stride that shares no factor with the space visits every number once.
    stride = 61_803_403
    spots = (draw.integers(0, space) + np.arange(size, dtype=np.int64) * stride) % space
    return digits(
        "###-##-####", 900 + spots // (group * serial), 1 + spots // serial % group, 1 + spots % serial
    )


def _addresses(first: pa.Array, last: pa.Array, size: int, draw: np.random.Generator) -> pa.Array:
    import pyarrow.compute as pc

    host = picks([f"@{name}" for name in hospital_vocabulary.MAILBOXES], weighted((8, 4, 2, 1), size, draw))
    number = picks([str(n) for n in range(10, 1000)], draw.integers(0, 990, size))
    dot = picks([".", "_", ""], weighted((7, 2, 2), size, draw))
    return joined(pc.ascii_lower(first), dot, pc.ascii_lower(last), number, host)
