"""The log has one line at the first spans of each service of a project."""

from __future__ import annotations

from structlog.testing import capture_logs

from spanloom.extractor.recording import MAX_KNOWN, NewServices


def test_each_service_of_each_project_is_greeted_once() -> None:
    newcomers = NewServices()
    with capture_logs() as lines:
        newcomers.log_new([("p", "travel"), ("p", "billing"), ("p", "travel")])
        newcomers.log_new([("p", "travel"), ("q", "travel")])
    told = [(line["project"], line["service"]) for line in lines]
    assert told == [("p", "billing"), ("p", "travel"), ("q", "travel")]


def test_a_sender_with_ever_new_names_does_not_fill_the_log() -> None:
    newcomers = NewServices()
    with capture_logs() as lines:
        for first in range(0, 3 * MAX_KNOWN, 100):
            newcomers.log_new(("p", f"service {n}") for n in range(first, first + 100))
    assert len(lines) == MAX_KNOWN
