"""Whether the services of ``docker-compose.yml`` fit together, as far as its text shows.

The file is checked against the schema of Compose in ``.ci/run``.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from tests.support.agents import REPOSITORY
from tests.support.compose import compose, service

from spanloom.config.section import variable_of
from spanloom.config.settings import Settings
from spanloom.storage.engine.examination import OLDEST

DEPLOY = REPOSITORY / "deploy"


def variables(name: str) -> dict[str, str]:
    """Return the variables that an ``--env-file`` of ``deploy/grafana`` sets."""
    lines = (DEPLOY / "grafana" / f"{name}.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


ROLES = ("collect", "extract", "api", "keeper")


def profiles() -> dict[str, list[str]]:
    """Return the profiles of each service."""
    return {name: made["profiles"] for name, made in compose()["services"].items()}


def test_plain_up_starts_one_process_and_the_profile_starts_roles() -> None:
    usual = dict(
        line.split("=", 1) for line in (REPOSITORY / ".env").read_text().splitlines() if "=" in line
    )
    started = {
        profile: {name for name, found in profiles().items() if profile in found}
        for profile in (usual["COMPOSE_PROFILES"], "clickhouse")
    }
    assert started == {"embedded": {"spanloom"}, "clickhouse": {*ROLES, "clickhouse"}}
    assert {name: service(name)["command"] for name in ROLES} == {name: [name] for name in ROLES}
    assert "command" not in service("spanloom")


def test_the_image_of_the_service_listens_on_the_ports_that_are_published() -> None:
    exposed = re.findall(r"^EXPOSE (.*)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    own = [field.default for n, field in Settings.model_fields.items() if n.endswith("_port")]
    usual = {str(port) for port in own if port}
    assert set(exposed[0].split()) == usual
    published = {f"127.0.0.1:{port}:{port}" for port in usual}
    assert set(service("spanloom")["ports"]) == published
    assert {p for name in ROLES for p in service(name).get("ports", ())} == published


def test_nothing_is_published_but_on_loopback() -> None:
    published = [p for s in compose()["services"].values() for p in s.get("ports", ())]
    assert all(port.startswith("127.0.0.1:") for port in published)
    assert "ports" not in service("clickhouse")


def test_every_variable_of_the_service_is_an_option() -> None:
    options = {variable_of(name) for name in Settings.model_fields}
    set_in_files = {v for n in ("embedded", "clickhouse") for v in variables(n)}
    for name in ("spanloom", *ROLES):
        assert set(service(name)["environment"]) <= options
    assert {v for v in set_in_files if v.startswith("SPANLOOM_")} <= options


def test_what_the_files_of_variables_set_is_handed_on() -> None:
    taken = {*service("spanloom")["environment"], *service("grafana")["environment"]}
    given = {v for n in ("embedded", "clickhouse") for v in variables(n)}
    assert given - {"COMPOSE_PROFILES"} <= taken
    for name in ("embedded", "clickhouse"):
        assert set(variables(name)["COMPOSE_PROFILES"].split(",")) == {name, "grafana"}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_finds_the_server_and_its_password_in_a_file(role: str) -> None:
    server, own = service("clickhouse"), service(role)
    url = urlsplit(own["environment"]["SPANLOOM_STORE_URL"])
    assert (url.scheme, url.hostname, url.port) == ("clickhouse", "clickhouse", 8123)
    assert (url.username, url.password) == (server["environment"]["CLICKHOUSE_USER"], None)
    assert url.path == f"/{server['environment']['CLICKHOUSE_DB']}"
    mounted = "/run/secrets/store_password"
    assert own["environment"]["SPANLOOM_STORE_PASSWORD_FILE"] == mounted
    assert server["environment"]["CLICKHOUSE_PASSWORD_FILE"] == mounted
    assert "store_password" in own["secrets"]
    assert "store_password" in server["secrets"]


def test_no_secret_is_in_the_files() -> None:
    text = (REPOSITORY / "docker-compose.yml").read_text()
    assert not re.search(
        r"(?i)password(?!_file)\w*[:=] *\S*[a-z]", text.replace("store_password", "")
    )
    ignored = (DEPLOY / "secrets" / ".gitignore").read_text().splitlines()
    assert ignored == ["*", "!.gitignore", "!README.md"]
    for made in compose()["secrets"].values():
        assert made["file"].startswith("./deploy/secrets/")


def test_every_service_has_limits_and_the_roles_wait_for_nobody() -> None:
    for name, made in compose()["services"].items():
        assert "mem_limit" in made, name
        assert "depends_on" not in made, name
    assert all("cpus" in service(name) for name in (*ROLES, "clickhouse"))


def test_the_server_can_hold_the_tables() -> None:
    image, _, tag = service("clickhouse")["image"].partition(":")
    assert image == "clickhouse/clickhouse-server"
    assert tuple(map(int, tag.split("."))) >= OLDEST


def test_the_password_of_grafana_is_a_file_for_the_role_that_makes_its_account() -> None:
    assert "grafana_password" in service("keeper")["secrets"]
    assert variables("clickhouse")["GRAFANA_SQL_KEY"] == ""
    readme = (DEPLOY / "secrets" / "README.md").read_text()
    assert all(name in readme for name in compose()["secrets"])


@pytest.mark.parametrize("name", ["embedded", "clickhouse"])
def test_grafana_asks_a_service_that_answers_on_the_port_of_sql(name: str) -> None:
    said = variables(name)
    assert said["GRAFANA_SQL_HOST"] in compose()["services"]
    asks_the_service = said["GRAFANA_SQL_HOST"] == "spanloom"
    assert ("SPANLOOM_SQL_PORT" in said) == asks_the_service
    assert said.get("SPANLOOM_SQL_PORT", "8123") == "8123"


def test_every_volume_is_declared() -> None:
    mounted = (v for s in compose()["services"].values() for v in s.get("volumes", ()))
    used = {volume.split(":")[0] for volume in mounted}
    named = {volume for volume in used if not volume.startswith("./")}
    assert named == set(compose()["volumes"])
    assert all((REPOSITORY / volume).is_dir() for volume in used - named)
