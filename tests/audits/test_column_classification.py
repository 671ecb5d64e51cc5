"""Every column gets the role it deserves, under an honest, an empty and a misleading name."""

from __future__ import annotations

import json
import random
from collections import Counter

import pyarrow as pa
import pytest
from tests.audits.made_columns import MISLEADING, NAMED, NEGATIVE, POSITIVE

import privet as pv
from privet import errors, examples
from privet.audits._column_classification import classify

ROWS = 300
by_what = {row[0]: row[-1] for row in (*POSITIVE, *NAMED)}


def made(columns, rows=ROWS, seed=11):
    draw = random.Random(seed)
    return pa.table({name: [make(draw) for _ in range(rows)] for name, make in columns.items()})


def findings(columns, **options):
    return classify(pv.open_table(made(columns)), **options)


def one(make, name, rows=ROWS, seed=11):
    return classify(pv.open_table(made({name: make}, rows, seed)))[name]


@pytest.fixture(scope="module")
def nameless():
    return list(
        findings({f"{MISLEADING[place % 6]}{place}": row[-1] for place, row in enumerate(POSITIVE)}).values()
    )


@pytest.mark.parametrize("place", range(len(POSITIVE)), ids=[row[0] for row in POSITIVE])
def test_values_tell_what_they_are_whatever_the_column_is_called(nameless, place):
    what, _, role, category, _ = POSITIVE[place]
    found = nameless[place]
    assert found.role == role, (what, found.category, found.evidence)
    assert category is None or found.category == category, (what, found.evidence)
    assert found.evidence


@pytest.mark.parametrize("row", [*POSITIVE, *NAMED], ids=[row[0] for row in (*POSITIVE, *NAMED)])
def test_an_honest_name_helps(row):
    what, name, role, category, make = row
    found = one(make, name)
    assert found.role == role, (what, found.category, found.evidence)
    assert category is None or found.category == category, (what, found.evidence)


@pytest.mark.parametrize("row", NEGATIVE, ids=[row[0] for row in NEGATIVE])
def test_what_is_not_personal_is_left_alone(row):
    what, name, make = row
    found = one(make, name)
    allowed = {"other", "user.unique_id"} if what == "16 digits" else {"other"}
    assert found.category in allowed, (found.category, found.evidence)


def test_precision_and_recall(capsys):
    """Over all columns, without any help from names and over several draws: the figures that may be quoted."""
    right = wrong = missed = 0
    per_role = Counter()
    for seed in (1, 2, 3):
        columns = {
            f"{MISLEADING[place % 6]}{place}": row[-1] for place, row in enumerate((*POSITIVE, *NEGATIVE))
        }
        found = list(classify(pv.open_table(made(columns, seed=seed))).values())
        for row, finding in zip(POSITIVE, found, strict=False):
            per_role[row[2], finding.role] += 1
            hit = finding.role == row[2] and (row[3] is None or finding.category == row[3])
            right, missed = right + hit, missed + (not hit)
            wrong += not hit and finding.category != "other"
        for row, finding in zip(NEGATIVE, found[len(POSITIVE) :], strict=True):
            wrong += finding.role != "unknown" and row[0] != "16 digits"
    precision, recall = right / (right + wrong), right / (right + missed)
    with capsys.disabled():
        print(f"\nclassification without names: precision {precision:.3f}, recall {recall:.3f}")
    assert precision >= 0.95
    assert recall >= 0.95


# Safe Harbor's eighteen, each under a name that says something else. Numbers without a form of their own are found
# as what they are to an outsider: another unique code, which is the last letter.
EIGHTEEN = {
    "A": ("colour", by_what["names"]),
    "B": ("flavour", by_what["postcode UK"]),
    "C": ("batch", by_what["birth mixed"]),
    "D": ("weekday", by_what["phone US"]),
    "E": ("weekday", by_what["phone abroad"]),
    "F": ("colour", by_what["e-mail"]),
    "G": ("quantity", by_what["SSN"]),
    "H": ("price", lambda r: f"MRN-{r.randrange(10**7):07d}"),
    "I": ("shelf", lambda r: f"1EG{r.randrange(10)}TE{r.randrange(10)}MK{r.randrange(10)}{r.randrange(10)}"),
    "J": ("shelf", by_what["IBAN"]),
    "K": ("price", lambda r: f"{r.choice(['MORGA', 'SMITH', 'JONES'])}{r.randrange(10)}0{r.randrange(1, 10)}{r.randrange(10, 28)}{r.randrange(10)}SM9IJ"),
    "L": ("fruit", by_what["VIN"]),
    "M": ("fruit", by_what["IMEI"]),
    "N": ("size", by_what["URL"]),
    "O": ("size", by_what["IPv4"]),
    "Q": ("weight_class", by_what["picture"]),
    "R": ("duration", by_what["UUID"]),
}  # fmt: skip


