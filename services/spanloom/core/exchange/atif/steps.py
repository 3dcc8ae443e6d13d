"""Converts what an ATIF step contains: time, content, metrics, results and error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.document import whole
from spanloom.core.exchange.messages.writing import placeholder
from spanloom.core.formats.losses import Code
from spanloom.core.values.attributes import decimal
from spanloom.core.values.moments import LAST_MS, iso_nanoseconds, rfc3339_ms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

IMAGES = {"jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png"} | {
    "gif": "image/gif",
    "webp": "image/webp",
}
"""Media types of images, keyed by the file suffix in URLs; other types are not permitted."""


def time_of(ms: int) -> str:
    """Return a time as ISO 8601 with milliseconds in UTC; empty if unknown or out of range."""
    return rfc3339_ms(ms) if 0 < ms <= LAST_MS else ""


def ms_of(text: object) -> int | None:
    """Convert an ISO 8601 time, by default in UTC, to ms since the epoch; ``None`` if invalid."""
    found = iso_nanoseconds(text)
    return None if found is None else found // 1_000_000


def content_of(content: object, step_id: str, losses: Losses) -> str | list[Json]:
    """Return the content of a message: a text, or parts if an image has a URL.

    Embedded bytes would need a separate file; they become a placeholder.
    """
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    parts = [_part(part) for part in content]
    losses.note(Code.PARTS_DROPPED, step_id, sum(is_dropped for _, is_dropped in parts))
    if any(part["type"] != "text" for part, _ in parts):
        return [part for part, _ in parts]
    return "\n".join(part["text"] for part, _ in parts)


def _part(part: object) -> tuple[Json, bool]:
    """Convert a part of a message to ATIF's form; return it, and whether it is a placeholder."""
    known = part if isinstance(part, dict) else {}
    if known.get("type") == "text" and isinstance(known.get("text"), str):
        return {"type": "text", "text": known["text"]}, False
    image = known.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    if known.get("type") == "image_url" and isinstance(url, str) and "://" in url[:10]:
        kind = url.partition("?")[0].rpartition(".")[2].lower()
        if kind in IMAGES:
            source = {"media_type": IMAGES[kind], "path": url}
            return {"type": "image", "source": source}, False
    return {"type": "text", "text": placeholder(part)}, True


_COUNTS = (
    ("prompt_tokens", "input_tokens"),
    ("completion_tokens", "output_tokens"),
    ("cached_tokens", "input_read_cached_tokens"),
)
_MORE = (
    ("reasoning_tokens", "reasoning_tokens"),
    ("cache_creation_tokens", "input_creation_cached_tokens"),
)
FIRST_TOKEN = "first_token_ms"  # noqa: S105 - a duration


def metrics_of(step: DocumentStep) -> Json:
    """Return tokens and cost of a model step as ATIF metrics; empty if it has none."""
    info = step.model_info
    if not info:
        return {}
    metrics: Json = {theirs: whole(info.get(ours)) for theirs, ours in _COUNTS}
    cost = decimal(str(step.metadata.get("cost", "")))
    if cost is not None:
        metrics["cost_usd"] = cost
    extra = {theirs: whole(info.get(ours)) for theirs, ours in _MORE}
    first = info.get("latency_first_resp")
    metrics["extra"] = extra | ({} if first is None else {FIRST_TOKEN: whole(first)})
    return metrics


def totals_of(metrics: Sequence[Json], steps: int) -> Json:
    """Return ATIF's totals: the sums over the metrics of model steps, and the number of steps."""
    sums = {f"total_{name}": sum(one[name] for one in metrics) for name, _ in _COUNTS}
    return {**sums, "total_steps": steps}


def observed(step: Json, result: Json) -> None:
    """Add a tool result to the observation of an ATIF step."""
    step.setdefault("observation", {"results": []})["results"].append(result)


def error_in(step: DocumentStep, content: str) -> Json:
    """Return a step's error for ``extra``, without its message if that is in the content."""
    error = step.error
    if error is None:
        return {}
    fields: Json = {"is_error": True, "error_code": error.get("code")}
    message = step.error_message
    is_repeated = not step.output and content == message
    return fields if is_repeated else {**fields, "error_message": message}
