"""Tasks for Potato over what is stored: runs, schemes and what annotators said, as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.annotating.schemes import UnknownSchemeError
from spanloom.core.annotation.potato.folder import task_files
from spanloom.core.annotation.reading import plain_scheme
from spanloom.core.errors import PermanentError
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.annotating.exchange import Exchange
    from spanloom.annotating.schemes import Schemes
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationQuery
    from spanloom.core.ports.reading import TrajectoryReader

    Json = dict[str, Any]  # as JSON gives and takes it

MOST_RUNS = 500
"""Runs of one task."""


class TooManyRunsError(PermanentError):
    """A task would have more runs than one answer should (409)."""


class Tasks:
    """Writes tasks."""

    def __init__(self, store: TrajectoryReader, schemes: Schemes, exchange: Exchange) -> None:
        """Take the store, and how schemes and annotations are read."""
        self._store = store
        self._schemes = schemes
        self._exchange = exchange

    def files(
        self,
        project: str,
        asked: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Sequence[str] | None = None,
    ) -> Mapping[str, bytes]:
        """Return the files of a task with what is asked for; of these runs alone, if given.

        Raises ``TooManyRunsError``.
        """
        entries = list(self._entries(project, asked, withheld, runs))
        ids = list(dict.fromkeys([*(runs or ()), *(entry["trace_id"] for entry in entries)]))
        if len(ids) > MOST_RUNS:
            raise TooManyRunsError(
                f"{len(ids):,} runs are too many for one task: name a queue of up to {MOST_RUNS}."
            )
        reach = Reach.only(project)
        documents = [d for i in ids if (d := self._store.document(i, reach)) is not None]
        names = {asked.scheme, *(entry["scheme"] for entry in entries)} - {""}
        schemes = [s for name in sorted(names) if (s := self._plain(project, name)) is not None]
        return task_files("spanloom", [orjson.loads(d) for d in documents], schemes, entries)

    def _entries(
        self,
        project: str,
        asked: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Sequence[str] | None,
    ) -> Iterator[Json]:
        wanted = None if runs is None else set(runs)
        for entry in self._exchange.entries(Reach.only(project), asked, withheld):
            if wanted is None or entry["trace_id"] in wanted:
                yield entry

    def _plain(self, project: str, name: str) -> Json | None:
        try:
            found = plain_scheme(self._schemes.find(project, name).text, name)
        except UnknownSchemeError:
            return None
        return found if isinstance(found, dict) else None
