"""Reads the document of any readable version of a run: the newest one, and kept ones."""

from spanloom.api.runs.places import refuse_other
from spanloom.api.services import Services
from spanloom.core.model.access import Reach


def document_of(using: Services, trace_id: str, reach: Reach, version: int | None) -> bytes | None:
    """Return the document of a version, by default the newest; ``None`` if there is no such run.

    Raises 409 for a version that is neither stored nor kept.
    """
    home = using.store.spans.find_home(trace_id, reach)
    if home is None:
        return None
    own = Reach.only(home.project)
    if version is None:
        return using.store.documents.get(trace_id, own)
    found = using.annotating.versions.document(home, version)
    if found is None:
        refuse_other(using.store.versions.current(home), version)
    return found
