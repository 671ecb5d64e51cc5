"""The public names with their types, for editors and type checkers: written by tools/write_public_types.py."""

from privet.artifact import ReleasedAnswer as ReleasedAnswer
from privet.artifact import ReleasedHierarchy as ReleasedHierarchy
from privet.artifact import ReleasedModel as ReleasedModel
from privet.artifact import ReleasedOutput as ReleasedOutput
from privet.artifact import ReleasedTable as ReleasedTable
from privet.artifact import ReleasedTwin as ReleasedTwin
from privet.artifact import ReleasedTwins as ReleasedTwins
from privet.artifact import RiskEstimate as RiskEstimate
from privet.attacks import AttackReport as AttackReport
from privet.attacks import Recipe as Recipe
from privet.attacks import attack as attack
from privet.attacks.local import LocalClient as LocalClient
from privet.attacks.memorization import CanaryRecord as CanaryRecord
from privet.attacks.memorization import Probe as Probe
from privet.attacks.memorization import ShadowTexts as ShadowTexts
from privet.attacks.memorization import TextDuplicates as TextDuplicates
from privet.attacks.memorization import near_duplicates as near_duplicates
from privet.attacks.memorization import plant_canaries as plant_canaries
from privet.attacks.tables import planted_canary as planted_canary
from privet.attacks.updates import Update as Update
from privet.audits import Audit as Audit
from privet.audits import PublicAudit as PublicAudit
from privet.audits import audit as audit
from privet.dataset import DataSet as DataSet
from privet.dataset import estimate as estimate
from privet.dataset import estimate_change as estimate_change
from privet.dataset import estimate_trend as estimate_trend
from privet.dataset import open_public as open_public
from privet.dataset import open_table as open_table
from privet.engine import Speed as Speed
from privet.errors import PrivetError as PrivetError
from privet.guarantee import AlphaK as AlphaK
from privet.guarantee import ApproxDP as ApproxDP
from privet.guarantee import BetaLikeness as BetaLikeness
from privet.guarantee import Change as Change
from privet.guarantee import DeltaDisclosure as DeltaDisclosure
from privet.guarantee import DeltaPresence as DeltaPresence
from privet.guarantee import KAnonymity as KAnonymity
from privet.guarantee import KMap as KMap
from privet.guarantee import LDiversity as LDiversity
from privet.guarantee import LocalDP as LocalDP
from privet.guarantee import PacPrivacy as PacPrivacy
from privet.guarantee import Person as Person
from privet.guarantee import PopulationUniqueness as PopulationUniqueness
from privet.guarantee import PureDP as PureDP
from privet.guarantee import RenyiDP as RenyiDP
from privet.guarantee import RiskThreshold as RiskThreshold
from privet.guarantee import Row as Row
from privet.guarantee import SafeHarbor as SafeHarbor
from privet.guarantee import TCloseness as TCloseness
from privet.guarantee import ZeroConcentratedDP as ZeroConcentratedDP
from privet.ledger import Ledger as Ledger
from privet.pipeline import Sweep as Sweep
from privet.pipeline import Tradeoff as Tradeoff
from privet.pipeline import VerifiedEvidence as VerifiedEvidence
from privet.pipeline import tradeoff as tradeoff
from privet.pipeline import verify as verify
from privet.protect.anonymize import anonymize as anonymize
from privet.protect.anonymize.hierarchies import Hierarchy as Hierarchy
from privet.protect.collect import Collection as Collection
from privet.protect.collect import NumberIn as NumberIn
from privet.protect.collect import OneOf as OneOf
from privet.protect.collect import Several as Several
from privet.protect.collect import TextOf as TextOf
from privet.protect.collect import deployed as deployed
from privet.protect.collect import expected_error as expected_error
from privet.protect.federate import FederatedAnswer as FederatedAnswer
from privet.protect.federate import Study as Study
from privet.protect.federate import federate as federate
from privet.protect.pac import PacFunction as PacFunction
from privet.protect.pac import PacSession as PacSession
from privet.protect.pac import PacStability as PacStability
from privet.protect.pac import PacTrials as PacTrials
from privet.protect.pac import pac_trials as pac_trials
from privet.protect.pac import stability as stability
from privet.protect.query import epsilon_for as epsilon_for
from privet.protect.query import mobility as mobility
from privet.protect.shield import InputShield as InputShield
from privet.protect.shield import ShieldSettings as ShieldSettings
from privet.protect.shield import fit_shield as fit_shield
from privet.protect.shield import isotropic_shield as isotropic_shield
from privet.protect.shield import load_shield as load_shield
from privet.protect.shield import metric_shield as metric_shield
from privet.protect.shield import plain_shield as plain_shield
from privet.protect.shield import substitution_shield as substitution_shield
from privet.protect.statistical_release import explain as explain
from privet.protect.statistical_release import release as release
from privet.protect.synthesize import TwinRecipe as TwinRecipe
from privet.protect.synthesize import synthesize as synthesize
from privet.protect.synthesize import twin_recipe as twin_recipe
from privet.protect.synthesize.evolution import Avatars as Avatars
from privet.protect.synthesize.evolution import CallableEmbedder as CallableEmbedder
from privet.protect.synthesize.evolution import CallableGenerator as CallableGenerator
from privet.protect.synthesize.evolution import EvolutionSettings as EvolutionSettings
from privet.protect.synthesize.evolution import Glyphs as Glyphs
from privet.protect.synthesize.evolution import HashedWords as HashedWords
from privet.protect.synthesize.evolution import Images as Images
from privet.protect.synthesize.evolution import LocalLanguageModel as LocalLanguageModel
from privet.protect.synthesize.evolution import OpenAICompatible as OpenAICompatible
from privet.protect.synthesize.evolution import Phrases as Phrases
from privet.protect.synthesize.evolution import Pixels as Pixels
from privet.protect.synthesize.evolution import Prompts as Prompts
from privet.protect.synthesize.evolution import RemoteEmbedder as RemoteEmbedder
from privet.protect.synthesize.evolution import SentenceEncoder as SentenceEncoder
from privet.protect.synthesize.fidelity import TwinFidelity as TwinFidelity
from privet.protect.synthesize.fidelity import fidelity as fidelity
from privet.protect.tabulate import Invariant as Invariant
from privet.protect.tabulate import Spine as Spine
from privet.protect.tabulate import spine as spine
from privet.protect.train import TrainingLog as TrainingLog
from privet.protect.train import load_model as load_model
from privet.protect.train import train as train
from privet.protect.train.gradients import BandedInverseNoise as BandedInverseNoise
from privet.protect.train.gradients import BandedNoise as BandedNoise
from privet.protect.train.gradients import BufferedToeplitzNoise as BufferedToeplitzNoise
from privet.protect.train.gradients import Clipping as Clipping
from privet.protect.train.gradients import Optimizer as Optimizer
from privet.protect.train.gradients import ReleasedNetwork as ReleasedNetwork
from privet.protect.train.gradients import StepSpeed as StepSpeed
from privet.protect.train.gradients import TrainedModel as TrainedModel
from privet.protect.train.gradients import train_model as train_model
from privet.protect.train.language import LanguagePlan as LanguagePlan
from privet.protect.train.language import LanguageRecipe as LanguageRecipe
from privet.protect.train.language import LossTable as LossTable
from privet.protect.train.language import NetworkShape as NetworkShape
from privet.protect.train.language import ReleasedLanguageModel as ReleasedLanguageModel
from privet.protect.train.language import ScalingLaw as ScalingLaw
from privet.protect.train.language import ScalingSweep as ScalingSweep
from privet.protect.train.language import load_language_model as load_language_model
from privet.protect.train.language import measure_losses as measure_losses
from privet.protect.train.language import plan_language_model as plan_language_model
from privet.protect.train.language import train_language_model as train_language_model
from privet.protect.train.tabular import PrivateClassifier as PrivateClassifier
from privet.protect.train.tabular import PrivateRegressor as PrivateRegressor
from privet.protect.transform.pseudonyms import KeyRing as KeyRing
from privet.protect.transform.pseudonyms import Vault as Vault
from privet.protect.transform.pseudonyms import find_keys as find_keys
from privet.protect.transform.pseudonyms import pseudonymize as pseudonymize
from privet.protect.transform.pseudonyms import reveal as reveal
from privet.report import save_collection_page as save_collection_page
from privet.report import save_language_plan_page as save_language_plan_page
from privet.report import save_memorization_page as save_memorization_page
from privet.report import save_shield_page as save_shield_page
from privet.report import save_training_page as save_training_page
from privet.report import save_twin_card as save_twin_card
from privet.report import save_twin_page as save_twin_page
from privet.source import BlackBox as BlackBox
from privet.source import Bounds as Bounds
from privet.source import KeySet as KeySet
from privet.source import PublicTable as PublicTable
from privet.source import Span as Span
from privet.source import Table as Table
from privet.source import View as View
from privet.source import Window as Window
from privet.source import col as col
from privet.source import contingency as contingency
from privet.source import correlation as correlation
from privet.source import count as count
from privet.source import covariance as covariance
from privet.source import covariance_matrix as covariance_matrix
from privet.source import deviation as deviation
from privet.source import distinct as distinct
from privet.source import histogram as histogram
from privet.source import mean as mean
from privet.source import median as median
from privet.source import most_common as most_common
from privet.source import persons as persons
from privet.source import quantile as quantile
from privet.source import quantiles as quantiles
from privet.source import regression as regression
from privet.source import sum as sum
from privet.source import variance as variance
from privet.source import window as window

