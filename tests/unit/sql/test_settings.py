from __future__ import annotations

import pytest

from spanloom.core.ports.sql import SqlError
from spanloom.sql.settings import SqlLimits, clamp, is_settable

LIMITS = SqlLimits(time_s=10, result_rows=1000)


@pytest.mark.parametrize(
    ("name", "asked", "set_to"),
    [
        ("max_execution_time", "2.5", "2.5"),
        ("max_execution_time", "60", "10"),
        ("max_execution_time", "0", "10"),
        ("max_execution_time", "-1", "10"),
        ("max_execution_time", "nan", "10"),
        ("max_execution_time", "inf", "10"),
        ("max_result_rows", "10", "10"),
        ("max_result_rows", "0.5", "1"),
        ("max_result_rows", "1e9", "1000"),
        ("join_use_nulls", "1", "1"),
        ("output_format_json_quote_64bit_integers", "1", "1"),
    ],
)
def test_a_limit_is_narrowed_never_widened(name: str, asked: str, set_to: str) -> None:
    assert clamp({name: asked}, LIMITS)[name] == set_to


def test_limits_hold_for_whoever_asks_for_none() -> None:
    settings = clamp({}, LIMITS)
    assert settings["max_execution_time"] == "10"
    assert all(float(value) > 0 for value in settings.values())


@pytest.mark.parametrize("name", ["wait_end_of_query", "readonly", "insert_quorum"])
def test_what_clients_send_to_everybody_is_left_out(name: str) -> None:
    assert name not in clamp({name: "1"}, LIMITS)
    assert not is_settable(name)


@pytest.mark.parametrize(
    "name", ["additional_table_filters", "enable_analyzer", "output_format_schema", "x"]
)
def test_others_are_refused(name: str) -> None:
    with pytest.raises(SqlError, match=name):
        clamp({name: "1"}, LIMITS)


def test_a_limit_is_a_number() -> None:
    with pytest.raises(SqlError, match="takes a number"):
        clamp({"max_threads": "many"}, LIMITS)
