"""Redacts requests: applies the filters to every value and text in a request."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from spanloom.collector.intake.redaction.content import NoContent
from spanloom.collector.intake.redaction.rules import Action, Place, read_rules, read_secret
from spanloom.collector.intake.redaction.values import Plain, read_value, write_value
from spanloom.collector.intake.redaction.walk import GONE, Gone, Matches, Walk
from spanloom.core.conventions.run_context import ATTRIBUTE, read_counts, write_counts
from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence
    from pathlib import Path

    from spanloom.collector.intake.redaction.rules import Rule
    from spanloom.metrics import Metrics
    from spanloom.wire.receive_pb2 import ResourceSpans, ScopeSpans, Span


class Filter(Protocol):
    """Redacts values and texts."""

    def value(self, place: Place, key: str, value: Plain, matches: Matches) -> Plain | Gone:
        """Return the redacted value of an attribute; ``GONE`` if it is dropped."""

    def text(self, place: Place, text: str, matches: Matches) -> str:
        """Return the redacted form of a text that has no key."""


class Redactor:
    """Applies the filters of this process; callable from many threads."""

    def __init__(
        self, rules: Sequence[Rule], secret: bytes, metrics: Metrics, *, no_content: bool = False
    ) -> None:
        """Load the recognisers; raises ``StartupError`` if their libraries are missing."""
        self.secret = secret
        self.no_content = NoContent(secret) if no_content else None
        self._metrics = metrics
        self._walk = Walk(rules, secret) if rules else None
        filters: tuple[Filter | None, ...] = (self.no_content, self._walk)
        self._filters = [each for each in filters if each is not None]

    def begin(self, spans_are: Place = Place.SPAN) -> Redaction:
        """Return the redaction for one request.

        ``spans_are`` is ``EVENT`` if its spans encode content events.
        """
        return Redaction(self, spans_are)

    def value(self, place: Place, key: str, value: Plain, matches: Matches) -> Plain | Gone:
        """Return an attribute's value after applying all filters; ``GONE`` if it is dropped."""
        redacted: Plain | Gone = value
        for each in self._filters:
            if not isinstance(redacted, Gone):
                redacted = each.value(place, key, redacted, matches)
        return redacted

    def text(self, place: Place, text: str, matches: Matches) -> str:
        """Return a text after applying all filters."""
        for each in self._filters:
            text = each.text(place, text, matches)
        return text

    def by_rules(self, place: Place, key: str, value: Plain, matches: Matches) -> Plain | Gone:
        """Return a value after applying the rules but not ``no-content``; ``GONE`` if dropped."""
        return self._walk.value(place, key, value, matches) if self._walk else value

    def key(self, place: Place, key: str, matches: Matches) -> str:
        """Return a key in which matches of the rules' recognisers are replaced."""
        return self._walk.text(place, key, matches) if self._walk else key

    def count(self, matches: Matches) -> None:
        """Add the matches, by rule and action, to the metrics."""
        for (rule, action), n in matches.items():
            self._metrics.redacted.labels(rule=rule, action=action).inc(n)


class Redaction:
    """Redacts one request in place, span by span; writes the number of matches onto its spans."""

    def __init__(self, redactor: Redactor, spans_are: Place) -> None:
        """Start without matches."""
        self._redactor = redactor
        self._spans_are = spans_are
        self._shared: Matches = Counter()
        """Matches in the resource and scope, until they are written onto the next span."""
        self.matches: Matches = Counter()

    def resource(self, resource: ResourceSpans) -> None:
        """Redact a resource, without its scopes and spans."""
        self._attributes(Place.RESOURCE, resource.resource.attributes, self._shared)
        resource.schema_url = self._name(resource.schema_url, self._shared)

    def scope(self, scope: ScopeSpans) -> None:
        """Redact a scope, without its spans."""
        self._attributes(Place.SCOPE, scope.scope.attributes, self._shared)
        scope.scope.name = self._name(scope.scope.name, self._shared)
        scope.scope.version = self._name(scope.scope.version, self._shared)
        scope.schema_url = self._name(scope.schema_url, self._shared)

    def span(self, span: Span) -> None:
        """Redact a span with its events and links; set the number of matches as an attribute."""
        matches, self._shared = self._shared, Counter()
        counts = read_counts(_text_of(span.attributes.pop(ATTRIBUTE, b"")))
        self._attributes(self._spans_are, span.attributes, matches)
        span.name = self._name(span.name, matches)
        span.trace_state = self._name(span.trace_state, matches)
        if span.HasField("status"):
            message = self._redactor.text(Place.STATUS, span.status.message, matches)
            span.status.message = message
        self._events(span, matches)
        for link in span.links:
            self._attributes(Place.LINK, link.attributes, matches)
            link.trace_state = self._name(link.trace_state, matches)
        for (rule, _), n in matches.items():
            counts[rule] += n
        if counts:
            span.attributes[ATTRIBUTE] = write_value(write_counts(counts))
        self.matches += matches

    def count(self) -> None:
        """Add the request's matches to the metrics; must be called once, at the end."""
        self._redactor.count(self.matches + self._shared)

    def _events(self, span: Span, matches: Matches) -> None:
        no_content = self._redactor.no_content
        if no_content and span.events:
            kept = [event for event in span.events if no_content.event(event.name)]
            if len(kept) < len(span.events):
                no_content.note(matches, len(span.events) - len(kept))
                del span.events[:]
                span.events.extend(kept)
        for event in span.events:
            self._attributes(Place.EVENT, event.attributes, matches)
            event.name = self._name(event.name, matches)

    def _name(self, text: str, matches: Matches) -> str:
        return self._redactor.text(Place.NAMES, text, matches) if text else text

    def _attributes(
        self, place: Place, attributes: MutableMapping[str, bytes], matches: Matches
    ) -> None:
        for key in list(attributes):
            encoded = attributes[key]
            redacted = self._redactor.value(place, key, read_value(encoded), matches)
            name = self._redactor.key(place, key, matches)
            if redacted is GONE or name != key:
                del attributes[key]
            if not isinstance(redacted, Gone):
                attributes[name] = write_value(redacted)


def _text_of(encoded: bytes) -> str:
    value = read_value(encoded)
    return value if isinstance(value, str) else ""


def make_redactor(
    rules_file: Path | None, secret_file: Path | None, metrics: Metrics, *, no_content: bool
) -> Redactor | None:
    """Return the redactor for requests; ``None`` if nothing is to be redacted.

    Rules that hash need a secret file. If there are no such rules, a missing secret is generated,
    whose hashes can be compared only within one run of the process. Raises ``StartupError`` with a
    line for each mistake.
    """
    if rules_file is None and not no_content:
        return None
    rules = read_rules(rules_file) if rules_file else ()
    hashing = [rule.name for rule in rules if rule.action is Action.HASH]
    if hashing and secret_file is None:
        raise StartupError(
            f"--redaction-rules {rules_file}: {', '.join(hashing)} hashes, which needs a secret: "
            "give --redaction-secret-file"
        )
    secret = read_secret(secret_file) if secret_file else secrets.token_bytes(32)
    return Redactor(rules, secret, metrics, no_content=no_content)
