"""Which stored scores were made with other weights than their scheme has now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.annotating.schemes import Schemes
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Annotation


class Outdated:
    """Compares the text that a score was made with to what its scheme says now."""

    def __init__(self, schemes: Schemes, project: str, scheme: Scheme) -> None:
        """Take the scheme as it is now, and where its earlier texts are."""
        self.scheme = scheme
        self._schemes = schemes
        self._project = project
        self._known = {scheme.hash: False}

    def among(self, marks: Sequence[Annotation], scores: Iterable[Score]) -> Sequence[Score]:
        """Return, of the scores of a run, the outdated ones of the annotator of marks.

        Marks without a score get one, of revision 0: whoever stored them died before it, or is
        about to store it.
        """
        newest = max(marks, key=lambda row: row.at_us)
        author, sources = newest.slot.annotator, {row.origin.value for row in marks}
        own = [score for score in scores if score.author == author and score.source in sources]
        if not own:
            source = newest.origin.value
            own = [Score(newest.slot.key, self.scheme.name, source, author, revision=0)]
        return [score for score in own if self._weighs_otherwise(score.config_hash)]

    def _weighs_otherwise(self, scheme_hash: str) -> bool:
        """Return it of the text with a hash; so does one that nobody has any more."""
        if scheme_hash not in self._known:
            was = self._schemes.as_it_was(self._project, self.scheme.name, scheme_hash)
            self._known[scheme_hash] = was is None or was.weighing != self.scheme.weighing
        return self._known[scheme_hash]
