"""The public names with their types, for editors and type checkers: written by tools/write_public_types.py."""

from privet.artifact.answer import ReleasedAnswer as ReleasedAnswer
from privet.artifact.hierarchy import ReleasedHierarchy as ReleasedHierarchy
from privet.artifact.model import ReleasedModel as ReleasedModel
from privet.artifact.risk import RiskEstimate as RiskEstimate
from privet.artifact.table import ReleasedTable as ReleasedTable
from privet.attack import AttackReport as AttackReport
from privet.attack import attack as attack
from privet.attack.recipe import Recipe as Recipe
from privet.attack.updates import Update as Update
from privet.audit import Audit as Audit
from privet.audit import PublicAudit as PublicAudit
from privet.audit import audit as audit
from privet.dataset import DataSet as DataSet
from privet.engine.speed import Speed as Speed
from privet.errors import PrivetError as PrivetError
from privet.guarantee.promises import AlphaK as AlphaK
from privet.guarantee.promises import ApproxDP as ApproxDP
from privet.guarantee.promises import BetaLikeness as BetaLikeness
from privet.guarantee.promises import DeltaDisclosure as DeltaDisclosure
from privet.guarantee.promises import DeltaPresence as DeltaPresence
from privet.guarantee.promises import KAnonymity as KAnonymity
from privet.guarantee.promises import KMap as KMap
from privet.guarantee.promises import LDiversity as LDiversity
from privet.guarantee.promises import LocalDP as LocalDP
from privet.guarantee.promises import PacPrivacy as PacPrivacy
from privet.guarantee.promises import PopulationUniqueness as PopulationUniqueness
from privet.guarantee.promises import PureDP as PureDP
from privet.guarantee.promises import RenyiDP as RenyiDP
from privet.guarantee.promises import RiskThreshold as RiskThreshold
from privet.guarantee.promises import SafeHarbor as SafeHarbor
from privet.guarantee.promises import TCloseness as TCloseness
from privet.guarantee.promises import ZeroConcentratedDP as ZeroConcentratedDP
from privet.guarantee.units import Change as Change
from privet.guarantee.units import Person as Person
from privet.guarantee.units import Row as Row
from privet.ledger import Ledger as Ledger
from privet.pipeline.sweep import Sweep as Sweep
from privet.pipeline.tradeoff import Tradeoff as Tradeoff
from privet.pipeline.tradeoff import tradeoff as tradeoff
from privet.protect.anonymize import anonymize as anonymize
from privet.protect.anonymize.hierarchies import Hierarchy as Hierarchy
from privet.protect.anonymize.pseudonyms import KeyRing as KeyRing
from privet.protect.anonymize.pseudonyms import Vault as Vault
from privet.protect.anonymize.pseudonyms import find_keys as find_keys
from privet.protect.anonymize.pseudonyms import pseudonymize as pseudonymize
from privet.protect.anonymize.pseudonyms import reveal as reveal
from privet.protect.release import epsilon_for as epsilon_for
from privet.protect.release import explain as explain
from privet.protect.release import release as release
from privet.protect.release.mobility import mobility as mobility
from privet.protect.release.spine import Invariant as Invariant
from privet.protect.release.spine import Spine as Spine
from privet.protect.release.spine import spine as spine
from privet.protect.train import train as train
from privet.protect.train.diary import TrainingDiary as TrainingDiary
from privet.protect.train.gradients import Clipping as Clipping
from privet.protect.train.gradients import Course as Course
from privet.protect.train.gradients import StepSpeed as StepSpeed
from privet.protect.train.gradients import TrainedModel as TrainedModel
from privet.protect.train.gradients import train_model as train_model
from privet.protect.train.tabular.estimators import PrivateClassifier as PrivateClassifier
from privet.protect.train.tabular.estimators import PrivateRegressor as PrivateRegressor
from privet.report.training_page import save_training_page as save_training_page
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
from privet.source import open_public as open_public
from privet.source import open_table as open_table
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
    "BetaLikeness",
    "Bounds",
    "Change",
    "Clipping",
    "Course",
    "DataSet",
    "DeltaDisclosure",
    "DeltaPresence",
    "Hierarchy",
    "Invariant",
    "KAnonymity",
    "KMap",
    "KeyRing",
    "KeySet",
    "LDiversity",
    "Ledger",
    "LocalDP",
    "PacPrivacy",
    "Person",
    "PopulationUniqueness",
    "PrivateClassifier",
    "PrivateRegressor",
    "PrivetError",
    "PublicAudit",
    "PublicTable",
    "PureDP",
    "Recipe",
    "ReleasedAnswer",
    "ReleasedHierarchy",
    "ReleasedModel",
    "ReleasedTable",
    "RenyiDP",
    "RiskEstimate",
    "RiskThreshold",
    "Row",
    "SafeHarbor",
    "Span",
    "Speed",
    "Spine",
    "StepSpeed",
    "Sweep",
    "TCloseness",
    "Table",
    "Tradeoff",
    "TrainedModel",
    "TrainingDiary",
    "Update",
    "Vault",
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
    "deviation",
    "distinct",
    "epsilon_for",
    "explain",
    "find_keys",
    "histogram",
    "mean",
    "median",
    "mobility",
    "most_common",
    "open_public",
    "open_table",
    "persons",
    "pseudonymize",
    "quantile",
    "quantiles",
    "regression",
    "release",
    "reveal",
    "save_training_page",
    "spine",
    "sum",
    "tradeoff",
    "train",
    "train_model",
    "variance",
    "window",
]
