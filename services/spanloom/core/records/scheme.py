"""The records for annotation schemes, and for the report on an import of annotations."""

from typing import Annotated

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From
from spanloom.core.records.record import Record

EXAMPLE_SCHEME = """\
annotation_schemes:
  - annotation_type: trajectory_eval
    name: step_evaluation
    description: Evaluate each agent step
    error_types:
      - name: execution
        subtypes: [wrong_tool, wrong_args]
"""


class SchemeRemark(Record):
    """A key of a scheme that is not understood, or that Potato interprets differently."""

    line: Annotated[int, Field(description="From 1."), Example(7)]
    key: Annotated[str, Example("colour")]
    reason: Annotated[str, Example("not a key that we know")]


class ErrorTypeItem(Record):
    """A type of the taxonomy."""

    name: Annotated[str, Example("execution")]
    subtypes: Annotated[
        list[str], From(lambda kind: list(kind.subtypes)), Example(["wrong_tool", "wrong_args"])
    ]


class SeverityItem(Record):
    """A severity, and the points that it takes off the score."""

    name: Annotated[str, Example("major")]
    weight: Annotated[float, Example(5)]


class SchemeForm(Record):
    """The questions of a scheme to annotators."""

    name: Annotated[str, Example("step_evaluation")]
    annotation_type: Annotated[str, From("kind"), Example("trajectory_eval")]
    description: Annotated[str, Example("Evaluate each agent step")]
    correctness_options: Annotated[
        list[str],
        From(lambda scheme: list(scheme.options)),
        Example(["correct", "incorrect", "partially_correct"]),
    ]
    correct_option: Annotated[
        str, Field(description="Empty: every option is an error."), Example("correct")
    ]
    error_types: Annotated[
        list[ErrorTypeItem],
        From(lambda scheme: list(map(ErrorTypeItem.made_of, scheme.error_types))),
    ]
    severities: Annotated[
        list[SeverityItem], From(lambda scheme: list(map(SeverityItem.made_of, scheme.severities)))
    ]


class CheckedScheme(Record):
    """A scheme in a checked text."""

    name: Annotated[str, Field(description="Empty if it has none."), Example("step_evaluation")]
    line: Annotated[int, Field(description="Line where it begins, from 1."), Example(2)]
    remarks: Annotated[
        list[SchemeRemark], From(lambda checked: list(map(SchemeRemark.made_of, checked.remarks)))
    ]
    errors: Annotated[
        list[SchemeRemark],
        Field(description="Errors; with any the scheme is not stored."),
        From(lambda checked: list(map(SchemeRemark.made_of, checked.errors))),
        Example([]),
    ]
    form: Annotated[
        SchemeForm | None,
        Field(description="The questions to annotators; null with errors."),
        From(lambda checked: checked.scheme and SchemeForm.made_of(checked.scheme)),
    ] = None


class SchemeItem(SchemeForm):
    """A scheme, as it is understood and as it was written."""

    project: Annotated[
        str | None,
        Field(description="Null: a preset, which every project has."),
        From(None),
        Example("default"),
    ] = None
    max_score: Annotated[float, Example(100)]
    show_score: Annotated[bool, Example(True)]
    required: Annotated[
        bool,
        Field(description="Whether *done* requires all answers."),
        From("is_required"),
        Example(False),
    ]
    agents: Annotated[
        list[str],
        Field(description="Who can be responsible besides the agents of the run."),
        From(lambda scheme: list(scheme.agents)),
        Example([]),
    ]
    reason_required: Annotated[
        bool,
        Field(description="Whether every correction needs a reason."),
        From("needs_reason"),
        Example(False),
    ]
    definitions: Annotated[
        dict[str, str],
        Field(description="What types and subtypes mean."),
        From(lambda scheme: dict(scheme.definitions)),
        Example({}),
    ]
    hash: Annotated[
        str, Field(description="Identifies the text."), Example("602e59cfabcb26f270b1b57e133049f6")
    ]
    put_at: Annotated[
        str | None,
        Field(description="Milliseconds since the epoch."),
        From(None),
        Example("1715400000000"),
    ] = None
    put_by: Annotated[str, From(None), Example("ada")]
    text: Annotated[str, Example(EXAMPLE_SCHEME)]
    remarks: Annotated[list[SchemeRemark], From(None)]


class SchemeList(Record):
    """The stored schemes, and the presets."""

    items: list[SchemeItem]
    presets: Annotated[list[SchemeItem], Example([])]


class ImportFinding(Record):
    """A finding about one line of the import."""

    line: Annotated[int, Field(description="From 1."), Example(2)]
    detail: Annotated[str, Example("it has 3 steps and the trajectory 4")]


class ImportReport(Record):
    """The result of an import."""

    dry_run: Annotated[bool, Example(False)]
    added: Annotated[int, Field(description="Annotations that are new."), Example(2)]
    there: Annotated[int, Field(description="Annotations that were stored before."), Example(0)]
    refused: Annotated[
        list[ImportFinding], Field(description="Lines of which nothing was stored, and why.")
    ]
    flags: Annotated[
        list[ImportFinding],
        Field(description="What was stored although the scheme does not define it."),
        Example([]),
    ]


SCHEME = Declaration(SchemeItem)
