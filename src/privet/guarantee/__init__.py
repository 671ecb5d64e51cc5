"""What is promised: pure values, no data, no randomness.

Importing the package loads `_composition`, which teaches every accountant what a sealed plan costs.

One calls: promises and units, the events, `epsilon_for`, `certify`, `calibrate`.
Never: holds data or draws at random.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.guarantee import _composition as composition

if TYPE_CHECKING:
    from privet.guarantee import exact_amounts as exact_amounts
    from privet.guarantee._adversary_bounds import most_accuracy as most_accuracy
    from privet.guarantee._adversary_bounds import most_auc as most_auc
    from privet.guarantee._adversary_bounds import most_guessed as most_guessed
    from privet.guarantee._adversary_bounds import most_linked as most_linked
    from privet.guarantee._adversary_bounds import most_true_positives as most_true_positives
    from privet.guarantee._adversary_bounds import promised_epsilon as promised_epsilon
    from privet.guarantee._basic_composition import pure_cost as pure_cost
    from privet.guarantee._calculator_notation import Template as Template
    from privet.guarantee._calculator_notation import number_text as number_text
    from privet.guarantee._calculator_notation import parse_with_unknown as parse_with_unknown
    from privet.guarantee._calculator_notation import unparse as unparse
    from privet.guarantee._calculator_solver import solve_notation as solve_notation
    from privet.guarantee._calculator_syntax import read_number as read_number
    from privet.guarantee._calculator_vocabulary import BY_NAME as BY_NAME
    from privet.guarantee._calculator_vocabulary import LARGEST_COUNT as LARGEST_COUNT
    from privet.guarantee._calculator_vocabulary import in_words as in_words
    from privet.guarantee._calibration import bound_for as bound_for
    from privet.guarantee._calibration import calibrate as calibrate
    from privet.guarantee._calibration import gaussian_sigma as gaussian_sigma
    from privet.guarantee._calibration import laplace_scale as laplace_scale
    from privet.guarantee._calibration import solve as solve
    from privet.guarantee._calibration import threshold_for as threshold_for
    from privet.guarantee._composition import ACCOUNTANTS as ACCOUNTANTS
    from privet.guarantee._composition import PrivacyLoss as PrivacyLoss
    from privet.guarantee._composition import certify as certify
    from privet.guarantee._composition import epsilon_for as epsilon_for
    from privet.guarantee._events import EVENT_CLASSES as EVENT_CLASSES
    from privet.guarantee._events import TRIAL_LAWS as TRIAL_LAWS
    from privet.guarantee._events import BandedGaussian as BandedGaussian
    from privet.guarantee._events import BandedInverseGaussian as BandedInverseGaussian
    from privet.guarantee._events import Composed as Composed
    from privet.guarantee._events import DiscreteGaussian as DiscreteGaussian
    from privet.guarantee._events import DiscreteLaplace as DiscreteLaplace
    from privet.guarantee._events import DistributedGaussian as DistributedGaussian
    from privet.guarantee._events import Event as Event
    from privet.guarantee._events import Exponential as Exponential
    from privet.guarantee._events import Gaussian as Gaussian
    from privet.guarantee._events import NormedGaussian as NormedGaussian
    from privet.guarantee._events import Opaque as Opaque
    from privet.guarantee._events import PacRelease as PacRelease
    from privet.guarantee._events import PermuteAndFlip as PermuteAndFlip
    from privet.guarantee._events import PoissonSampled as PoissonSampled
    from privet.guarantee._events import RandomizedResponse as RandomizedResponse
    from privet.guarantee._events import Repeated as Repeated
    from privet.guarantee._events import SealedPlan as SealedPlan
    from privet.guarantee._events import Selected as Selected
    from privet.guarantee._events import ShuffledReports as ShuffledReports
    from privet.guarantee._events import ThresholdedKeys as ThresholdedKeys
    from privet.guarantee._events import TruncatedKeys as TruncatedKeys
    from privet.guarantee._events import TruncatedPoissonSampled as TruncatedPoissonSampled
    from privet.guarantee._events import ZeroConcentrated as ZeroConcentrated
    from privet.guarantee._events import event_from_json as event_from_json
    from privet.guarantee._events import leaves as leaves
    from privet.guarantee._expected_error import half_width as half_width
    from privet.guarantee._expected_error import spread as spread
    from privet.guarantee._log_det_noise import balanced_noise as balanced_noise
    from privet.guarantee._log_det_noise import linearised_noise as linearised_noise
    from privet.guarantee._log_det_noise import log_det_information as log_det_information
    from privet.guarantee._log_det_noise import log_det_noise as log_det_noise
    from privet.guarantee._log_det_noise import noise_ratio as noise_ratio
    from privet.guarantee._loss_distribution import GRID as GRID
    from privet.guarantee._noise_mixture import Term as Term
    from privet.guarantee._noise_mixture import mixture_half_width as mixture_half_width
    from privet.guarantee._noise_mixture import strays_beyond as strays_beyond
    from privet.guarantee._noise_strategies import BandedStrategy as BandedStrategy
    from privet.guarantee._noise_strategies import BufferedStrategy as BufferedStrategy
    from privet.guarantee._noise_strategies import NoiseStrategy as NoiseStrategy
    from privet.guarantee._noise_strategies import Participation as Participation
    from privet.guarantee._noise_strategies import root_up as root_up
    from privet.guarantee._pac_privacy import NOT_PROMISED as NOT_PROMISED
    from privet.guarantee._pac_privacy import blind_guess as blind_guess
    from privet.guarantee._privacy_units import Change as Change
    from privet.guarantee._privacy_units import Person as Person
    from privet.guarantee._privacy_units import Row as Row
    from privet.guarantee._privacy_units import Unit as Unit
    from privet.guarantee._privacy_units import noun as noun
    from privet.guarantee._privacy_units import unit_from_json as unit_from_json
    from privet.guarantee._privacy_units import unit_in as unit_in
    from privet.guarantee._privacy_units import unit_to_json as unit_to_json
    from privet.guarantee._promise import Promise as Promise
    from privet.guarantee._promise import parts as parts
    from privet.guarantee._promise_registry import AllOf as AllOf
    from privet.guarantee._promise_registry import ApproxDP as ApproxDP
    from privet.guarantee._promise_registry import DeltaPresence as DeltaPresence
    from privet.guarantee._promise_registry import KMap as KMap
    from privet.guarantee._promise_registry import LocalDP as LocalDP
    from privet.guarantee._promise_registry import PacPrivacy as PacPrivacy
    from privet.guarantee._promise_registry import PopulationUniqueness as PopulationUniqueness
    from privet.guarantee._promise_registry import PureDP as PureDP
    from privet.guarantee._promise_registry import RenyiDP as RenyiDP
    from privet.guarantee._promise_registry import RiskThreshold as RiskThreshold
    from privet.guarantee._promise_registry import SafeHarbor as SafeHarbor
    from privet.guarantee._promise_registry import ZeroConcentratedDP as ZeroConcentratedDP
    from privet.guarantee._promise_registry import promise_from_json as promise_from_json
    from privet.guarantee._shuffle_amplification import shuffled_delta as shuffled_delta
    from privet.guarantee._shuffle_amplification import shuffled_epsilon as shuffled_epsilon
    from privet.guarantee._strategy_fit import ErrorMeasure as ErrorMeasure
    from privet.guarantee._strategy_fit import fitted_bands as fitted_bands
    from privet.guarantee._strategy_fit import fitted_buffers as fitted_buffers
    from privet.guarantee._syntactic_promises import AlphaK as AlphaK
    from privet.guarantee._syntactic_promises import BetaLikeness as BetaLikeness
    from privet.guarantee._syntactic_promises import DeltaDisclosure as DeltaDisclosure
    from privet.guarantee._syntactic_promises import KAnonymity as KAnonymity
    from privet.guarantee._syntactic_promises import LDiversity as LDiversity
    from privet.guarantee._syntactic_promises import TCloseness as TCloseness
    from privet.guarantee._zero_concentrated import ConcentratedCost as ConcentratedCost
    from privet.guarantee._zero_concentrated import epsilon_of_rho as epsilon_of_rho
    from privet.guarantee._zero_concentrated import rho_within as rho_within
    from privet.guarantee._zero_concentrated import zcdp_cost as zcdp_cost
    from privet.guarantee.exact_amounts import DELTA_UNIT as DELTA_UNIT
    from privet.guarantee.exact_amounts import LOSS_UNIT as LOSS_UNIT
    from privet.guarantee.exact_amounts import Number as Number
    from privet.guarantee.exact_amounts import exact as exact
    from privet.guarantee.exact_amounts import float_down as float_down
    from privet.guarantee.exact_amounts import float_up as float_up
    from privet.guarantee.exact_amounts import positive as positive
    from privet.guarantee.exact_amounts import readable as readable
    from privet.guarantee.exact_amounts import units_down as units_down
    from privet.guarantee.exact_amounts import units_up as units_up
    from privet.guarantee.exact_amounts import whole as whole
    from privet.guarantee.exact_amounts import written as written
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
