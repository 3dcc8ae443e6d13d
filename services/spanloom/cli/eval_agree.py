"""``spanloom eval agree``: how far an evaluator agrees with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spanloom.cli.client import patient_client_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import Form, document_output, give_document
from spanloom.client.evaluating.agreeing import Comparison, evaluator_labels, people_labels
from spanloom.core.errors import InvalidRequestError
from spanloom.core.showing.values import printable
from spanloom.evaluation.statistics.raters import agree
from spanloom.terminal.agreement import render_agreement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.client.client import Client
    from spanloom.core.annotation.agreement import Figure
    from spanloom.evaluation.statistics.raters import Agreed


@click.command(
    "agree",
    cls=TeachingCommand,
    examples=(
        "spanloom eval agree --evaluator polite --human politeness",
        "spanloom eval agree --evaluator polite --human ada --json",
        "spanloom eval agree --evaluator quality --human quality --order bad,fair,good",
        (
            "spanloom eval agree --evaluator steps --human potato --unit step --same correct=true "
            "--same incorrect=false"
        ),
    ),
)
@click.option(
    "--evaluator", metavar="NAME", required=True, help="The author of the evaluator's scores."
)
@click.option(
    "--human",
    metavar="NAME",
    required=True,
    help="Name of the human scores, such as a scheme; or the person who gave them.",
)
@click.option("--score", metavar="NAME", help="Which score of the evaluator, if it gives several.")
@click.option(
    "--unit",
    type=click.Choice(["trajectory", "step"]),
    default="trajectory",
    show_default=True,
    help="What is judged.",
)
@click.option("--order", metavar="LABELS", help="The labels in their order: bad,fair,good.")
@click.option(
    "--same",
    metavar="LABEL=LABEL",
    multiple=True,
    help="The evaluator's value for a human label: correct=true.",
)
@click.option(
    "--passed", "by_passed", is_flag=True, help="Compare whether it passed, as true or false."
)
@click.option("--experiment", metavar="NAME", help="Only scores of this experiment.")
@click.option("--project", metavar="NAME", help="Only of this project.")
@document_output
@patient_client_option
def agree_command(
    *,
    unit: str,
    order: str | None,
    same: Sequence[str],
    form: Form,
    client: Client,
    **options: Any,
) -> None:
    """Compare the stored scores of an evaluator with human scores of the same runs or steps.

    Cohen's kappa compares the evaluator with the consensus of people: the adjudicator's decision,
    or else the majority label. Krippendorff's alpha is over the evaluator and each person. If all
    always give the same label, kappa is null, because chance agreement is 1. The interval is from a
    seeded bootstrap over runs.
    """
    comparison = Comparison(of_steps=unit == "step", same=dict(map(_pair, same)), **options)
    try:
        name, labels = evaluator_labels(client, comparison)
        people = people_labels(client, comparison)
        agreement = agree(labels, people, [one.strip() for one in (order or "").split(",") if one])
    except (InvalidRequestError, ValueError) as error:
        raise click.UsageError(printable(str(error))) from error
    head = {
        "evaluator": comparison.evaluator,
        "score": name,
        "human": comparison.human,
        "unit": unit,
    }
    body = {**head, **_json(agreement)}
    give_document(body, render_agreement, form=form)


def _pair(text: str) -> tuple[str, str]:
    label, sign, other = text.partition("=")
    if not (label and sign and other):
        raise click.UsageError(f"--same {printable(text)}: write LABEL=LABEL, such as correct=true")
    return label, other


def _json(found: Agreed) -> Mapping[str, Any]:  # JSON values
    low, high = found.interval or (None, None)
    figures = {
        "kappa": found.kappa,
        "kappa_linear": found.linear,
        "kappa_quadratic": found.quadratic,
        "alpha": found.alpha,
    }
    return {
        **{name: getattr(found, name) for name in ("n", "undecided", "only_evaluator")},
        "only_people": found.only_people,
        "labels": list(found.labels),
        "confusion": [
            {"human": human, "evaluator": label, "units": units}
            for (human, label), units in sorted(
                found.confusion.items(), key=lambda item: _place(item[0], found)
            )
        ],
        "accuracy": found.accuracy,
        **{name: None if figure is None else figure.value for name, figure in figures.items()},
        "low": low,
        "high": high,
        "base_rate": {str(label): share for label, share in found.base_rate.items()},
        "reasons": {name: why for name, figure in figures.items() if (why := _why(figure))},
    }


def _place(pair: tuple[Any, Any], found: Agreed) -> tuple[int, ...]:
    return tuple(found.labels.index(label) for label in pair)


def _why(figure: Figure | None) -> str:
    return "the labels have no order: name it with --order" if figure is None else figure.reason
