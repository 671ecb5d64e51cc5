"""Audit a made-up hospital: what it gives away, what a public roll adds, and what others may be shown."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples

with TemporaryDirectory() as folder:
    stays = examples.hospital(patients=500)
    path = examples.write(Path(folder) / "patients.csv", stays)

    # Nothing is configured: roles, whose rows they are and what an outsider may know are found.
    found = pv.audit(
        path, auxiliary=examples.voter_roll(stays), truth=examples.linkage_truth(stays), linker="own"
    )
    print(found)

    # Your own word wins.
    coarse = pv.audit(path, quasi=["zip", "sex"], sensitive=["diagnosis"])
    print(
        "\nBy postal code and sex alone:",
        f"{coarse.unique_share:.1%} of people are alone,",
        "k =",
        coarse.alike.sizes.k,
    )

    # What others may see is another type, rounded and without anything about single people.
    shown = coarse.publishable()
    print("For others:", f"{shown.unique_share:.0%} of about {shown.people:,} people are alone")
