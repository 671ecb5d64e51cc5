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

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.examples._example_files import write as write
    from privet.examples._hospital_stays import hospital as hospital
    from privet.examples._mobility_visits import regions as regions
    from privet.examples._mobility_visits import visits as visits
    from privet.examples._voter_roll import linkage_truth as linkage_truth
    from privet.examples._voter_roll import voter_roll as voter_roll
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
