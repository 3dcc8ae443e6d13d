"""Writes the tables of the documentation that come from the code.

``python docs/generate.py`` updates them; ``--check`` fails if one is stale. ``--declared`` leaves
out the tables about captured runs, because extracting all of these takes four fifths of the time.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client.metrics import MetricWrapperBase

from spanloom.cli.options import default_text, value_hint
from spanloom.config.section import flag_of, variable_of
from spanloom.config.settings import SECTIONS
from spanloom.core.conventions import failures
from spanloom.core.conventions.langchain import run as langchain_run
from spanloom.core.dialects.evidence import SENDERS
from spanloom.core.dialects.registry import DIALECTS
from spanloom.core.duplicates import spans as once
from spanloom.core.query.where.fields import FIELDS, Subject
from spanloom.doctor.checks import CHECKS
from spanloom.logs import configure_logging
from spanloom.metrics import Metrics
from spanloom.storage.engine.rights import EVERY, RIGHTS, Right

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # for modules outside the package: this folder and the tests

from docs import (  # noqa: E402
    conformance_table,
    evidence,
    formats_tables,
    matrix,
    page_constants,
    page_formats,
    page_types,
    recipes_page,
)
from tests.support import ground_truth  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"


def configuration() -> str:
    """Return a table of every option, section by section."""
    parts = []
    for section in SECTIONS:
        rows = (
            (
                f"`{flag_of(name)}`",
                f"`{variable_of(name)}`",
                value_hint(name, field).replace("|", " · "),
                f"`{default_text(field)}`" if default_text(field) else "",
                str(field.description),
            )
            for name, field in section.model_fields.items()
        )
        title = f"## {section.model_config['title']}\n\n{section.__doc__}\n\n"
        parts.append(title + _table(("flag", "variable", "value", "default", "meaning"), rows))
    return "\n".join(parts)


def metrics() -> str:
    """Return a table of every metric with its type, labels and help text."""
    declared = [m for m in vars(Metrics()).values() if isinstance(m, MetricWrapperBase)]
    rows = []
    for metric in declared:
        family = next(iter(metric.describe()))
        name = family.name + ("_total" if family.type == "counter" else "")
        labels = ", ".join(f"`{label}`" for label in metric._labelnames)  # noqa: SLF001  # no public way
        rows.append((f"`{name}`", family.type, labels, family.documentation))
    return _table(("metric", "type", "labels", "meaning"), rows)


def migrations() -> str:
    """Return a table of every schema file with its opening comment."""
    folder = Path(str(files("spanloom.storage").joinpath("schema")))
    paths = sorted(folder.rglob("*.sql"))
    rows = ((f"`{f.relative_to(folder)}`", _opening(f.read_text("utf-8"))) for f in paths)
    return _table(("file", "what it makes"), rows)


_PASSED_ON = """\
A dialect reads the kinds of spans for which it has its own rules. A span that it passes on is read
by the next dialect that recognises it, such as the GenAI conventions, and finally by `evidence`,
which reads spans of unknown conventions. `extraction.warnings` names spans that no dialect reads.\
"""


def dialects() -> str:
    """Return tables of every framework with its evidence, then of every dialect with its rules."""
    head = ("framework", "instrumentation", "read as", "known from")
    parts = [f"## Frameworks\n\n{_table(head, evidence.frameworks())}"]
    own = _table(("dialect", "read by its own rules", "passed on"), evidence.readings())
    parts.append(f"## Own rules and evidence\n\n{_PASSED_ON}\n\n{own}")
    parts.append(_table(("sender without a dialect", "read by evidence"), SENDERS.items()))
    for dialect in DIALECTS:
        module = sys.modules[type(dialect).__module__]
        parts.append(_dialect(dialect.id, dialect.id, module.__doc__))
    shared = {"langchain": langchain_run, "once": once, "failures": failures}
    parts += [_dialect(f"{name}: shared", name, m.__doc__) for name, m in shared.items()]
    others = sorted(evidence.rules().keys() - {d.id for d in DIALECTS} - shared.keys())
    parts += [_dialect(f"{name}: shared", name, "") for name in others]
    return "\n".join(parts)


def captures() -> str:
    """Return tables of the captured runs that are right, and of what telemetry leaves out."""
    head = ("captures", "runs", *ground_truth.MEASURES)
    parts = ["## Right, by measure\n", _table(head, matrix.matrix())]
    head = ("captures", *matrix.pair_scenarios())
    parts += ["## Several instrumentations at once\n", _table(head, matrix.pairs())]
    parts += [_table(("captures", "run", "is"), matrix.others())]
    parts += ["## What no span reports\n", _table(("runs", "of", "what"), matrix.shortfalls())]
    return "\n".join(parts)


def checks() -> str:
    """Return a table of every check of `spanloom doctor` and when it warns."""
    return _table(("check", "result"), ((f"`{c.name}`", c.meaning) for c in CHECKS))


def rights() -> str:
    """Return a table of every right that the account of a role needs on a server."""
    rows = (
        (f"`{role}`", f"`{right.privilege}`", _tables(right.table), _use(right))
        for role, needed in RIGHTS.items()
        for right in needed
    )
    return _table(("role", "right", "on", "needed"), rows)


def _use(right: Right) -> str:
    return f"optional: {right.use}" if right.is_optional else right.use


def _tables(name: str) -> str:
    return "every table" if name == EVERY else f"`{name}`"


def query() -> str:
    """Return tables of every field that `where` can name, of runs and of steps."""
    parts = []
    for subject, title in ((Subject.RUN, "Of runs"), (Subject.STEP, "Of steps")):
        rows = (
            (f"`{field.name}`", field.type.value, field.description, _code(field.example))
            for field in FIELDS[subject].values()
        )
        parts += [f"### {title}\n", _table(("field", "type", "what it is", "example"), rows)]
    return "\n".join(parts)


def instrument() -> str:
    """Return a table of every recipe of `spanloom instrument`, and the recipes."""
    head = ("name", "framework", "language", "by")
    return f"{_table(head, recipes_page.overview())}\n{recipes_page.recipes()}"


def conformance() -> str:
    """Return a table of OTLP's requirements, our answers and the tests that prove them."""
    head = ("item", "level", "requirement", "Spanloom", "proven by")
    return _table(head, conformance_table.rows())


