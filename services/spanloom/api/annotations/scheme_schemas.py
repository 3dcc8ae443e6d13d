"""Request and response models of annotation schemes."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spanloom.core.annotation.scheme import Scheme
from spanloom.core.annotation.scheme_reader import Checked, SchemeReading
from spanloom.core.ports.annotations import StoredScheme

EXAMPLE_SCHEME = """\
annotation_schemes:
  - annotation_type: trajectory_eval
    name: step_evaluation
    description: Evaluate each agent step
    error_types:
      - name: execution
        subtypes: [wrong_tool, wrong_args]
"""


class SchemeText(BaseModel):
    """A scheme as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Annotated[
        str,
        Field(
            max_length=60_000,
            description="YAML or JSON: one scheme, a list, or a whole configuration of Potato.",
            examples=[EXAMPLE_SCHEME],
        ),
    ]


class SchemeRemark(BaseModel):
    """What of a scheme is not understood, or is read otherwise by Potato."""

    line: Annotated[int, Field(description="From 1.")]
    key: str
    reason: str


class CheckedScheme(BaseModel):
    """One scheme of a text."""

    name: Annotated[str, Field(description="Empty if it has none.")]
    line: Annotated[int, Field(description="Where it begins, from 1.")]
    remarks: list[SchemeRemark]
    errors: Annotated[
        list[SchemeRemark], Field(description="What cannot be meant; with any it is not stored.")
    ]

    @classmethod
    def of(cls, checked: Checked) -> "CheckedScheme":
        """Return a checked scheme as a response model."""
        return cls(
            name=checked.name,
            line=checked.line,
            remarks=[SchemeRemark(**remark._asdict()) for remark in checked.remarks],
            errors=[SchemeRemark(**error._asdict()) for error in checked.errors],
        )


class CheckedSchemes(BaseModel):
    """The schemes of a text."""

    schemes: list[CheckedScheme]


class ErrorTypeItem(BaseModel):
    """A type of the taxonomy."""

    name: str
    subtypes: list[str]


class SeverityItem(BaseModel):
    """A severity, and what it takes off the score."""

    name: str
    weight: float


class SchemeItem(BaseModel):
    """A scheme, as it is understood and as it was written."""

    name: str
    project: Annotated[str | None, Field(description="Null: a preset, there in every project.")] = (
        None
    )
    annotation_type: str
    description: str
    correctness_options: list[str]
    correct_option: Annotated[str, Field(description="Empty: every option is an error.")]
    error_types: list[ErrorTypeItem]
    severities: list[SeverityItem]
    max_score: float
    show_score: bool
    required: Annotated[bool, Field(description="Whether done means that all is said.")]
    agents: Annotated[
        list[str], Field(description="Who can be responsible besides the agents of the run.")
    ]
    reason_required: Annotated[bool, Field(description="Whether every correction has to say why.")]
    definitions: Annotated[dict[str, str], Field(description="What types and subtypes mean.")]
    hash: Annotated[str, Field(description="Identifies the text.")]
    put_at: Annotated[str | None, Field(description="Milliseconds since the epoch.")] = None
    put_by: str
    text: str
    remarks: list[SchemeRemark]

    @classmethod
    def of(cls, stored: StoredScheme, reading: SchemeReading) -> "SchemeItem":
        """Return a stored scheme as a response model."""
        return cls.put(stored.project, reading, stored.put_by, stored.at_us)

    @classmethod
    def put(cls, project: str, reading: SchemeReading, put_by: str, at_us: int) -> "SchemeItem":
        """Return a scheme just stored; ``at_us`` is microseconds since the epoch."""
        remarks = [SchemeRemark(**remark._asdict()) for remark in reading.remarks]
        return _item(reading.scheme, project, str(at_us // 1_000), put_by, remarks)

    @classmethod
    def preset(cls, scheme: Scheme) -> "SchemeItem":
        """Return a scheme that comes with Spanloom."""
        return _item(scheme, None, None, "", [])


class SchemeList(BaseModel):
    """The schemes there are."""

    items: list[SchemeItem]
    presets: list[SchemeItem]


def _item(
    scheme: Scheme,
    project: str | None,
    put_at: str | None,
    put_by: str,
    remarks: list[SchemeRemark],
) -> SchemeItem:
    types = [ErrorTypeItem(name=t.name, subtypes=list(t.subtypes)) for t in scheme.error_types]
    return SchemeItem(
        name=scheme.name,
        project=project,
        annotation_type=scheme.kind,
        description=scheme.description,
        correctness_options=list(scheme.options),
        correct_option=scheme.correct_option,
        error_types=types,
        severities=[SeverityItem(**severity._asdict()) for severity in scheme.severities],
        max_score=scheme.max_score,
        show_score=scheme.show_score,
        required=scheme.is_required,
        agents=list(scheme.agents),
        reason_required=scheme.needs_reason,
        definitions=dict(scheme.definitions),
        hash=scheme.hash,
        put_at=put_at,
        put_by=put_by,
        text=scheme.text,
        remarks=remarks,
    )
