"""The rules for the attributes of spans, events, links, resources and scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from spanloom.collector.intake.anyvalue import FIRST_UNUSUAL, annotate
from spanloom.collector.intake.findings import Change, Findings

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from spanloom.collector.intake.limits import Limits

_UINT32_MAX = 0xFFFF_FFFF


class Attributed(Protocol):
    """Whatever carries attributes in ``proto/spanloom/receive.proto``."""

    dropped_attributes_count: int

    @property
    def attributes(self) -> MutableMapping[str, bytes]:
        """Keys to encoded values."""


class AttributeRules:
    """Applies the rules to one owner of attributes after the other and notes what changed."""

    def __init__(self, limits: Limits, findings: Findings, request_bytes: int) -> None:
        """Take the limits and the place for findings.

        No value can be larger than its request, so most requests skip that check.
        """
        self._limits = limits
        self._findings = findings
        self._may_hold_large_values = request_bytes > limits.max_value_bytes
        self.changed = False
        """Whether any owner was changed, so that the request has to be written again."""

    def apply(self, owner: Attributed) -> None:
        """Annotate nested values; cut or drop, and count, what is beyond a limit."""
        limits = self._limits
        attributes = owner.attributes
        keys = list(attributes)
        # This line runs for every attribute received: one comparison each.
        unusual = [key for key in keys if attributes[key] >= FIRST_UNUSUAL]
        all_keys = "".join(keys)
        may_be_long = len(all_keys) > limits.max_key_bytes or not all_keys.isascii()
        if may_be_long or len(keys) > limits.max_attributes or self._may_hold_large_values:
            self._cut(owner, keys)
        for key in unusual:
            self._annotate(attributes, key)

    def _cut(self, owner: Attributed, keys: list[str]) -> None:
        """Apply the limits, and count what they cost."""
        attributes = owner.attributes
        self._drop_long_keys(attributes, keys)
        self._shorten_values(attributes)
        self._drop_excess(attributes)
        if dropped := len(keys) - len(attributes):
            total = owner.dropped_attributes_count + dropped
            owner.dropped_attributes_count = min(total, _UINT32_MAX)

    def _drop_long_keys(self, attributes: MutableMapping[str, bytes], keys: list[str]) -> None:
        for key in keys:
            if len(key.encode()) > self._limits.max_key_bytes:
                del attributes[key]
                self._note(Change.KEYS)

    def _shorten_values(self, attributes: MutableMapping[str, bytes]) -> None:
        """Cut long texts at a character; drop whatever else is too large."""
        if not self._may_hold_large_values:
            return
        limit = self._limits.max_value_bytes
        for key in [k for k in attributes if len(attributes[k]) > limit]:
            value = AnyValue.FromString(attributes[key])
            if value.WhichOneof("value") != "string_value":
                del attributes[key]
            elif len(text := value.string_value.encode()) > limit:
                value.string_value = text[:limit].decode(errors="ignore")
                attributes[key] = value.SerializeToString()
            else:
                continue
            self._note(Change.VALUES)

    def _drop_excess(self, attributes: MutableMapping[str, bytes]) -> None:
        """Keep the first keys in alphabetical order: whatever order they came in."""
        if len(attributes) > self._limits.max_attributes:
            for key in sorted(attributes)[self._limits.max_attributes :]:
                del attributes[key]
            self._note(Change.ATTRIBUTES)

    def _annotate(self, attributes: MutableMapping[str, bytes], key: str) -> None:
        value = attributes.get(key)
        if value is None:  # a limit has dropped it
            return
        annotated = annotate(value, self._limits.max_value_depth)
        if annotated.value != value:
            attributes[key] = annotated.value
            self.changed = True
        if annotated.has_string_index:
            self._note(Change.STRING_INDEX)

    def _note(self, change: Change) -> None:
        self._findings.changes[change] += 1
        self.changed = True
