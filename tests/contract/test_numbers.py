"""Numbers of runs that are not there are told too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.access import Reach
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


def test_without_groups_there_is_always_one(store: Store, new_project: Callable[[], str]) -> None:
    of = Subject.RUN
    alone = Numbers(of, parse_metrics("count,sum(input_tokens),p95(duration)", of))
    [group] = store.stats.numbers(Reach.only(new_project()), None, alone)
    assert group.values[0] == 0
    assert not any(group.values)
    grouped = alone._replace(by=parse_by("model", of))
    assert store.stats.numbers(Reach.only(new_project()), None, grouped) == []
