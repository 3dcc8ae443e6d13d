"""Reads the data about the run in the ``info`` of an MLflow trace, in any version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.values import encoded, sound, text_of
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.readers import an_object
from spanloom.core.values.attributes import json_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_KNOWN = frozenset(
    {
        *("trace_id", "request_id", "trace_location", "experiment_id", "request_time", "state"),
        *("timestamp_ms", "execution_time_ms", "execution_duration", "execution_duration_ms"),
        *("status", "trace_metadata", "request_metadata", "tags", "assessments"),
        *("request_preview", "response_preview", names.REQUEST),
    }
)
_DERIVED = frozenset(
    {
        *(names.SCHEMA, names.SESSION, names.USER, names.TRACE_USAGE, names.TRACE_COST),
        *(*names.SIZES, "mlflow.traceInputs", "mlflow.traceOutputs", names.TRACE_NAME),
        "mlflow.trace.infoFinalized",
    }
)
"""Metadata and tags that are derived from the spans, or that are elsewhere in the document."""
_IN_PROGRESS = "IN_PROGRESS"
_PLACES = ("catalog_name", "schema_name", "table_prefix")


class RunFacts:
    """The data about one run in ``info``."""

    def __init__(self, info: Json, kept: object, where: str, losses: Losses) -> None:
        """Read ``info``; ``kept`` is the attribute ``spanloom.run`` of the root span.

        Raises ``InvalidRequestError`` with the path of the fault.
        """
        self._info = info
        self._where = where
        self._losses = losses
        self._kept = json_object(text_of(kept, names.RUN, losses))
        self._metadata = self._texts("trace_metadata") or self._texts("request_metadata")
        self._tags = self._texts("tags")
        note_unread(info, _KNOWN, losses, where)

    def extras(
        self, source_id: str, expected: Mapping[str, object]
    ) -> tuple[Mapping[str, object], Sequence[str]]:
        """Return the members of ``extraction``, and the warnings.

        ``expected`` has expectations to add to those in the trace.
        """
        metadata = self._all_metadata(source_id)
        known: dict[str, object] = {
            "conversation_id": self._own("conversation_id") or self._metadata.get(names.SESSION),
            "user_id": self._own("user_id") or self._metadata.get(names.USER),
            "environment": self._own("environment"),
            "release": self._own("release"),
            "services": self._list("services"),
            "linked_traces": self._list("linked_traces"),
            "tags": self._all_tags(),
            "metadata": {**metadata, **with_expectations(metadata, expected)},
        }
        return {name: value for name, value in known.items() if value}, self._list("warnings")

    def _own(self, name: str) -> str:
        value = self._kept.get(name)
        return value if isinstance(value, str) else ""

    def _list(self, name: str) -> list[str]:
        listed = self._kept.get(name)
        return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []

    def _all_tags(self) -> list[str]:
        kept = self._list("tags")
        cut = {tag[: names.MAX_METADATA] for tag in kept} | _DERIVED
        return kept + [tag for tag, value in self._tags.items() if not value and tag not in cut]

    def _all_metadata(self, source_id: str) -> Mapping[str, str]:
        """Return metadata (uncut, if Spanloom wrote the trace), tags and location as metadata."""
        own = self._kept.get("metadata")
        kept = own if isinstance(own, dict) else {}
        whole = {name: value for name, value in kept.items() if isinstance(value, str)}
        cut = {name[: names.MAX_METADATA] for name in whole} | _DERIVED
        tags = {name: value for name, value in self._tags.items() if value}
        others = {k: v for k, v in {**tags, **self._metadata}.items() if k not in cut}
        return {names.SOURCE_ID: source_id, **self._about(), **others, **whole}

    def _about(self) -> Mapping[str, str]:
        experiment, location = self._location()
        state = self._info.get("state") or self._info.get("status")
        texts = {
            names.LOCATION: location,
            names.EXPERIMENT: experiment,
            names.STATE: _IN_PROGRESS if state == _IN_PROGRESS else "",
            names.REQUEST: self._info.get(names.REQUEST),
        }
        return {name: self._sound(v) for name, v in texts.items() if isinstance(v, str) and v}

    def _location(self) -> tuple[str, str]:
        """Return the experiment id, and the name of the schema or table; each may be empty.

        Only traces of version 4, and traces in inference tables, have one.
        """
        raw = self._info.get("trace_location")
        location: Json = raw if isinstance(raw, dict) else {}
        inner = {name: value for name, value in location.items() if isinstance(value, dict)}
        experiment = inner.get("mlflow_experiment", {}).get("experiment_id")
        experiment = experiment or self._info.get("experiment_id")
        table = inner.get("uc_schema") or inner.get("uc_table_prefix") or {}
        parts = [part for name in _PLACES if isinstance(part := table.get(name), str) and part]
        place = ".".join(parts) or inner.get("inference_table", {}).get("full_table_name")
        named = experiment if isinstance(experiment, str) and experiment != "0" else ""
        return named, place if isinstance(place, str) else ""

    def _texts(self, name: str) -> Mapping[str, str]:
        values: Mapping[str, Any] = an_object(self._info.get(name) or {}, f"{self._where}.{name}")
        return {
            self._sound(key): value if value == "" else self._text(value, f"{name}.{key}")
            for key, value in values.items()
            if value is not None
        }

    def _text(self, value: object, name: str) -> str:
        if isinstance(value, str):
            return self._sound(value)
        return text_of(value, f"{self._where}.{name}", self._losses)

    def _sound(self, text: str) -> str:
        return sound(text, self._where, self._losses)


def with_expectations(
    metadata: Mapping[str, str], expected: Mapping[str, object]
) -> Mapping[str, str]:
    """Return the metadata entry for all expectations of a run; empty if ``expected`` adds none."""
    before = json_object(metadata.get(names.EXPECTATIONS, ""))
    after = {**before, **expected}
    return {} if after == before else {names.EXPECTATIONS: encoded(after, names.EXPECTATIONS)}
