"""The made-up hospital: the same bytes for the same seed, and columns that hang together as in life."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy import optimize

from privet import examples
from privet.errors import BadExample
from privet.examples import _hospital_stays as stays
from privet.examples import _hospital_vocabulary as vocabulary


@pytest.fixture(scope="module")
def table():
    return examples.hospital(patients=20_000, seed=3)


def serialized(table):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return sink.getvalue()


def one_row_each(table):
    _, first = np.unique(table["patient_id"].to_numpy(), return_index=True)
    return table.take(pa.array(first))


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    once = serialized(examples.hospital(500, seed=11))
    assert once == serialized(examples.hospital(500, seed=11))
    assert once != serialized(examples.hospital(500, seed=12))


@pytest.mark.parametrize("patients", [1, 2, 37, 2000])
def test_has_as_many_patients_as_asked_for(patients):
    made = examples.hospital(patients)
    assert len(pc.unique(made["patient_id"])) == patients
    assert made.num_rows >= patients
    assert all(not column.null_count for column in made.columns)


def test_refuses_a_hospital_without_patients():
    with pytest.raises(BadExample, match="E-EXAMPLE-001"):
        examples.hospital(0)


def test_what_belongs_to_a_patient_never_changes(table):
    fixed = ["name", "ssn", "email", "phone", "born", "zip", "sex"]
    together = table.select(["patient_id", *fixed]).group_by(["patient_id", *fixed]).aggregate([])
    assert together.num_rows == 20_000
    assert len(pc.unique(table["ssn"])) == 20_000


def test_many_patients_return_and_none_more_than_twenty_times(table):
    _, stays_each = np.unique(table["patient_id"].to_numpy(), return_counts=True)
    assert 2.2 < stays_each.mean() < 2.9
    assert stays_each.max() <= 20
    assert 0.4 < np.mean(stays_each == 1) < 0.5


def test_stays_are_ordered_do_not_overlap_and_follow_birth(table):
    admitted = table["admitted"].cast(pa.int32()).to_numpy()
    assert np.all(np.diff(admitted) >= 0)
    assert np.all(admitted >= table["born"].cast(pa.int32()).to_numpy())
    days, order = table["days"].to_numpy(), np.argsort(table["patient_id"].to_numpy(), kind="stable")
    patient = table["patient_id"].to_numpy()[order]
    gap = admitted[order][1:] - (admitted + days)[order][:-1]
    same, back = patient[1:] == patient[:-1], table["readmitted"].to_numpy()[order][:-1]
    assert gap[same].min() >= 1
    assert gap[same & back].max() <= 30
    assert gap[same & ~back].min() > 30


def test_readmission_follows_its_rule(table):
    """A logistic fit finds each coefficient of the rule within four standard errors (false alarm < 4e-4)."""
    frame = table.to_pandas()
    returns = {d.label: d.returns for d in vocabulary.diagnoses()}
    age = (frame["admitted"].astype("datetime64[s]") - frame["born"].astype("datetime64[s]")).dt.days / 365.25
    inputs = np.column_stack(
        [
            np.ones(len(frame)),
            (age - 60) / 10,
            np.minimum(frame["days"], 30),
            np.minimum(frame.groupby("patient_id").cumcount(), 5),
            frame["diagnosis"].map(returns),
        ]
    )
    came_back = frame["readmitted"].to_numpy(float)

    def loss(weights):
        return np.sum(np.logaddexp(0, inputs @ weights)) - came_back @ (inputs @ weights)

    def slope(weights):
        return inputs.T @ (1 / (1 + np.exp(-inputs @ weights)) - came_back)

    fit = optimize.minimize(loss, np.zeros(5), jac=slope, method="BFGS").x
    chance = 1 / (1 + np.exp(-inputs @ fit))
    errors = np.sqrt(np.diag(np.linalg.inv((inputs * (chance * (1 - chance))[:, None]).T @ inputs)))
    wanted = np.array([*stays.READMISSION.values(), 1.0])
    assert np.all(np.abs(fit - wanted) < 4 * errors)
    assert np.all(np.abs(wanted) > 10 * errors)  # so the test could have told no dependence from this one
    assert 0.15 < came_back.mean() < 0.30


def test_diagnoses_have_a_long_tail(table):
    counts = np.sort(pc.value_counts(table["diagnosis"]).field("counts").to_numpy())[::-1]
    assert len(counts) > 150
    assert counts[0] < 0.12 * table.num_rows
    assert np.sum(counts <= 5) > 50


def test_diagnoses_respect_sex_and_age(table):
    frame = table.to_pandas()
    only = {d.label: d.sex for d in vocabulary.diagnoses() if d.sex}
    bound = frame[frame["diagnosis"].isin(list(only))]
    wrong = bound["diagnosis"].map(only) != bound["sex"]
    assert not (wrong & (bound["sex"] != "X")).any()
    births = frame[frame["diagnosis"] == "O80 Normal birth"]
    age = (
        births["admitted"].astype("datetime64[s]") - births["born"].astype("datetime64[s]")
    ).dt.days / 365.25
    assert len(births) > 100
    assert age.between(12, 55).all()


def test_birth_date_zip_and_sex_identify_most_people():
    """Between the 63 % (Golle 2006) and 87 % (Sweeney 2000) that were estimated for whole populations, or above."""
    small, large = (one_row_each(examples.hospital(n, seed=1)) for n in (2_000, 400_000))
    for people, low, high in ((small, 0.97, 1.0), (large, 0.63, 0.95)):
        counts = (
            people.group_by(["born", "zip", "sex"]).aggregate([([], "count_all")])["count_all"].to_numpy()
        )
        assert low <= np.sum(counts == 1) / len(people) <= high
    # The three together do, each one alone does not.
    assert len(pc.unique(large["zip"])) == 126


def test_where_people_live_goes_with_their_age(table):
    people = one_row_each(table).to_pandas()
    born = people["born"].astype("datetime64[s]").dt.year
    assert born.groupby(people["zip"]).median().agg(["min", "max"]).diff().iloc[1] > 20


def test_nothing_in_it_can_reach_a_real_person(table):
    for column, pattern in {
        "email": r"^[a-z]+[._]?[a-z]+\d+@([a-z]+\.)?example\.org$",
        "phone": r"^\d{3}-555-01\d\d$",
        "ssn": r"^9\d\d-\d\d-\d{4}$",
        "zip": r"^(987|697|698|699)\d\d$",
    }.items():
        assert pc.all(pc.match_substring_regex(table[column], pattern)).as_py(), column


def test_notes_sometimes_give_the_patient_away(table):
    frame = table.select(["name", "phone", "note"]).to_pandas()
    named = np.mean([name in note for name, note in zip(frame["name"], frame["note"], strict=True)])
    phoned = np.mean([phone in note for phone, note in zip(frame["phone"], frame["note"], strict=True)])
    assert 0.04 < named < 0.12
    assert 0.01 < phoned < 0.06


def test_cost_goes_with_days(table):
    assert np.corrcoef(np.log(table["days"].to_numpy()), np.log(table["cost"].to_numpy()))[0, 1] > 0.7
