"""A public roll beside the hospital: what an outsider can look up, and the truth an attack is scored against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.errors import BadExample
from privet.examples._made_up_people import LAST_DAY, SEXES, population, zip_codes
from privet.examples._made_up_text import digits, picks

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

VOTING_AGE = 18


def voter_roll(
    hospital: pa.Table, *, share: float = 0.6, others: int | None = None, moved: float = 0.03, seed: int = 7
) -> pa.Table:
    """A roll of voters: voter_id, name, born, zip, sex, in random order.

    It holds `share` of the hospital's adult patients (rounded down) and `others` people who were never there
    (twice as many as the patients, if left out). A part `moved` of the patients in it lives in another postal
    code by now, so that a linkage can be wrong as well as right. `linkage_truth` with the same arguments says
    who is who.
    """
    return _made(hospital, share, others, moved, seed)[0]


def linkage_truth(
    hospital: pa.Table, *, share: float = 0.6, others: int | None = None, moved: float = 0.03, seed: int = 7
) -> pa.Table:
    """Who is who: voter_id and patient_id of every voter who is a patient. For scoring an attack only."""
    return _made(hospital, share, others, moved, seed)[1]


def _made(
    hospital: pa.Table, share: float, others: int | None, moved: float, seed: int
) -> tuple[pa.Table, pa.Table]:
    import numpy as np
    import pyarrow as pa

    if not (0 <= share <= 1 and 0 <= moved <= 1 and (others is None or others >= 0)):
        raise BadExample(
            "share and moved are parts of 1, and others is a number of people.", "Try share=0.6."
        )
    draw = np.random.default_rng([seed, 1])
    patients = _patients(hospital)
    adults = np.flatnonzero(patients["born"].cast(pa.int32()).to_numpy() <= LAST_DAY - VOTING_AGE * 365.25)
    listed = draw.permutation(adults)[: int(share * len(adults))]
    known = patients.take(pa.array(listed)).select(["patient_id", "name", "born", "zip", "sex"])
    known = known.set_column(3, "zip", _with_moves(known["zip"], moved, draw))
    strangers = _strangers(2 * len(patients) if others is None else others, draw)
    everyone = pa.concat_tables([known, strangers]).combine_chunks()
    order = draw.permutation(len(everyone))
    shuffled = everyone.take(pa.array(order))
    voter_id = digits("V########", np.arange(1, len(order) + 1, dtype=np.int64))
    roll = shuffled.drop_columns(["patient_id"]).add_column(0, "voter_id", voter_id)
    pairs = pa.table({"voter_id": voter_id, "patient_id": shuffled["patient_id"]})
    return roll, pairs.filter(pairs["patient_id"].is_valid())


def _patients(hospital: pa.Table) -> pa.Table:
    """One row for each patient, in the order of their first stay."""
    import numpy as np
    import pyarrow as pa

    _, first = np.unique(hospital["patient_id"].to_numpy(), return_index=True)
    return hospital.take(pa.array(np.sort(first)))


def _with_moves(zips: pa.ChunkedArray, moved: float, draw: np.random.Generator) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    elsewhere = digits("#####", draw.choice(zip_codes(), len(zips)))
    return pc.if_else(pa.array(draw.random(len(zips)) < moved), elsewhere, zips).combine_chunks()


def _strangers(size: int, draw: np.random.Generator) -> pa.Table:
    import pyarrow as pa

    people = population(size, draw, youngest=VOTING_AGE + 0.01)
    return pa.table(
        {
            "patient_id": pa.nulls(size, pa.int64()),
            "name": people.name,
            "born": pa.array(people.born).cast(pa.date32()),
            "zip": people.zip,
            "sex": picks(SEXES, people.sex),
        }
    )
