"""The files of ``deploy/grafana`` contain nothing that Grafana would refuse or show wrongly."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

from ruamel.yaml import YAML
from tests.support.agents import REPOSITORY
from tests.support.grafana import FOLDER, all_panels, dashboards

UNITS = {"short", "s", "ms", "percentunit", "currencyUSD"}
"""Ids of units that Grafana has."""
FORMATS = {"timeseries": 0, "table": 1, "traces": 3}
"""The plugin's numbers for the formats of a query's result."""
WIDTH = 24


def read(path: str) -> Any:
    return YAML(typ="safe").load((REPOSITORY / path).read_text())


def found(key: str, within: object) -> list[Any]:
    """Return every value under a key, at any depth."""
    if isinstance(within, list):
        return [value for item in within for value in found(key, item)]
    if not isinstance(within, dict):
        return []
    here = [within[key]] if key in within else []
    return here + [value for item in within.values() for value in found(key, item)]


def source() -> dict[str, Any]:
    [only] = read("deploy/grafana/provisioning/datasources/spanloom.yaml")["datasources"]
    return dict(only)


def test_the_source_speaks_http_to_the_sql_port() -> None:
    assert source()["type"] == "grafana-clickhouse-datasource"
    assert source()["jsonData"]["protocol"] == "http"
    assert source()["jsonData"]["port"] == 8123


def test_everything_asks_the_provisioned_source() -> None:
    named = {json.dumps(source) for source in found("datasource", dashboards())}
    assert named == {json.dumps({key: source()[key] for key in ("type", "uid")})}
    assert all("datasource" in target for target in found("targets", dashboards())[0])


def test_ids_are_there_once() -> None:
    uids = [dashboard["uid"] for dashboard in dashboards()]
    ids = [(uid, panel["id"]) for uid, panel in all_panels()]
    assert len(set(uids)) == len(uids) == len(list(FOLDER.glob("dashboards/*.json")))
    assert len(set(ids)) == len(ids)


def test_units_are_grafanas() -> None:
    overrides = [p for properties in found("properties", dashboards()) for p in properties]
    units = found("unit", dashboards()) + [p["value"] for p in overrides if p["id"] == "unit"]
    assert set(units) == UNITS


def test_a_panel_asks_in_the_form_that_it_draws() -> None:
    for _, panel in all_panels():
        [target] = panel["targets"]
        assert (target["format"], target["queryType"]) == (FORMATS[panel["type"]], panel["type"])


def test_panels_do_not_lie_over_each_other() -> None:
    for dashboard in dashboards():
        places = [panel["gridPos"] for panel in dashboard["panels"]]
        assert all(place["x"] + place["w"] <= WIDTH for place in places)
        for one, other in combinations(places, 2):
            assert any(
                a[at] + a[size] <= b[at]
                for a, b in ((one, other), (other, one))
                for at, size in (("x", "w"), ("y", "h"))
            )


def test_compose_gives_grafana_its_files_and_names() -> None:
    grafana = read("docker-compose.yml")["services"]["grafana"]
    mounts = dict(volume.split(":")[:2] for volume in grafana["volumes"])
    [provider] = read("deploy/grafana/provisioning/dashboards/spanloom.yaml")["providers"]
    assert mounts["./deploy/grafana/dashboards"] == provider["options"]["path"]
    assert mounts["./deploy/grafana/provisioning"] == "/etc/grafana/provisioning"
    strings = [*source()["jsonData"].values(), *source()["secureJsonData"].values()]
    named = {text[1:] for text in strings if str(text).startswith("$")}
    assert named <= set(grafana["environment"])
    for name in ("embedded", "clickhouse"):
        lines = (FOLDER / f"{name}.env").read_text().splitlines()
        assert named <= {line.partition("=")[0] for line in lines}
