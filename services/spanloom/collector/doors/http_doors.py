"""Which door stands at which path of the HTTP receiver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.collector.doors.cozeloop.door import make_cozeloop_doors
from spanloom.collector.doors.langfuse.door import make_langfuse_doors
from spanloom.collector.doors.otlp.door import make_otlp_doors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.collector.doors.door import Door
    from spanloom.collector.doors.langfuse.ingestion import LangfuseIngestion
    from spanloom.collector.intake.export import Exporter
    from spanloom.collector.intake.limits import Limits


def make_doors(
    exporter: Exporter, limits: Limits, langfuse: LangfuseIngestion | None
) -> Mapping[str, Door]:
    """Return the door of each path; Langfuse's own API where there is a memory for it."""
    return {
        **make_otlp_doors(exporter, limits),
        **make_cozeloop_doors(exporter, limits),
        **(make_langfuse_doors(langfuse) if langfuse is not None else {}),
    }
