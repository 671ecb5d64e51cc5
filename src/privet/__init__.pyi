"""The public names with their types, for editors and type checkers: written by tools/write_public_types.py."""

from privet.artifact import ReleasedAnswer as ReleasedAnswer
from privet.artifact import ReleasedHierarchy as ReleasedHierarchy
from privet.artifact import ReleasedModel as ReleasedModel
from privet.artifact import ReleasedTable as ReleasedTable
from privet.artifact import RiskEstimate as RiskEstimate
from privet.attacks import AttackReport as AttackReport
from privet.attacks import Recipe as Recipe
from privet.attacks import attack as attack
from privet.attacks.updates import Update as Update
from privet.audits import Audit as Audit
from privet.audits import PublicAudit as PublicAudit
from privet.audits import audit as audit
from privet.dataset import DataSet as DataSet
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
from privet.pipeline import tradeoff as tradeoff
from privet.protect.anonymize import anonymize as anonymize
from privet.protect.anonymize.hierarchies import Hierarchy as Hierarchy
from privet.protect.query import epsilon_for as epsilon_for
from privet.protect.query import mobility as mobility
from privet.protect.statistics import explain as explain
from privet.protect.statistics import release as release
from privet.protect.tabulate import Invariant as Invariant
from privet.protect.tabulate import Spine as Spine
from privet.protect.tabulate import spine as spine
from privet.protect.train import TrainingLog as TrainingLog
from privet.protect.train import train as train
from privet.protect.train.gradients import Clipping as Clipping
from privet.protect.train.gradients import Optimizer as Optimizer
from privet.protect.train.gradients import StepSpeed as StepSpeed
from privet.protect.train.gradients import TrainedModel as TrainedModel
from privet.protect.train.gradients import train_model as train_model
from privet.protect.train.tabular import PrivateClassifier as PrivateClassifier
from privet.protect.train.tabular import PrivateRegressor as PrivateRegressor
from privet.protect.transform.pseudonyms import KeyRing as KeyRing
from privet.protect.transform.pseudonyms import Vault as Vault
from privet.protect.transform.pseudonyms import find_keys as find_keys
from privet.protect.transform.pseudonyms import pseudonymize as pseudonymize
from privet.protect.transform.pseudonyms import reveal as reveal
from privet.report import save_training_page as save_training_page
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
    "BetaLikeness",
    "Bounds",
    "Change",
    "Clipping",
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
    "Optimizer",
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
    "TrainingLog",
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
