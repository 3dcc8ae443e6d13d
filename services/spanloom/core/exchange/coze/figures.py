"""Computes metrics as Coze Loop's builder does: counts, times, failures, cost."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from spanloom.core.extraction.metrics import COST, is_free

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json

TOKENS = frozenset(
    {
        *("input_tokens", "output_tokens", "reasoning_tokens"),
        *("input_read_cached_tokens", "input_creation_cached_tokens"),
    }
)


def without_zeros(info: Mapping[str, Any]) -> Json:
    """Return metrics without zeros, except for rates, as the builder writes them."""
    return {
        name: value
        for name, value in info.items()
        if value not in _ZEROS or isinstance(value, float)
    }


_ZEROS: tuple[object, ...] = (0, "0", {})


def usage_of(info: Mapping[str, Any]) -> Json:
    """Return ``model_info`` as the builder writes it: token counts in 32 bits, no zeros."""
    if wraps(info):
        info = {name: _int32(n) if name in TOKENS else n for name, n in info.items()}
    return without_zeros(info)


def wraps(info: Mapping[str, Any]) -> bool:
    """Return whether a token count needs more than 31 bits."""
    return max(map(info.get, TOKENS, _NO_TOKENS), default=0) >= _WRAPPED


_WRAPPED = 2**31
_NO_TOKENS = (0,) * len(TOKENS)


def _int32(number: int) -> int:
    return (number + _WRAPPED) % 2**32 - _WRAPPED


def measure(steps: Collection[Json]) -> Json:
    """Return ``metrics_info``, computed from steps."""
    models, tools = ([s for s in steps if s["type"] == kind] for kind in ("model", "tool"))
    model_errors, tool_errors = _errors(models), _errors(tools)
    used = [info for step in models if (info := step.get("model_info"))]
    return usage_of(
        {
            "llm_duration": str(sum(map(_duration_ms, models))),
            "tool_duration": str(sum(map(_duration_ms, tools))),
            "tool_errors": tool_errors,
            "tool_error_rate": _share(sum(map(len, tool_errors.values())), len(tools)),
            "model_errors": model_errors,
            "model_error_rate": _share(sum(map(len, model_errors.values())), len(models)),
            "tool_step_proportion": _share(len(tools), len(models) + len(tools)),
            "input_tokens": sum(info.get("input_tokens", 0) for info in used),
            "output_tokens": sum(info.get("output_tokens", 0) for info in used),
        }
    )


def _errors(steps: Iterable[Json]) -> Mapping[str, Sequence[str]]:
    failed = [step for step in steps if step["basic_info"].get("error")]
    if not failed:  # the usual case
        return {}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for step in failed:
        found[str(step["basic_info"]["error"]["code"])].append(step["id"])
    return dict(sorted(found.items()))


def cost_of(steps: Sequence[Json]) -> str:
    """Return the cost of model calls, in US dollars; empty if the cost of any call is unknown."""
    billed = [step for step in steps if step["type"] == "model" and not _is_free(step)]
    costs = [cost for step in billed if (cost := (step.get("metadata") or {}).get(COST))]
    is_known = bool(billed) and len(costs) == len(billed)
    return f"{sum(map(Decimal, costs)):f}" if is_known else ""


def _is_free(step: Json) -> bool:
    has_used = any(map((step.get("model_info") or {}).get, TOKENS))
    is_priced = COST in (step.get("metadata") or {})
    has_failed = "error" in step["basic_info"]
    return is_free(has_failed=has_failed, has_used=has_used, is_priced=is_priced)


def _duration_ms(step: Json) -> int:
    return int(step["basic_info"].get("duration", 0))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
