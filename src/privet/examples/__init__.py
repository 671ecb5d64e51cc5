"""Seeded, realistic data sets for demonstrations, tests and benchmarks. Nobody in them exists.

    from privet import examples

    stays = examples.hospital(patients=2000, seed=7)      # what a hospital holds: one row for each stay
    roll = examples.voter_roll(stays)                     # what anybody can look up
    truth = examples.linkage_truth(stays)                 # who is who: for scoring an attack, never for making one
    examples.write("patients.csv", stays)

The same arguments give the same bytes. Whatever could reach a real person is taken from ranges reserved for
fiction: social security numbers with area numbers from 900, telephone numbers 555-01xx, e-mail addresses
under example.org, and postal codes whose prefixes the post does not use.
"""

from privet.examples.files import write
from privet.examples.stays import hospital
from privet.examples.visits import regions, visits
from privet.examples.voters import linkage_truth, voter_roll

__all__ = ["hospital", "linkage_truth", "regions", "visits", "voter_roll", "write"]
