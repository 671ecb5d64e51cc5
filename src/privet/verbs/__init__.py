"""Every verb, declared once: what it takes, reads, promises, spends, does and says.

One calls: `verbs`, `Verb`, `Request`, `carried_out`.
Never: is written a second time at a door, or reads a private row while planning.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.verbs import transform_verbs as transform_verbs
    from privet.verbs._anonymize_verb import AnonymizeOptions as AnonymizeOptions
    from privet.verbs._anonymize_verb import AnonymizeVerb as AnonymizeVerb
    from privet.verbs._attack_verb import AttackOptions as AttackOptions
    from privet.verbs._attack_verb import attacked_file as attacked_file
    from privet.verbs._attack_verb import freed as freed
    from privet.verbs._attack_verb import furthest as furthest
    from privet.verbs._attack_verb import together as together
    from privet.verbs._audit_verb import AuditOptions as AuditOptions
    from privet.verbs._audit_verb import AuditVerb as AuditVerb
    from privet.verbs._collect_verb import DesignOptions as DesignOptions
    from privet.verbs._collect_verb import SimulateOptions as SimulateOptions
    from privet.verbs._collect_verb import SpecificationOptions as SpecificationOptions
    from privet.verbs._collect_verb import designed as designed
    from privet.verbs._collect_verb import simulated as simulated
    from privet.verbs._completion_mark import completed as completed
    from privet.verbs._completion_mark import forget_completed as forget_completed
    from privet.verbs._completion_mark import has_completed as has_completed
    from privet.verbs._completion_mark import mark_completed as mark_completed
    from privet.verbs._estimate_verb import Estimate as Estimate
    from privet.verbs._estimate_verb import EstimateOptions as EstimateOptions
    from privet.verbs._estimate_verb import estimated_reports as estimated_reports
    from privet.verbs._language_verb import LanguagePlanOptions as LanguagePlanOptions
    from privet.verbs._language_verb import LanguageSweepOptions as LanguageSweepOptions
    from privet.verbs._language_verb import planned_model as planned_model
    from privet.verbs._language_verb import swept as swept
    from privet.verbs._limits import read_budget as read_budget
    from privet.verbs._limits import read_limit as read_limit
    from privet.verbs._limits import read_unit as read_unit
    from privet.verbs._memorization_verb import CanariesOptions as CanariesOptions
    from privet.verbs._memorization_verb import DuplicatesOptions as DuplicatesOptions
    from privet.verbs._memorization_verb import MemorizationOptions as MemorizationOptions
    from privet.verbs._memorization_verb import counted_duplicates as counted_duplicates
    from privet.verbs._memorization_verb import memorization_of as memorization_of
    from privet.verbs._memorization_verb import planted_file as planted_file
    from privet.verbs._pac_verb import PacOptions as PacOptions
    from privet.verbs._pac_verb import PacVerb as PacVerb
    from privet.verbs._pac_verb import measured_stability as measured_stability
    from privet.verbs._pseudonymize_verb import Pseudonymize as Pseudonymize
    from privet.verbs._pseudonymize_verb import Reveal as Reveal
    from privet.verbs._release_verb import Budgeted as Budgeted
    from privet.verbs._release_verb import ReleaseOptions as ReleaseOptions
    from privet.verbs._request import BookingOptions as BookingOptions
    from privet.verbs._request import FileAsked as FileAsked
    from privet.verbs._request import ForPurpose as ForPurpose
    from privet.verbs._request import LimitedRecording as LimitedRecording
    from privet.verbs._request import Recording as Recording
    from privet.verbs._request import Request as Request
    from privet.verbs._request import RolesStated as RolesStated
    from privet.verbs._request import RowsAsked as RowsAsked
    from privet.verbs._request import TablesAsked as TablesAsked
    from privet.verbs._request_execution import carried_out as carried_out
    from privet.verbs._request_execution import explained as explained
    from privet.verbs._request_execution import opened_alone as opened_alone
    from privet.verbs._request_execution import rows_for as rows_for
    from privet.verbs._rewrite import Rewrite as Rewrite
    from privet.verbs._split_rows import attack_words as attack_words
    from privet.verbs._split_rows import refuse_parts as refuse_parts
    from privet.verbs._split_rows import save_parts as save_parts
    from privet.verbs._stated_roles import listed as listed
    from privet.verbs._stated_roles import stated_roles as stated_roles
    from privet.verbs._synthesize_verb import SynthesizeOptions as SynthesizeOptions
    from privet.verbs._synthesize_verb import SynthesizeVerb as SynthesizeVerb
    from privet.verbs._synthesize_verb import twin_fidelity as twin_fidelity
    from privet.verbs._tabulate_verb import Tabulate as Tabulate
    from privet.verbs._tabulate_verb import TabulateOptions as TabulateOptions
    from privet.verbs._train_language_verb import MOST_TEXTS as MOST_TEXTS
    from privet.verbs._train_language_verb import RUN as RUN
    from privet.verbs._train_language_verb import GenerateOptions as GenerateOptions
    from privet.verbs._train_language_verb import TrainLanguageOptions as TrainLanguageOptions
    from privet.verbs._train_language_verb import TrainLanguageVerb as TrainLanguageVerb
    from privet.verbs._train_language_verb import went_on as went_on
    from privet.verbs._train_verb import MOST_ROWS as MOST_ROWS
    from privet.verbs._train_verb import SEED as SEED
    from privet.verbs._train_verb import TrainOptions as TrainOptions
    from privet.verbs._train_verb import TrainVerb as TrainVerb
    from privet.verbs._verb import Bound as Bound
    from privet.verbs._verb import Done as Done
    from privet.verbs._verb import Earlier as Earlier
    from privet.verbs._verb import Exposed as Exposed
    from privet.verbs._verb import Verb as Verb
    from privet.verbs._verb import VerbWork as VerbWork
    from privet.verbs._verb import files_named as files_named
    from privet.verbs._verb import register as register
    from privet.verbs._verb import spends as spends
    from privet.verbs._verb import verbs as verbs
    from privet.verbs._verb_options import Flag as Flag
    from privet.verbs._verb_options import Options as Options
    from privet.verbs._verb_options import Spelled as Spelled
    from privet.verbs._verb_options import read_words as read_words
    from privet.verbs._verb_options import spelled as spelled
    from privet.verbs._verb_options import validated as validated
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
