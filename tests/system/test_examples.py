"""Every example of the README and of ``docs/`` works as it is written, with one service.

The service has one run, the demonstration's, with the ids that the pages name. Examples that
cannot be tried give a reason in a comment above the fence (``tests/support/written_examples.py``).
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from ruamel.yaml import YAML
from tests.support import programs
from tests.support.agents import await_trajectory
from tests.support.help_examples import examples_of
from tests.support.plugin_suites.acting import ELSEWHERE
from tests.support.reader_at_work import ANOTHER, USUALLY, Reader
from tests.support.written_examples import all_examples, is_recipe

from spanloom.access.limits import read_limits
from spanloom.api.admin.key_schemas import EXAMPLE_KEY_ID
from spanloom.api.runs.examples import OTLP
from spanloom.api.runs.places import EXAMPLE_SPAN
from spanloom.api.schemas import EXAMPLE_CONVERSATION, EXAMPLE_TRACE
from spanloom.client.models import Cost
from spanloom.collector.intake.redaction.rules import read_rules
from spanloom.core.annotation.scheme_reader import read_scheme
from spanloom.core.messages.message import read_messages
from spanloom.core.model.access import ALL_PROJECTS, Key, Scope
from spanloom.core.model.upkeep import Terms
from spanloom.core.query.where.parser import GRAMMAR
from spanloom.demo.recording import load_recording, refresh, send_requests, spans_of
from spanloom.evaluation.files.config.reading import read_config
from spanloom.extractor.prices_file import read_prices
from spanloom.keeper import read_plan
from spanloom.storage.access import SqliteKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.conftest import StartSpanloom
    from tests.support.written_examples import Example

ROOT = Path(__file__).parents[2]
ASKED_ELSEWHERE = "docs/questions.md"
"""Its examples belong together, four per question: tests/system/test_questions.py runs them."""
EXAMPLES = [
    example
    for example in all_examples()
    if not is_recipe(example) and example.page != ASKED_ELSEWHERE
]
INDEXED_S = 60.0
FILES = (
    "spanloom export --format jsonl -o ~/runs.jsonl",
    "spanloom export --format otlp -o ~/spans.jsonl",
    "spanloom convert --from canonical --to coze-example ~/runs.jsonl -o ~/example.json",
)
"""Commands that make the files for the examples of the pages of formats."""
EVAL_SET = {
    "eval_set_id": "weather",
    "eval_cases": [
        {
            "eval_id": "oslo",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "Is Oslo dry?"}]},
                    "final_response": {"parts": [{"text": "It is."}]},
                }
            ],
        }
    ],
}
"""The contents of ``~/weather.evalset.json``, a file of another system."""
MOST_NOT_RUN = 13
"""Maximum number of examples that are not run, because an untested example becomes wrong."""
READING = (
    "list",
    "stats",
    "fields",
    "conversations",
    "tail",
    "show",
    "diff",
    "explain",
    "spans",
    "instrument",
    "search",
    "sql",
)
"""Commands that only read. The examples in their help are run; those of others are parsed."""


@pytest.fixture(scope="module")
def reader(
    start_shared_spanloom: StartSpanloom,
    made_store: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Reader:
    """Return a user at a shell, with a service that has the demonstration's run."""
    home = tmp_path_factory.mktemp("home")
    (home / ".curlrc").write_text("fail\nsilent\nshow-error\n", "utf-8")
    for place in ("spanloom-data", ANOTHER):
        shutil.copytree(made_store, home / place / "store", symlinks=True)
    data = home / "spanloom-data"
    started = start_shared_spanloom("serve", "--root-quiet-s=0.2", "--sql-port=0", data_dir=data)
    started.wait_until_ready()
    _send_demonstration(started.addresses)
    return Reader(home, started.addresses, data)


@pytest.mark.nightly
@pytest.mark.parametrize("name", READING)
def test_examples_of_a_help_text_work(name: str, reader: Reader) -> None:
    """Runs before the pages' examples, which import copies: ``latest`` is the demonstration."""
    for line in examples_of(name):
        reader.type_line(line)