def formats() -> str:
    """Return tables of every format, subject by subject."""
    tables = ((title, _table(formats_tables.HEAD, r)) for title, r in formats_tables.subjects())
    return "\n".join(f"### {title}\n\n{table}" for title, table in tables)


def formats_of_runs() -> str:
    """Return a table of every format of runs: over HTTP, in files, and for import."""
    return _table(formats_tables.RUN_HEAD, formats_tables.of_runs())


def losses() -> str:
    """Return a table of every code of a loss and its text."""
    return _table(formats_tables.CODE_HEAD, formats_tables.codes())


def _dialect(title: str, prefix: str, docstring: str | None) -> str:
    parts = [f"## {title}\n", f"{_markdown(docstring)}\n" if docstring else ""]
    rows = [
        (f"`{rule.name}`", ", ".join(sorted(rule.kinds)), str(len(rule.captures) or "-"))
        for rule in evidence.rules().get(prefix, ())
    ]
    parts.append(_table(("rule", "kind", "captures"), rows) if rows else "")
    return "\n".join(filter(None, parts))


PAGES: dict[str, Callable[[], str]] = {
    "captures.md": captures,
    "configuration.md": configuration,
    "conformance.md": conformance,
    "dialects.md": dialects,
    "export.md": formats,
    "formats/README.md": formats_of_runs,
    "formats/losses.md": losses,
    "instrument.md": instrument,
    "metrics.md": metrics,
    "operations.md": checks,
    "query.md": query,
    "security.md": rights,
    "store.md": migrations,
}


EXTRACTING = ("captures.md", "dialects.md")
"""The pages that are generated from all captured runs."""

WHOLE: dict[str, Callable[[], str]] = {
    "../services/spanloom/viewer/static/records.d.ts": page_types.page_types,
    "../services/spanloom/viewer/static/service.js": page_constants.first_constants,
    "../services/spanloom/viewer/static/choices.js": page_constants.later_constants,
    "../services/spanloom/viewer/static/export/formats.js": page_formats.page_formats,
    "../services/spanloom/viewer/static/i18n/en/formats.js": page_formats.page_words,
}
"""Files that are generated as a whole, by their paths from this folder."""


def main() -> None:
    """Rewrite the pages, or with ``--check`` fail if one is stale."""
    configure_logging("warning")  # captured runs are extracted, and each would log its service
    stale = []
    for name, render in PAGES.items():
        if "--declared" in sys.argv and name in EXTRACTING:
            continue
        page = HERE / name
        before = page.read_text("utf-8")
        head, _, rest = before.partition(BEGIN)
        _, _, tail = rest.partition(END)
        after = f"{head}{BEGIN}\n\n{render()}\n{END}{tail}"
        if after != before:
            stale.append(name)
            if "--check" not in sys.argv:
                page.write_text(after, "utf-8")
    for name, render in WHOLE.items():
        file, made = HERE / name, render()
        if not file.exists() or file.read_text("utf-8") != made:
            stale.append(file.name)
            if "--check" not in sys.argv:
                file.write_text(made, "utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"stale: {', '.join(stale)}; run python docs/generate.py")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _markdown(docstring: str) -> str:
    return docstring.strip().replace("``", "`")


def _opening(sql: str) -> str:
    lines = []
    for line in sql.splitlines():
        if not line.startswith("-- "):
            break
        lines.append(line.removeprefix("--").strip())
    return " ".join(lines)


if __name__ == "__main__":
    main()
