"""Driver errors become errors of the pipeline."""

from __future__ import annotations

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError, OperationalError

from spanloom.core.errors import StoreRejectedError, StoreUnavailableError
from spanloom.storage.failures import translated


@pytest.mark.parametrize("code", [241, 243, 252, 159, 210])
def test_what_may_pass_is_unavailable(code: int) -> None:
    cause = DatabaseError(f"Code: {code}. DB::Exception: no\nstack", code=code)
    with pytest.raises(StoreUnavailableError) as error, translated():
        raise cause
    assert error.value.__cause__ is cause
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("code", [27, 36, 53, 62, 436, 444])
def test_what_comes_again_is_rejected(code: int) -> None:
    with pytest.raises(StoreRejectedError), translated():
        raise DatabaseError("no", code=code)


@pytest.mark.parametrize("cause", [OperationalError("gone"), OSError("no space left")])
def test_what_never_reached_the_engine_is_unavailable(cause: Exception) -> None:
    with pytest.raises(StoreUnavailableError), translated():
        raise cause


def test_other_errors_are_bugs_and_stay_as_they_are() -> None:
    with pytest.raises(KeyError), translated():
        raise KeyError("x")
