"""Writes Potato tasks from the store: runs, schemes and annotations, streamed."""

from __future__ import annotations

from itertools import groupby
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import orjson

from spanloom.annotation.schemes import UnknownSchemeError
from spanloom.core.annotation.potato.folder import TaskWriter
from spanloom.core.annotation.scheme_reader import plain_scheme
from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanloom.annotation.exchange import Exchange
    from spanloom.annotation.schemes import Schemes
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationQuery
    from spanloom.core.ports.reading import DocumentReader


if TYPE_CHECKING:
    Json = dict[str, Any]  # a JSON object


class Tasks:
    """Writes Potato tasks."""

    def __init__(self, documents: DocumentReader, schemes: Schemes, exchange: Exchange) -> None:
        """Read runs from ``documents``, and their annotations from ``exchange``."""
        self._documents = documents
        self._schemes = schemes
        self._exchange = exchange

    def write(
        self,
        create: Callable[[str], IO[bytes]],
        project: str,
        query: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Sequence[str] | None = None,
    ) -> Iterator[None]:
        """Write the files of a task with the annotations of a query, of ``runs`` only if not None.

        Yields after each run and each file; only one run and the ids of all are in memory.
        """
        reach, names = Reach.only(project), {query.scheme}
        with TemporaryFile() as scratch:
            writer = TaskWriter("spanloom", create, scratch)
            for trace_id, entries in self._entries(reach, query, withheld, runs):
                if (document := self._documents.get(trace_id, reach)) is not None:
                    writer.add(orjson.loads(document), entries)
                    names |= {entry["scheme"] for entry in entries}
                    yield
            schemes = [self._plain(project, name) for name in sorted(names - {""})]
            for _ in writer.finish([scheme for scheme in schemes if scheme is not None]):
                yield

    def _entries(
        self,
        reach: Reach,
        query: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Iterable[str] | None,
    ) -> Iterator[tuple[str, Sequence[Json]]]:
        """Yield (trace id, entries) of each of ``runs``; if ``None``, of all runs with entries."""
        if runs is None:
            entries = self._exchange.entries(reach, query, withheld)
            for trace_id, group in groupby(entries, key=lambda entry: str(entry["trace_id"])):
                yield trace_id, list(group)
            return
        for trace_id in dict.fromkeys(runs):
            of_run = query._replace(trace_id=trace_id)
            yield trace_id, list(self._exchange.entries(reach, of_run, withheld))

    def _plain(self, project: str, name: str) -> Json | None:
        try:
            scheme = plain_scheme(self._schemes.find(project, name).text, name)
        except UnknownSchemeError:
            return None
        return scheme if isinstance(scheme, dict) else None