@pytest.mark.parametrize("letter", EIGHTEEN)
def test_safe_harbor_identifiers_are_found_under_misleading_names(letter):
    name, make = EIGHTEEN[letter]
    found = one(make, name)
    assert found.role in ("direct", "quasi"), found.evidence
    # A fax machine's number looks like any other telephone's.
    assert found.hipaa == {"E": "D"}.get(letter, letter), found.evidence


def test_a_biometric_template_is_found_by_its_name_only_and_otherwise_marked_for_a_look():
    prints = [bytes([place, 255]) * 40 for place in range(50)]
    found = classify(pv.open_table(pa.table({"fingerprint": prints, "colour": prints})))
    assert (found["fingerprint"].hipaa, found["fingerprint"].special) == ("P", True)
    assert found["colour"].role == "free text"


def test_the_bundled_hospital():
    found = classify(pv.open_table(examples.hospital(patients=800, seed=7)))
    roles = {name: finding.role for name, finding in found.items()}
    assert roles == {
        "patient_id": "direct", "name": "direct", "ssn": "direct", "email": "direct", "phone": "direct",
        "born": "quasi", "zip": "quasi", "sex": "quasi", "ward": "unknown", "diagnosis": "sensitive",
        "admitted": "quasi", "days": "unknown", "cost": "sensitive", "note": "free text", "readmitted": "sensitive",
    }  # fmt: skip
    assert {name for name, finding in found.items() if finding.special} == {"diagnosis", "readmitted"}
    letters = {name: finding.hipaa for name, finding in found.items() if finding.hipaa}
    assert letters == {
        "patient_id": "H", "name": "A", "ssn": "G", "email": "F", "phone": "D", "born": "C", "zip": "B",
        "admitted": "C", "note": "R",
    }  # fmt: skip


def test_the_owner_s_word_always_wins():
    table = made({"email": POSITIVE[2][-1], "x": NEGATIVE[1][-1]})
    opened = pv.open_table(table, roles={"x": "sensitive"})
    found = classify(opened, roles={"email": "insensitive"})
    assert (found["email"].role, found["x"].role) == ("insensitive", "sensitive")
    assert found["email"].stated
    assert found["email"].confidence == pytest.approx(1)
    assert found["email"].category == "user.contact.email", (
        "what it is does not change by being called harmless"
    )
    assert classify(opened, roles={"x": "free text"})["x"].role == "free text"
    with pytest.raises(errors.BadDeclaration, match=r"no column 'emial'.*unknown role") as caught:
        classify(opened, roles={"emial": "quasi", "x": "secret"})
    assert len(caught.value.details["faults"]) == 2


def test_a_hashed_identifier_is_still_one():
    found = one(lambda r: f"{r.getrandbits(256):064x}", "email")
    assert (found.role, found.category) == ("direct", "user.unique_id.pseudonymous")


def test_unique_codes_without_any_meaning_single_people_out():
    numbers = iter(range(50_000, 60_000))
    for make in (
        lambda r: next(numbers),
        lambda r: f"P-{r.randrange(10**8):08d}",
        lambda r: r.randrange(10**7, 10**8),
    ):
        found = one(make, "x7")
        assert (found.role, found.hipaa) == ("direct", "R"), found.evidence