__version__: str

__all__ = [
    "AlphaK",
    "ApproxDP",
    "AttackReport",
    "Audit",
    "Avatars",
    "BandedInverseNoise",
    "BandedNoise",
    "BetaLikeness",
    "BlackBox",
    "Bounds",
    "BufferedToeplitzNoise",
    "CallableEmbedder",
    "CallableGenerator",
    "CanaryRecord",
    "Change",
    "Clipping",
    "Collection",
    "DataSet",
    "DeltaDisclosure",
    "DeltaPresence",
    "EvolutionSettings",
    "FederatedAnswer",
    "Glyphs",
    "HashedWords",
    "Hierarchy",
    "Images",
    "InputShield",
    "Invariant",
    "KAnonymity",
    "KMap",
    "KeyRing",
    "KeySet",
    "LDiversity",
    "LanguagePlan",
    "LanguageRecipe",
    "Ledger",
    "LocalClient",
    "LocalDP",
    "LocalLanguageModel",
    "LossTable",
    "NetworkShape",
    "NumberIn",
    "OneOf",
    "OpenAICompatible",
    "Optimizer",
    "PacFunction",
    "PacPrivacy",
    "PacSession",
    "PacStability",
    "PacTrials",
    "Person",
    "Phrases",
    "Pixels",
    "PopulationUniqueness",
    "PrivateClassifier",
    "PrivateRegressor",
    "PrivetError",
    "Probe",
    "Prompts",
    "PublicAudit",
    "PublicTable",
    "PureDP",
    "Recipe",
    "ReleasedAnswer",
    "ReleasedHierarchy",
    "ReleasedLanguageModel",
    "ReleasedModel",
    "ReleasedNetwork",
    "ReleasedOutput",
    "ReleasedTable",
    "ReleasedTwin",
    "ReleasedTwins",
    "RemoteEmbedder",
    "RenyiDP",
    "RiskEstimate",
    "RiskThreshold",
    "Row",
    "SafeHarbor",
    "ScalingLaw",
    "ScalingSweep",
    "SentenceEncoder",
    "Several",
    "ShadowTexts",
    "ShieldSettings",
    "Span",
    "Speed",
    "Spine",
    "StepSpeed",
    "Study",
    "Sweep",
    "TCloseness",
    "Table",
    "TextDuplicates",
    "TextOf",
    "Tradeoff",
    "TrainedModel",
    "TrainingLog",
    "TwinFidelity",
    "TwinRecipe",
    "Update",
    "Vault",
    "VerifiedEvidence",
    "View",
    "Window",
    "ZeroConcentratedDP",
    "anonymize",
    "attack",
    "audit",
    "col",
    "contingency",
    "correlation",
    "count",
    "covariance",
    "covariance_matrix",
    "deployed",
    "deviation",
    "distinct",
    "epsilon_for",
    "estimate",
    "estimate_change",
    "estimate_trend",
    "expected_error",
    "explain",
    "federate",
    "fidelity",
    "find_keys",
    "fit_shield",
    "histogram",
    "isotropic_shield",
    "load_language_model",
    "load_model",
    "load_shield",
    "mean",
    "measure_losses",
    "median",
    "metric_shield",
    "mobility",
    "most_common",
    "near_duplicates",
    "open_public",
    "open_table",
    "pac_trials",
    "persons",
    "plain_shield",
    "plan_language_model",
    "plant_canaries",
    "planted_canary",
    "pseudonymize",
    "quantile",
    "quantiles",
    "regression",
    "release",
    "reveal",
    "save_collection_page",
    "save_language_plan_page",
    "save_memorization_page",
    "save_shield_page",
    "save_training_page",
    "save_twin_card",
    "save_twin_page",
    "spine",
    "stability",
    "substitution_shield",
    "sum",
    "synthesize",
    "tradeoff",
    "train",
    "train_language_model",
    "train_model",
    "twin_recipe",
    "variance",
    "verify",
    "window",
]
