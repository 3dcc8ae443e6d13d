"""Whether the services of ``docker-compose.yml`` fit together, as far as it can be read.

That the file is one of Compose is checked against its schema, in ``.ci/run``.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from tests.support.agents import REPOSITORY
from tests.support.compose import compose, service

from spanloom.config import Settings, variable_of
from spanloom.storage.upkeep.store import OLDEST

DEPLOY = REPOSITORY / "deploy"


def variables(name: str) -> dict[str, str]:
    """Return what an ``--env-file`` of ``deploy/grafana`` sets."""
    lines = (DEPLOY / "grafana" / f"{name}.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_the_image_of_the_service_listens_on_the_ports_that_are_published() -> None:
    exposed = re.findall(r"^EXPOSE (.*)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    own = [field.default for n, field in Settings.model_fields.items() if n.endswith("_port")]
    usual = {str(port) for port in own if port}
    assert set(exposed[0].split()) == usual
    assert set(service("spanloom")["ports"]) == {f"127.0.0.1:{port}:{port}" for port in usual}


def test_nothing_is_published_but_on_loopback() -> None:
    published = [p for s in compose()["services"].values() for p in s.get("ports", ())]
    assert all(port.startswith("127.0.0.1:") for port in published)
    assert "ports" not in service("clickhouse")


def test_every_variable_of_the_service_is_an_option() -> None:
    options = {variable_of(name) for name in Settings.model_fields}
    set_in_files = {v for n in ("embedded", "clickhouse") for v in variables(n)}
    assert set(service("spanloom")["environment"]) <= options
    assert {v for v in set_in_files if v.startswith("SPANLOOM_")} <= options


def test_what_the_files_of_variables_set_is_handed_on() -> None:
    taken = {*service("spanloom")["environment"], *service("grafana")["environment"]}
    assert {v for n in ("embedded", "clickhouse") for v in variables(n)} <= taken


def test_the_service_finds_the_server_and_its_account() -> None:
    server = service("clickhouse")["environment"]
    url = urlsplit(variables("clickhouse")["SPANLOOM_STORE_URL"])
    assert (url.scheme, url.hostname, url.port) == ("clickhouse", "clickhouse", 8123)
    assert (url.username, url.password) == (
        server["CLICKHOUSE_USER"],
        server["CLICKHOUSE_PASSWORD"],
    )
    assert url.path == f"/{server['CLICKHOUSE_DB']}"
    asked = " ".join(service("clickhouse")["healthcheck"]["test"])
    assert f"--user={url.username} --password={url.password}" in asked


def test_the_service_waits_for_the_server_where_there_is_one() -> None:
    assert service("spanloom")["depends_on"] == {
        "clickhouse": {"condition": "service_healthy", "required": False}
    }
    profiles = {name: s.get("profiles") for name, s in compose()["services"].items()}
    assert profiles == {"spanloom": None, "grafana": ["grafana"], "clickhouse": ["clickhouse"]}


def test_the_server_can_hold_the_tables() -> None:
    image, _, tag = service("clickhouse")["image"].partition(":")
    assert image == "clickhouse/clickhouse-server"
    assert tuple(map(int, tag.split("."))) >= OLDEST


def test_grafana_is_let_in_by_the_server() -> None:
    said = variables("clickhouse")
    script = (DEPLOY / "clickhouse" / "grafana.sql").read_text()
    assert (
        (DEPLOY / "clickhouse")
        .as_posix()
        .endswith(service("clickhouse")["volumes"][0].split(":")[0].removeprefix("."))
    )
    user, key = said["GRAFANA_SQL_USER"], said["GRAFANA_SQL_KEY"]
    assert f"CREATE USER IF NOT EXISTS {user} IDENTIFIED BY '{key}'" in script
    granted = re.findall(r"GRANT SELECT ON (\w+)\.\w+ TO (\w+);", script)
    assert set(granted) == {(said["GRAFANA_SQL_DATABASE"], user)}


@pytest.mark.parametrize("name", ["embedded", "clickhouse"])
def test_grafana_asks_a_service_that_answers_on_the_port_of_sql(name: str) -> None:
    said = variables(name)
    assert said["GRAFANA_SQL_HOST"] in compose()["services"]
    asks_the_service = said["GRAFANA_SQL_HOST"] == "spanloom"
    assert ("SPANLOOM_SQL_PORT" in said) == asks_the_service
    assert said.get("SPANLOOM_SQL_PORT", "8123") == "8123"


def test_every_volume_is_declared() -> None:
    used = {v.split(":")[0] for s in compose()["services"].values() for v in s["volumes"]}
    named = {volume for volume in used if not volume.startswith("./")}
    assert named == set(compose()["volumes"])
    assert all((REPOSITORY / volume).is_dir() for volume in used - named)