def test_spans_that_are_given_as_otlp_can_be_sent_again(reader: Reader) -> None:
    """The API description's example and the output of ``spanloom spans --otlp`` are accepted."""
    shown = json.dumps(OTLP["content"]["application/json"]["example"])
    given = reader.type_line("spanloom spans latest --otlp")
    for body in (shown.replace(EXAMPLE_TRACE, "0" * 31 + "1"), given):
        answer = httpx.post(
            f"{reader.addresses['otlp_http']}/v1/traces",
            content=body,
            headers={"content-type": "application/json"},
        )
        assert (answer.status_code, answer.json()) == (200, {})


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_works_as_it_is_written(example: Example, reader: Reader) -> None:
    if example.why_not:
        pytest.skip(example.why_not)
    way = WAYS.get(example.what or example.language)
    assert way, f"{example}: no way to try it; say what it is, or why not, in a comment above it"
    way(example, reader)


def test_few_examples_are_not_run() -> None:
    left = {str(example): example.why_not for example in all_examples() if example.why_not}
    about_tests = [name for name in left if name.startswith("docs/testing.md")]  # they run tests
    assert len(left) - len(about_tests) <= MOST_NOT_RUN, left
    assert all(len(why.split()) > 3 for why in left.values()), left


def test_the_pages_of_recipes_have_nothing_but_recipes() -> None:
    assert not [str(example) for example in EXAMPLES if example.page == "docs/instrument.md"]
    assert sum(map(is_recipe, all_examples())) >= 40


def in_shell(example: Example, reader: Reader) -> None:
    """Run the commands; the page of keys has its own data, as its first key locks the service."""
    if example.page == "docs/security.md":
        reader = reader._replace(data_dir=reader.home / "keyed")
        keys = SqliteKeys(reader.data_dir / "keys.sqlite")
        keys.add(Key(EXAMPLE_KEY_ID, "0" * 64, ALL_PROJECTS, frozenset(Scope), time.time_ns()))
        keys.close()
    if example.page.startswith(("docs/formats/", "docs/evaluation/")):
        lay_out_files(reader)
        (reader.home / "weather.evalset.json").write_text(json.dumps(EVAL_SET))
    reader.type(example.text)


def lay_out_files(reader: Reader) -> None:
    """Make the files once; each page gets copies of them, because an example may overwrite one."""
    made = reader.home / "made"
    if not made.exists():
        for line in FILES:
            reader.type_line(line)
        made.mkdir()
        for name in ("runs.jsonl", "spans.jsonl", "example.json"):
            shutil.copy(reader.home / name, made)
    shutil.copytree(made, reader.home, dirs_exist_ok=True)


def as_program(example: Example, reader: Reader) -> None:
    ended = programs.run("-c", example.text, env=reader.environment)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout


