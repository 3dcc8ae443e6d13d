"""Reads trajectories in Coze Loop's schema: ``agent_steps`` next to ``root_step``, or inside it.

Ids may have any form, numbers may be strings, and strings may be numbers. A missing value gets a
default; a missing ``started_at`` is copied from the previous step. A step belongs to the agent that
lists it. Totals are computed from the steps; a different total in the source is counted as a loss.
Counts that overflowed 32 bits in the source are not corrected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.exchange.attributes import with_number
from spanloom.core.exchange.coze import members
from spanloom.core.exchange.coze.builder import MADE_ROOT
from spanloom.core.exchange.coze.shapes import is_coze, is_example
from spanloom.core.exchange.coze.steps import ROOT_TYPE, Source, duration_of, info_of
from spanloom.core.exchange.coze.totals import settle_totals
from spanloom.core.exchange.drafts import Draft, DraftStep, complete
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.readers import EachAlone, an_object
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.exchange.coze.steps import Node
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

SOURCE_ID, SOURCE_TYPE = "source_id", "source_type"


def read_trajectory(
    value: object,
    reading: Reading,
    extras: Mapping[str, str] | None = None,
    *,
    newest_first: bool = False,
) -> Json:
    """Convert a trajectory to a canonical document; ``extras`` is added to the run's metadata.

    ``newest_first``: whether the source lists later agents first, if their times do not show it.
    Raises ``InvalidRequestError`` with the path of the fault if the value is not a trajectory.
    """
    document = an_object(value, "the trajectory")
    source = Source(document, reading)
    about = dict(extras or {})
    if source.trace_id != source.source_id:
        about[SOURCE_ID] = source.source_id
    if source.is_root_made:
        about[MADE_ROOT] = "made"
    nodes = source.in_order(newest_first=newest_first)
    steps = [_drafted(node) for node in nodes]
    steps[0].duration_ms = steps[0].duration_ms or source.made_duration
    members = {"metadata": about} if about else {}
    draft = Draft(source.trace_id, reading.project, reading.format, steps, members)
    completed = complete(draft)
    settle_totals(completed, source.stated(), reading.losses)
    return completed


def _drafted(node: Node) -> DraftStep:
    json, where, kind = node.json, node.where, node.kind
    metadata = _metadata(node)
    info = members.object_in(json, "model_info", where) if kind is Kind.MODEL else {}
    place = f"{where}.model_info"
    return DraftStep(
        node.id,
        node.parent_id,
        kind,
        members.text_of(json.get("name"), f"{where}.name"),
        members.text_of(json.get("input"), f"{where}.input"),
        members.text_of(json.get("output"), f"{where}.output"),
        node.start_ms,
        duration_of(node),
        members.error_of(info_of(node), metadata, f"{where}.basic_info"),
        members.usage_in(info, place) if info else None,
        metadata.get("model", "") if kind is Kind.MODEL else "",
        members.first_token_in(info, place),
        metadata,
    )


def _metadata(node: Node) -> dict[str, str]:
    """Return the metadata of a step, plus its id and type in the source if they were changed."""
    json, where = node.json, node.where
    metadata = members.metadata_of(json, where)
    if node.entry:
        cost = members.metadata_of(node.entry, where).get(COST)
        metadata = metadata if cost is None else {COST: cost, **metadata}
    metadata.pop(ROOT_TYPE, None)
    source, stated = members.source_id_in(json, f"{where}."), json.get("type")
    if source and source != node.id:
        metadata.setdefault(SOURCE_ID, source)
    if stated and str(stated) != node.kind:
        metadata.setdefault(SOURCE_TYPE, members.text_of(stated, f"{where}.type"))
    return with_number(metadata, COST)


def _read_coze(value: object, reading: Reading) -> Iterator[Json]:
    yield read_trajectory(value, reading, newest_first=True)


COZE = EachAlone(is_coze, _read_coze)
EXAMPLE = EachAlone(is_example, lambda value, reading: [read_trajectory(value, reading)])
