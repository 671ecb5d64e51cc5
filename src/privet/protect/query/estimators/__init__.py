"""How answers are read off noisy vectors: counts, moments, histograms, quantiles, regressions.

One calls: `ESTIMATORS`, by the class of the question.
Never: sees an exact number, or changes what was booked.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.query.estimators._counts import Reading as Reading
    from privet.protect.query.estimators._estimator_registry import ESTIMATORS as ESTIMATORS
    from privet.protect.query.estimators._estimator_registry import (
        measures_and_readings as measures_and_readings,
    )
    from privet.protect.query.estimators._quantiles import settled as settled
    from privet.protect.query.estimators._sql_calls import CallReader as CallReader
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