def test_a_few_addresses_among_labels_are_noticed():
    def make(draw):
        label = "".join(draw.choice("aeioubdglmnrst") for _ in range(7))
        return f"{label}@example.org" if draw.random() < 0.05 else label

    found = one(make, "source")
    assert (found.role, found.category) == ("free text", "user.content.private")


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tiny_tables_have_findings(rows):
    columns = {
        "email": POSITIVE[2][-1],
        "age": NAMED[0][-1],
        "card": POSITIVE[11][-1],
        "name": POSITIVE[0][-1],
    }
    schema = pa.schema({"email": pa.string(), "age": pa.int64(), "card": pa.string(), "name": pa.string()})
    table = made(columns, rows=rows).cast(schema) if rows else schema.empty_table()
    found = classify(pv.open_table(table))
    assert found["email"].role == "direct"
    assert found["age"].role == "quasi"
    assert found["name"].role == "direct"


def test_one_number_that_passes_a_one_in_ten_check_proves_nothing():
    assert one(lambda r: 4111111111111111, "x7", rows=1).category == "other"
    assert one(lambda r: 4111111111111111, "card_number", rows=1).category == "user.payment.card_number"


def test_odd_columns_have_findings():
    table = pa.table(
        {
            "nothing": pa.nulls(3, pa.string()),
            "email": pa.nulls(3, pa.string()),
            "nan": [float("nan")] * 3,
            "list": [["a@example.org"], None, []],
            "struct": [{"mail": "bob@example.org"}] * 3,
            "bytes": [b"\x00\xff", None, b"x"],
            "fingerprint": [b"\x00\xff", None, b"x"],
            "embedding": [[0.5] * 64] * 3,
            "time": pa.array([1, 2, None], pa.time64("us")),
            "decimal": pa.array([1, 2, None], pa.int64()).cast(pa.decimal128(20, 0)),
            "mixed": ["1", "2024-01-01", "x@example.org"],
            "blank": ["", " ", "n/a"],
        }
    )
    found = classify(pv.open_table(table))
    roles = {name: finding.role for name, finding in found.items()}
    assert roles["nothing"] == roles["nan"] == roles["blank"] == roles["decimal"] == "unknown"
    assert roles["email"] == roles["fingerprint"] == "direct"
    assert roles["list"] == roles["struct"] == roles["bytes"] == roles["mixed"] == "free text"
    assert found["list"].category == found["struct"].category == "user.content.private"
    assert found["nothing"].missing_share == pytest.approx(1)
    assert found["nan"].missing_share == pytest.approx(1)


def test_huge_cells_are_cut_in_the_engine():
    table = pa.table({"blob": ["word " * 4_000_000, "see bob@example.org " + "y" * 20_000_000, None]})
    found = classify(pv.open_table(table))["blob"]
    assert found.role == "free text"
    assert len(json.dumps(found.to_json())) < 5_000


def test_a_thousand_columns():
    draw = random.Random(5)
    columns = {f"c{place}": [draw.randrange(100) for _ in range(50)] for place in range(998)}
    columns |= {"c998": [f"a{n}@example.org" for n in range(50)], "c999": ["x " * 50] * 50}
    found = classify(pv.open_table(pa.table(columns)))
    assert len(found) == 1000
    assert found["c998"].role == "direct"


def test_nothing_found_carries_a_value():
    canary = [
        "Zquanzeria Vexhollow",
        "zq.vexhollow@canary.example",
        "917-42-8861",
        "+49 151 99887766",
        "4929007913521184",
    ]
    table = pa.table({f"col{place}": [value] * 30 + [value[::-1]] for place, value in enumerate(canary)} | {
        "note": [f"Spoke to {canary[0]} at {canary[1]} about card {canary[4]} today, number {place}." for place in range(31)],
        "nested": [[canary[2]]] * 31,
    })  # fmt: skip
    opened = pv.open_table(table)
    found = classify(opened)
    shown = (
        json.dumps([finding.to_json() for finding in found.values()])
        + repr(found)
        + str(list(found.values()))
    )
    for value in (*canary, "Vexhollow", "917", "99887766", "canary"):
        assert value not in shown
        assert value.encode().hex() not in shown
    json.dumps(found["note"].to_json())


def test_presidio_is_asked_only_if_wanted_and_there():
    table = pv.open_table(made({"note": POSITIVE[-5][-1]}))
    try:
        import presidio_analyzer  # noqa: F401
    except ImportError:
        with pytest.raises(errors.MissingExtra, match="Presidio"):
            classify(table, presidio=True)
        pytest.skip("the extra privet[presidio] is not installed")
    found = classify(table, presidio=True)["note"]
    assert any(one.source == "presidio" for one in found.evidence)
