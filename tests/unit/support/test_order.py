"""Every worker has the same tests in the same order, whatever it imported first."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from tests.support.order import begin_elsewhere, sort_slow_first

if TYPE_CHECKING:
    import pytest

FILES = ("tests/unit/a/test_a.py", "tests/unit/test_b.py", "tests/smoke/test_kill.py")


def test_any_order_of_files_is_sorted_alike_and_each_file_s_own_is_kept() -> None:
    sorted_ids = set()
    for seed in range(10):
        files = random.Random(seed).sample(FILES, len(FILES))
        found = [SimpleNamespace(nodeid=f"{file}::{name}") for file in files for name in "zya"]
        sort_slow_first(cast("list[pytest.Item]", found))
        sorted_ids.add(tuple(item.nodeid for item in found))
    [ids] = sorted_ids
    assert ids[:3] == tuple(f"tests/smoke/test_kill.py::{name}" for name in "zya")


def test_workers_begin_apart_and_have_all_files() -> None:
    files = list(range(10))
    begun = [begin_elsewhere(files, worker, 4) for worker in range(4)]
    assert [order[0] for order in begun] == [0, 2, 5, 7]
    assert all(sorted(order) == files for order in begun)
    assert [begin_elsewhere([], worker, 4) for worker in range(4)] == [[]] * 4
