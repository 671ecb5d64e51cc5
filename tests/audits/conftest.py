"""One hospital and its audit, which many tests look at and none changes."""

import pytest

from privet import examples
from privet.audits import audit


@pytest.fixture(scope="session")
def stays():
    return examples.hospital(300, 7)


@pytest.fixture(scope="session")
def found(stays):
    return audit(stays, quasi=["zip", "sex", "ward"], sensitive=["diagnosis"], source="patients.csv")
