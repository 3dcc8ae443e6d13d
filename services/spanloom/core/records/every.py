"""The declarations of all public records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.records.alert import ALERT, ALERT_EVENT
from spanloom.core.records.annotation import ANNOTATION
from spanloom.core.records.change import CHANGE
from spanloom.core.records.conversation import CONVERSATION
from spanloom.core.records.dataset import DATASET, DATASET_ROW
from spanloom.core.records.evaluator import EVALUATOR
from spanloom.core.records.experiment import EXPERIMENT, EXPERIMENT_RESULT
from spanloom.core.records.field import FIELD
from spanloom.core.records.hit import HIT
from spanloom.core.records.online_rule import ONLINE_RULE
from spanloom.core.records.queue import QUEUE, QUEUED_RUN
from spanloom.core.records.run import RUN
from spanloom.core.records.saved_view import VIEW
from spanloom.core.records.scheme import SCHEME
from spanloom.core.records.score import SCORE
from spanloom.core.records.span import SPAN
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.records.declaration import Declaration

RECORDS: Sequence[Declaration] = (
    RUN,
    STEP,
    CONVERSATION,
    HIT,
    CHANGE,
    SCORE,
    ANNOTATION,
    QUEUE,
    QUEUED_RUN,
    SCHEME,
    VIEW,
    DATASET,
    DATASET_ROW,
    EVALUATOR,
    EXPERIMENT,
    EXPERIMENT_RESULT,
    ALERT,
    ALERT_EVENT,
    ONLINE_RULE,
    SPAN,
    FIELD,
)