def as_tests(example: Example, reader: Reader) -> None:
    """Check that the example's tests pass, with an agent in the same process and one in another."""
    folder = reader.home / "tests"
    folder.mkdir(exist_ok=True)
    (folder / "agent.py").write_text(ELSEWHERE, "utf-8")
    given = "from tests.support.plugin_suites.acting import planner\n"
    (folder / "test_example.py").write_text(given + example.text, "utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:schemathesis", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**reader.environment, "PYTHONPATH": str(ROOT), "CI": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout


def as_limits(example: Example, reader: Reader) -> None:
    assert read_limits(_file(example, reader))


def as_retention(example: Example, reader: Reader) -> None:
    assert read_plan(_file(example, reader), Terms(0, 0)).projects


def as_redaction(example: Example, reader: Reader) -> None:
    assert read_rules(_file(example, reader))


def as_prices(example: Example, reader: Reader) -> None:
    assert read_prices(_file(example, reader)).price("qwen-max", "alibaba", time.time_ns())


def as_scheme(example: Example, reader: Reader) -> None:
    """Check that the scheme has no remarks; write it to the file that the next example reads."""
    (reader.home / "scheme.yaml").write_text(example.text, "utf-8")
    assert not read_scheme(example.text).remarks


def as_evaluators(example: Example, reader: Reader) -> None:
    """Check the configuration and its query; write it to the file that the next example reads."""
    (reader.home / "eval.yaml").write_text(example.text, "utf-8")
    read_config(example.text.encode()).check_question()


def as_cost(example: Example, _reader: Reader) -> None:
    """Check that the example has the keys of a run's cost, as the client reads them."""
    cost = Cost.model_validate_json(example.text)
    assert not cost.model_extra
    assert (cost.usd is None) is bool(cost.unpriced_calls)


def as_messages(example: Example, _reader: Reader) -> None:
    """Check that messages in Spanloom's own format are read without a change."""
    messages = json.loads(example.text)
    assert read_messages(messages, "user") == messages


def as_first_line(example: Example, reader: Reader) -> None:
    """Check the keys and types of the first line that a service prints into a pipe."""
    shown, said = json.loads(example.text), reader.addresses
    usual = {key: type(said[key]) for key in said if key not in USUALLY}
    assert {key: type(shown[key]) for key in shown} == usual


def as_questions(example: Example, reader: Reader) -> None:
    """Check that the API accepts each query of the example."""
    for where in example.text.splitlines():
        answer = httpx.get(f"{reader.addresses['api']}/v1/trajectories", params={"where": where})
        assert answer.status_code == 200, answer.text


def as_wrong_question(example: Example, reader: Reader) -> None:
    """Check that the wrong query prints exactly the error of the example."""
    where = example.text.splitlines()[1].strip()
    typed = programs.run(
        "-m", "spanloom", "list", "--where", where, "--api-url", reader.addresses["api"]
    )
    assert (typed.returncode, typed.stderr) == (2, example.text)


def as_grammar(example: Example, _reader: Reader) -> None:
    """Check the grammar against the one that tests/properties/test_where_grammar.py tests."""
    assert example.text.split() == GRAMMAR.split()


def as_mcp_server(example: Example, reader: Reader) -> None:
    """Check that the example's command starts, and that it ends silently at the end of input."""
    [server] = json.loads(example.text)["mcpServers"].values()
    words = reader.at_our_ports(shlex.join(["spanloom", *server["args"]]))
    assert server["command"] == "spanloom"
    ended = programs.run("-m", *shlex.split(words), env=reader.environment)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr


def as_profiles(example: Example, _reader: Reader) -> None:
    """Check without Docker that the file of variables exists and the profiles have services."""
    words = shlex.split(example.text)
    named = {words[at + 1] for at, word in enumerate(words) if word == "--profile"}
    compose = YAML(typ="safe").load(ROOT / "docker-compose.yml")
    assert named <= {name for s in compose["services"].values() for name in s.get("profiles", ())}
    assert (ROOT / words[words.index("--env-file") + 1]).is_file()


WAYS: Mapping[str, Callable[[Example, Reader], None]] = {
    "sh": in_shell,
    "python": as_program,
    "limits file": as_limits,
    "retention file": as_retention,
    "redaction rules": as_redaction,
    "prices file": as_prices,
    "annotation scheme": as_scheme,
    "questions": as_questions,
    "a wrong question": as_wrong_question,
    "eval file": as_evaluators,
    "tests": as_tests,
    "cost": as_cost,
    "messages": as_messages,
    "first line of serve": as_first_line,
    "ebnf": as_grammar,
    "profiles of docker compose": as_profiles,
    "MCP servers": as_mcp_server,
}


def _file(example: Example, reader: Reader) -> Path:
    path = reader.home / "example.toml"
    path.write_text(example.text, "utf-8")
    return path


def _send_demonstration(addresses: Mapping[str, str]) -> None:
    """Send the demonstration with the ids that the pages name, and wait until it can be read."""
    others = map("{:016x}".format, count(1))  # the first two ids are of a prompt and its parent
    ids = {16: iter([EXAMPLE_TRACE]), 8: chain(islice(others, 2), [EXAMPLE_SPAN], others)}
    run = refresh(load_recording(), time.time_ns(), lambda size: bytes.fromhex(next(ids[size])))
    (root,) = (span for span in spans_of(run.requests) if not span.parent_span_id)
    root.attributes.add(key="session.id").value.string_value = EXAMPLE_CONVERSATION
    for _ in send_requests(addresses["otlp_grpc"].removeprefix("http://"), run.requests):
        pass
    await_trajectory(addresses["api"], EXAMPLE_TRACE, run.span_count)
    _await_texts(addresses["api"])


def _await_texts(api: str) -> None:
    """Wait until the texts of the settled run are indexed, some time after they are stored."""
    until = time.monotonic() + INDEXED_S
    while not httpx.get(f"{api}/v1/search", params={"q": "people"}).json()["items"]:
        assert time.monotonic() < until, "its texts are not found"
        time.sleep(0.2)
