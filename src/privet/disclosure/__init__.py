"""How much a table discloses: mathematics on integer codes and counts.

One calls: `Codes`, `class_sizes`, `population`, `suda` and the measures of diversity.
Never: sees a value or a row, or draws at random.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.disclosure import diversity_measures as diversity_measures
    from privet.disclosure._code_tuples import Codes as Codes
    from privet.disclosure._code_tuples import Groups as Groups
    from privet.disclosure._column_set_lattice import Walk as Walk
    from privet.disclosure._column_set_lattice import walk as walk
    from privet.disclosure._contingency_cells import ContingencyCells as ContingencyCells
    from privet.disclosure._contingency_cells import cells as cells
    from privet.disclosure._contingency_cells import cells_of as cells_of
    from privet.disclosure._equivalence_classes import ClassSizes as ClassSizes
    from privet.disclosure._equivalence_classes import Risk as Risk
    from privet.disclosure._equivalence_classes import class_sizes as class_sizes
    from privet.disclosure._equivalence_classes import journalist as journalist
    from privet.disclosure._equivalence_classes import population_map as population_map
    from privet.disclosure._equivalence_classes import prosecutor as prosecutor
    from privet.disclosure._equivalence_classes import risk_of as risk_of
    from privet.disclosure._equivalence_classes import weighted_risk as weighted_risk
    from privet.disclosure._missing_values import SEMANTICS as SEMANTICS
    from privet.disclosure._missing_values import Missing as Missing
    from privet.disclosure._missing_values import gaps_at as gaps_at
    from privet.disclosure._missing_values import sizes_of_each as sizes_of_each
    from privet.disclosure._population_uniqueness import Population as Population
    from privet.disclosure._population_uniqueness import UniquenessEstimate as UniquenessEstimate
    from privet.disclosure._population_uniqueness import population as population
    from privet.disclosure._quasi_identifiers import ColumnSet as ColumnSet
    from privet.disclosure._quasi_identifiers import ColumnSets as ColumnSets
    from privet.disclosure._quasi_identifiers import Keys as Keys
    from privet.disclosure._quasi_identifiers import SinglingOut as SinglingOut
    from privet.disclosure._quasi_identifiers import column_sets as column_sets
    from privet.disclosure._quasi_identifiers import keys as keys
    from privet.disclosure._quasi_identifiers import singling_out as singling_out
    from privet.disclosure._quasi_random import whole_numbers as whole_numbers
    from privet.disclosure._repeated_measures import CONSTANT as CONSTANT
    from privet.disclosure._repeated_measures import FEWEST as FEWEST
    from privet.disclosure._repeated_measures import Measures as Measures
    from privet.disclosure._repeated_measures import RepeatedWitness as RepeatedWitness
    from privet.disclosure._repeated_measures import common_multiple as common_multiple
    from privet.disclosure._repeated_measures import distinct as distinct
    from privet.disclosure._repeated_measures import joined as joined
    from privet.disclosure._repeated_measures import measures as measures
    from privet.disclosure._repeated_measures import restarts as restarts
    from privet.disclosure._repeated_measures import unique_share as unique_share
    from privet.disclosure._rows_per_person import PeopleClasses as PeopleClasses
    from privet.disclosure._rows_per_person import PeopleDiversity as PeopleDiversity
    from privet.disclosure._rows_per_person import all_rows as all_rows
    from privet.disclosure._rows_per_person import any_row as any_row
    from privet.disclosure._rows_per_person import people_diversity as people_diversity
    from privet.disclosure._suda import Suda as Suda
    from privet.disclosure._suda import suda as suda
    from privet.disclosure._tuple_groups import Integers as Integers
    from privet.disclosure._tuple_groups import is_counted as is_counted
    from privet.disclosure._tuple_groups import labels_of as labels_of
    from privet.disclosure._tuple_groups import mixed_radix as mixed_radix
    from privet.disclosure._tuple_groups import sorted_keys as sorted_keys
    from privet.disclosure._tuple_groups import starts_of as starts_of
    from privet.disclosure._unicity import AttackerFacts as AttackerFacts
    from privet.disclosure._unicity import unicity as unicity
    from privet.disclosure.diversity_measures import Diversity as Diversity
    from privet.disclosure.diversity_measures import distinct_l as distinct_l
    from privet.disclosure.diversity_measures import diversity as diversity
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
