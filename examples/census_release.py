"""A census in small: six levels, the Bureau's published budget and shares, tables that add up, and the certificate."""

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

import privet as pv
from privet.errors import PrivetError
from privet.guarantee._calibration import gaussian_sigma
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import Composed, DiscreteGaussian, ZeroConcentrated

# What the U.S. Census Bureau published about its 2020 redistricting release: one rho for the tables of persons and one
# for those of housing units, and how the first was divided between the levels from the nation down to the block.
PERSONS, UNITS, DELTA = Fraction(293764, 114921), Fraction(11417641, 152349649), "1e-10"
SHARES = {"all": 104, "state": 1440, "county": 447, "tract": 687, "group": 1256, "block": 165}


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


heading("The certificate, from the events alone")
levels = Composed([ZeroConcentrated(PERSONS * Fraction(n, 4099)) for n in SHARES.values()])
persons = epsilon_for(levels, DELTA, accountant="zcdp")
print(f"persons: rho {float(PERSONS):.6f} -> epsilon {persons.epsilon:.8f} at delta {DELTA}")
units = epsilon_for(ZeroConcentrated(UNITS), DELTA, accountant="zcdp")
print(f"units:   rho {float(UNITS):.6f} -> epsilon {units.epsilon:.2f} at delta {DELTA}")

# The same as mechanisms: replacing one person moves two cells by one each, so rho is 1 / sigma² at every level.
noise = Composed(
    [
        DiscreteGaussian(gaussian_sigma(PERSONS * Fraction(n, 4099), 1, coordinates=2), 1, coordinates=2)
        for n in SHARES.values()
    ]
)
print(f"as discrete Gaussians:        {epsilon_for(noise, DELTA, accountant='zcdp').epsilon:.8f}")
tight = epsilon_for(noise, DELTA)
print(f"by {tight.accountant}, a plan sealed beforehand: {tight.epsilon:.2f}")

heading("A country in small")
LEVELS = ["state", "county", "tract", "group", "block"]
BLOCKS = [
    (s, c, t, g, b)
    for s in ("North", "South")
    for c in (1, 2)
    for t in (1, 2)
    for g in (1, 2)
    for b in (1, 2, 3)
]
AGES, HOMES = ["0-17", "18-64", "65+"], ["family", "alone", "institution"]


def home(person: int, age: str) -> str:
    return "family" if age == "0-17" else HOMES[(person * 7 // 3) % 3 if person % 4 == 0 else 0]


rows = []
for person in range(2_400):
    block = BLOCKS[(person * person) % 97 % len(BLOCKS)]
    age = AGES[(person // 5) % 3 if person % 3 else 1]
    rows.append(
        {"person": person, **dict(zip(LEVELS, block, strict=True)), "age": age, "home": home(person, age)}
    )
people = pv.open_table(
    pa.Table.from_pylist(rows),
    unit=pv.Person("person", max_rows=1, change=pv.Change.REPLACE),
    name="census",
    version="2026",
)
gazette = {state: sum(row["state"] == state for row in rows) for state in ("North", "South")}
census = pv.spine(
    people,
    LEVELS,
    ["age", "home"],
    leaves=BLOCKS,
    keys={"age": AGES, "home": HOMES},
    shares=SHARES,
    queries={"total": 2, "age": 1, "detailed": 1},
    invariants=[pv.Invariant("state", gazette, origin="apportionment counts, official gazette 2026")],
    zeros=[{"age": "0-17", "home": "alone"}],
)
told = pv.explain(census, pv.ZeroConcentratedDP(PERSONS))
print("\n".join(told.errors[:6]))
print(told.cost)

with TemporaryDirectory() as folder:
    with pv.Ledger(Path(folder) / "census.ledger", limit=pv.ZeroConcentratedDP(3)) as ledger:
        released = pv.release(census, pv.ZeroConcentratedDP(PERSONS), ledger=ledger, why="redistricting")
    print()
    print(released)

    heading("Everything adds up")
    print(
        "states:  ",
        released.to_arrow("state", [])["count"].to_pylist(),
        "as declared",
        list(gazette.values()),
    )
    for level in ("all", "state", "block"):
        ages = released.to_arrow(level, ["age"]).group_by("age").aggregate([("count", "sum")])
        print(f"{level:8}", dict(zip(*(column.to_pylist() for column in ages.columns), strict=True)))

    heading("What to conclude from")
    for row in released.to_arrow("county", []).to_pylist()[:3]:
        true = sum((one["state"], one["county"]) == (row["state"], row["county"]) for one in rows)
        print(
            f"{row['state']} {row['county']}: count {row['count']}, unbiased {row['unbiased']:.1f} "
            f"in [{row['low']:.1f}, {row['high']:.1f}], truly {true}"
        )
    print(released.notes[0])

    heading("What the promise does not cover")
    print(released.sentence())
    path = released.save(Path(folder) / "census.parquet")
    print(f"saved {path.name}: {pv.ReleasedHierarchy.load(path).to_arrow().num_rows} rows, the record inside")

heading("What cannot hold is refused before anything is spent")
try:
    pv.spine(
        people,
        LEVELS,
        ["age", "home"],
        leaves=BLOCKS,
        keys={"age": AGES, "home": HOMES},
        invariants=[
            pv.Invariant("state", gazette, origin="official gazette 2026"),
            pv.Invariant("all", {(): 1}, origin="a slip of the pen"),
        ],
    )
except PrivetError as error:
    print(f"{error.code}: {error.fact}")
