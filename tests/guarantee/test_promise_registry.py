"""Whoever imports the registry can read every promise that was ever written."""

import inspect

from privet.guarantee import _promise
from privet.guarantee import _promise_registry as registry


def test_every_class_of_promise_is_listed_and_known_by_its_kind():
    listed = {getattr(registry, name) for name in registry.__all__}
    classes = {one for one in listed if inspect.isclass(one) and issubclass(one, registry.Promise)}
    concrete = {one for one in classes if one.kind}
    assert {one.kind: one for one in concrete} == _promise._KINDS
    assert len(concrete) >= 18


def test_a_record_of_each_family_is_read():
    for record in (
        {"schema": 1, "promise": "pure-dp", "epsilon": "0.5"},
        {"schema": 1, "promise": "k-anonymity", "k": 5},
        {"schema": 1, "promise": "all-of", "promises": [{"schema": 1, "promise": "k-anonymity", "k": 5}]},
    ):
        assert registry.promise_from_json(record).to_json() == record
