"""Redacts requests: how each place is named, and which filters see it."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from spanloom.collector.intake.redaction.content import NoContent
from spanloom.collector.intake.redaction.rules import Action, Place, read_rules, read_secret
from spanloom.collector.intake.redaction.values import Plain, read_value, write_value
from spanloom.collector.intake.redaction.walk import GONE, Findings, Gone, Walk
from spanloom.core.conventions.run_context import ATTRIBUTE, read_counts, write_counts
from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence
    from pathlib import Path

    from spanloom.collector.intake.redaction.rules import Rule
    from spanloom.telemetry import Metrics
    from spanloom.wire.receive_pb2 import ResourceSpans, ScopeSpans, Span


class Filter(Protocol):
    """Takes out what must not be stored."""

    def value(self, place: Place, key: str, value: Plain, found: Findings) -> Plain | Gone:
        """Return what is left of an attribute's value."""

    def text(self, place: Place, text: str, found: Findings) -> str:
        """Return what is left of a text that has no key."""


class Redactor:
    """What is redacted in this process; callable from many threads."""

    def __init__(
        self, rules: Sequence[Rule], secret: bytes, metrics: Metrics, *, no_content: bool = False
    ) -> None:
        """Load what the rules need; raises ``StartupError`` if it is missing."""
        self.secret = secret
        self.no_content = NoContent(secret) if no_content else None
        self._metrics = metrics
        self._walk = Walk(rules, secret) if rules else None
        filters: tuple[Filter | None, ...] = (self.no_content, self._walk)
        self._filters = [each for each in filters if each is not None]

    def begin(self, spans_are: Place = Place.SPAN) -> Redaction:
        """Begin a request; its spans may be events that were given the form of spans."""
        return Redaction(self, spans_are)

    def value(self, place: Place, key: str, value: Plain, found: Findings) -> Plain | Gone:
        """Return what all filters leave of a value."""
        left: Plain | Gone = value
        for each in self._filters:
            if not isinstance(left, Gone):
                left = each.value(place, key, left, found)
        return left

    def text(self, place: Place, text: str, found: Findings) -> str:
        """Return what all filters leave of a text."""
        for each in self._filters:
            text = each.text(place, text, found)
        return text

    def by_rules(self, place: Place, key: str, value: Plain, found: Findings) -> Plain | Gone:
        """Return what the rules alone leave of a value."""
        return self._walk.value(place, key, value, found) if self._walk else value

    def key(self, place: Place, key: str, found: Findings) -> str:
        """Return a key without what recognisers find in it."""
        return self._walk.text(place, key, found) if self._walk else key

    def count(self, found: Findings) -> None:
        """Count what was found among the metrics."""
        for (rule, action), n in found.items():
            self._metrics.redacted.labels(rule=rule, action=action).inc(n)


class Redaction:
    """One request being redacted in place, part by part; writes the counts onto its spans."""

    def __init__(self, redactor: Redactor, spans_are: Place) -> None:
        """Begin with nothing found."""
        self._redactor = redactor
        self._spans_are = spans_are
        self._shared: Findings = Counter()
        """Found in what spans share and not told yet; their first span tells it."""
        self.found: Findings = Counter()

    def resource(self, resource: ResourceSpans) -> None:
        """Redact a resource; its scopes and spans come apart."""
        self._attributes(Place.RESOURCE, resource.resource.attributes, self._shared)
        resource.schema_url = self._name(resource.schema_url, self._shared)

    def scope(self, scope: ScopeSpans) -> None:
        """Redact a scope; its spans come apart."""
        self._attributes(Place.SCOPE, scope.scope.attributes, self._shared)
        scope.scope.name = self._name(scope.scope.name, self._shared)
        scope.scope.version = self._name(scope.scope.version, self._shared)
        scope.schema_url = self._name(scope.schema_url, self._shared)

    def span(self, span: Span) -> None:
        """Redact a span with its events and links, and write the counts onto it."""
        found, self._shared = self._shared, Counter()
        counts = read_counts(_text_of(span.attributes.pop(ATTRIBUTE, b"")))
        self._attributes(self._spans_are, span.attributes, found)
        span.name = self._name(span.name, found)
        span.trace_state = self._name(span.trace_state, found)
        if span.HasField("status"):
            message = self._redactor.text(Place.STATUS, span.status.message, found)
            span.status.message = message
        self._events(span, found)
        for link in span.links:
            self._attributes(Place.LINK, link.attributes, found)
            link.trace_state = self._name(link.trace_state, found)
        for (rule, _), n in found.items():
            counts[rule] += n
        if counts:
            span.attributes[ATTRIBUTE] = write_value(write_counts(counts))
        self.found += found

    def count(self) -> None:
        """Count what was found among the metrics; once, when the request is through."""
        self._redactor.count(self.found + self._shared)

    def _events(self, span: Span, found: Findings) -> None:
        no_content = self._redactor.no_content
        if no_content and span.events:
            kept = [event for event in span.events if no_content.event(event.name)]
            if len(kept) < len(span.events):
                no_content.note(found, len(span.events) - len(kept))
                del span.events[:]
                span.events.extend(kept)
        for event in span.events:
            self._attributes(Place.EVENT, event.attributes, found)
            event.name = self._name(event.name, found)

    def _name(self, text: str, found: Findings) -> str:
        return self._redactor.text(Place.NAMES, text, found) if text else text

    def _attributes(
        self, place: Place, attributes: MutableMapping[str, bytes], found: Findings
    ) -> None:
        for key in list(attributes):
            encoded = attributes[key]
            left = self._redactor.value(place, key, read_value(encoded), found)
            name = self._redactor.key(place, key, found)
            if left is GONE or name != key:
                del attributes[key]
            if not isinstance(left, Gone):
                attributes[name] = write_value(left)


def _text_of(encoded: bytes) -> str:
    value = read_value(encoded)
    return value if isinstance(value, str) else ""


def make_redactor(
    rules_file: Path | None, secret_file: Path | None, metrics: Metrics, *, no_content: bool
) -> Redactor | None:
    """Return what redacts requests, ``None`` if nothing is to be redacted.

    Without a secret the hashes that only compare texts of one run of the process get one of their
    own; rules that hash need one that stays. Raises ``StartupError`` with a line per mistake.
    """
    if rules_file is None and not no_content:
        return None
    rules = read_rules(rules_file) if rules_file else ()
    hashing = [rule.name for rule in rules if rule.action is Action.HASH]
    if hashing and secret_file is None:
        raise StartupError(
            f"--redaction-rules {rules_file}: {', '.join(hashing)} hashes, which takes a secret: "
            "give --redaction-secret-file"
        )
    secret = read_secret(secret_file) if secret_file else secrets.token_bytes(32)
    return Redactor(rules, secret, metrics, no_content=no_content)
