"""Errors of the ClickHouse driver become store errors of Spanloom."""

from __future__ import annotations

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError, OperationalError

from spanloom.core.errors import StoreFaultError, StoreRejectedError, StoreUnavailableError
from spanloom.storage.engine.failures import FAULTS, REFUSALS, translated

TRANSIENT = {
    "full disk": [75, 76, 243, 1001],  # 1001: no inodes left, seen with the embedded engine
    "no memory": [173, 241],
    "too many parts": [252],
    "slow or away": [159, 202, 209, 210, 745],
    "read-only": [164, 242],
    "replicas": [225, 285, 286, 319, 999],
    "no access at the moment": [192, 193, 201, 497, 516],
    "being set up": [16, 60, 81],
    "of a release to come": [5000],
}


@pytest.mark.parametrize("code", [code for codes in TRANSIENT.values() for code in codes])
def test_what_may_pass_is_unavailable(code: int) -> None:
    cause = DatabaseError(f"Code: {code}. DB::Exception: no\nstack", code=code)
    with pytest.raises(StoreUnavailableError) as error, translated():
        raise cause
    assert error.value.__cause__ is cause
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("code", sorted(REFUSALS))
def test_what_comes_again_is_rejected(code: int) -> None:
    with pytest.raises(StoreRejectedError) as error, translated():
        raise DatabaseError("no", code=code)
    assert not isinstance(error.value, StoreFaultError)


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_what_may_be_our_mistake_is_a_fault(code: int) -> None:
    assert code not in REFUSALS
    with pytest.raises(StoreFaultError), translated():
        raise DatabaseError("no", code=code)


@pytest.mark.parametrize("cause", [OperationalError("gone"), OSError("no space left")])
def test_what_never_reached_the_engine_is_unavailable(cause: Exception) -> None:
    with pytest.raises(StoreUnavailableError), translated():
        raise cause


def test_other_errors_are_bugs_and_stay_as_they_are() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError("x")
