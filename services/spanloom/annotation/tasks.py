"""Tasks for Potato over the store: runs, schemes and annotations, streamed."""

from __future__ import annotations

from itertools import groupby
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import orjson

from spanloom.annotation.schemes import UnknownSchemeError
from spanloom.core.annotation.potato.folder import TaskWriter
from spanloom.core.annotation.scheme_reader import plain_scheme
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanloom.annotation.exchange import Exchange
    from spanloom.annotation.schemes import Schemes
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationQuery
    from spanloom.core.ports.reading import TrajectoryReader


if TYPE_CHECKING:
    Json = dict[str, Any]  # as JSON gives and takes it


class Tasks:
    """Writes tasks."""

    def __init__(self, store: TrajectoryReader, schemes: Schemes, exchange: Exchange) -> None:
        """Take the store, and how schemes and annotations are read."""
        self._store = store
        self._schemes = schemes
        self._exchange = exchange

    def write(
        self,
        create: Callable[[str], IO[bytes]],
        project: str,
        asked: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Sequence[str] | None = None,
    ) -> Iterator[None]:
        """Write the files of a task with what is asked for; of these runs alone, if given.

        Yields behind each run and each file: what is held is one run and the ids of all.
        """
        reach, names = Reach.only(project), {asked.scheme}
        with TemporaryFile() as scratch:
            writer = TaskWriter("spanloom", create, scratch)
            for trace_id, entries in self._said(reach, asked, withheld, runs):
                if (document := self._store.document(trace_id, reach)) is not None:
                    writer.add(orjson.loads(document), entries)
                    names |= {entry["scheme"] for entry in entries}
                    yield
            schemes = [self._plain(project, name) for name in sorted(names - {""})]
            for _ in writer.finish([scheme for scheme in schemes if scheme is not None]):
                yield

    def _said(
        self,
        reach: Reach,
        asked: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Iterable[str] | None,
    ) -> Iterator[tuple[str, Sequence[Json]]]:
        """Yield runs with what is said of them: all that are given, else those that have some."""
        if runs is None:
            found = self._exchange.entries(reach, asked, withheld)
            for trace_id, group in groupby(found, key=lambda entry: str(entry["trace_id"])):
                yield trace_id, list(group)
            return
        for trace_id in dict.fromkeys(runs):
            of_run = asked._replace(trace_id=trace_id)
            yield trace_id, list(self._exchange.entries(reach, of_run, withheld))

    def _plain(self, project: str, name: str) -> Json | None:
        try:
            found = plain_scheme(self._schemes.find(project, name).text, name)
        except UnknownSchemeError:
            return None
        return found if isinstance(found, dict) else None
