"""Answers about annotations."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ImportFinding(_Answer):
    """A finding about one entry of an import."""

    line: int
    """Line number, from 1."""
    detail: str


class ImportReport(_Answer):
    """What came of an import."""

    dry_run: bool
    added: int
    there: int
    """How many were already stored."""
    refused: list[ImportFinding]
    flags: list[ImportFinding]
    """Marks that were stored although the scheme does not know them."""


class SchemeRemark(_Answer):
    """A remark on one line of a scheme."""

    line: int
    key: str
    reason: str


class Scheme(_Answer):
    """An annotation scheme."""

    name: str
    project: str | None = None
    annotation_type: str
    text: str
    remarks: list[SchemeRemark] = []


class SchemeList(_Answer):
    """The schemes there are."""

    items: list[Scheme]
    presets: list[Scheme]
