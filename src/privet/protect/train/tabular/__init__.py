"""Models of tables: public preprocessing, learners behind one table of names.

One calls: `train`, or `PrivateClassifier` and `PrivateRegressor` as scikit-learn has them; `drafted` writes a schema to complete.
Never: takes a bound, a category or the number of rows from the data without paying for it.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.train.tabular._closed_form_clipping import ROUNDING as ROUNDING
    from privet.protect.train.tabular._coded_examples import read_examples as read_examples
    from privet.protect.train.tabular._default_hyperparameters import LinearSettings as LinearSettings
    from privet.protect.train.tabular._default_hyperparameters import settings_for as settings_for
    from privet.protect.train.tabular._evaluation import metrics as metrics
    from privet.protect.train.tabular._feature_basis import Basis as Basis
    from privet.protect.train.tabular._learner_registry import LEARNERS as LEARNERS
    from privet.protect.train.tabular._learner_registry import Examples as Examples
    from privet.protect.train.tabular._learner_registry import Paid as Paid
    from privet.protect.train.tabular._learner_registry import Report as Report
    from privet.protect.train.tabular._learner_registry import Task as Task
    from privet.protect.train.tabular._linear_models import LinearPlan as LinearPlan
    from privet.protect.train.tabular._loss_functions import residuals_of as residuals_of
    from privet.protect.train.tabular._noise_multiplier import noise_for as noise_for
    from privet.protect.train.tabular._noise_multiplier import run_of as run_of
    from privet.protect.train.tabular._nonprivate_baseline import twin_metrics as twin_metrics
    from privet.protect.train.tabular._public_schema import KnownColumn as KnownColumn
    from privet.protect.train.tabular._public_schema import Schema as Schema
    from privet.protect.train.tabular._schema_draft import drafted as drafted
    from privet.protect.train.tabular._schema_draft import schema_record as schema_record
    from privet.protect.train.tabular._schema_draft import schema_text as schema_text
    from privet.protect.train.tabular._schema_file import schema_of as schema_of
    from privet.protect.train.tabular._sklearn_estimators import PrivateClassifier as PrivateClassifier
    from privet.protect.train.tabular._sklearn_estimators import PrivateRegressor as PrivateRegressor
    from privet.protect.train.tabular._step_log import StepLog as StepLog
    from privet.protect.train.tabular._train_table import event_of as event_of
    from privet.protect.train.tabular._train_table import refuse_unfit as refuse_unfit
    from privet.protect.train.tabular._train_table import train as train
    from privet.protect.train.tabular._train_table import weights_of as weights_of
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
