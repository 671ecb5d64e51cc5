"""Statistics from people who trust nobody: local differential privacy, from the specification to the estimate.

One calls: `Collection` with a question, `Collection.randomize` on the side of the devices, `estimate` on that of the server.
Never: sees a value on the server's side, or estimates from reports that were made by another specification.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.collect._batch_intake import MOST_IN_BATCH as MOST_IN_BATCH
    from privet.protect.collect._batch_intake import deployment_key as deployment_key
    from privet.protect.collect._batch_intake import intake as intake
    from privet.protect.collect._booked_estimates import report_question as report_question
    from privet.protect.collect._booked_estimates import shuffled_promise as shuffled_promise
    from privet.protect.collect._collection import Collection as Collection
    from privet.protect.collect._counted_nouns import numbered as numbered
    from privet.protect.collect._deployments import DEPLOYMENTS as DEPLOYMENTS
    from privet.protect.collect._deployments import Deployment as Deployment
    from privet.protect.collect._deployments import deployed as deployed
    from privet.protect.collect._device import Device as Device
    from privet.protect.collect._error_forecast import Forecast as Forecast
    from privet.protect.collect._error_forecast import epsilon_for_error as epsilon_for_error
    from privet.protect.collect._error_forecast import expected_error as expected_error
    from privet.protect.collect._error_forecast import forecasts as forecasts
    from privet.protect.collect._estimate import estimate as estimate
    from privet.protect.collect._group_comparison import estimate_change as estimate_change
    from privet.protect.collect._group_comparison import estimate_trend as estimate_trend
    from privet.protect.collect._questions import NumberIn as NumberIn
    from privet.protect.collect._questions import OneOf as OneOf
    from privet.protect.collect._questions import Several as Several
    from privet.protect.collect._questions import TextOf as TextOf
    from privet.protect.collect._report_sources import refuse_other_columns as refuse_other_columns
    from privet.protect.collect._simulation import simulate as simulate
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
