"""Options have defaults, a flag overrides a variable, and a bad value is reported in one line."""

from __future__ import annotations

import pytest

from spanloom.config.loading import OptionError, load_settings
from spanloom.config.process import is_loopback
from spanloom.config.section import flag_of, variable_of
from spanloom.config.settings import SECTIONS, Settings


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(variable_of(name), raising=False)


def test_fixed_interfaces_have_their_defaults() -> None:
    settings = load_settings({})
    assert (settings.otlp_grpc_port, settings.otlp_http_port, settings.api_port) == (
        4317,
        4318,
        8080,
    )
    assert settings.host == "127.0.0.1"
    assert settings.is_embedded


def test_flag_wins_over_variable_wins_over_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANLOOM_API_PORT", "1")
    monkeypatch.setenv("SPANLOOM_RETENTION_DAYS", "7")
    settings = load_settings({"api_port": "2"})
    assert (settings.api_port, settings.retention_days, settings.otlp_grpc_port) == (2, 7, 4317)


def test_every_option_is_in_exactly_one_section() -> None:
    listed = [name for section in SECTIONS for name in section.model_fields]
    assert sorted(listed) == sorted(Settings.model_fields)
    assert all(field.description for field in Settings.model_fields.values())


def test_sizes_have_units() -> None:
    assert load_settings({"max_request_bytes": "1MiB"}).max_request_bytes == 1024 * 1024


def test_the_embedded_store_is_inside_the_data_directory() -> None:
    settings = load_settings({"data_dir": "/srv/spans"})
    assert settings.resolved_store_url.url == "chdb:///srv/spans/store"
    server = load_settings({"store_url": "clickhouse://db:8123/traces"})
    assert not server.is_embedded
    assert server.resolved_store_url.url == "clickhouse://db:8123/traces"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_port", "70000"),
        ("otlp_grpc_port", "-1"),
        ("otlp_http_port", "http"),
        ("spool_max_bytes", "8 parsecs"),
        ("batch_wait_s", "-1"),
        ("log_level", "loud"),
        ("insecure", "perhaps"),
        ("retention_days", "1.5"),
    ],
)
def test_a_bad_value_names_its_origin_in_one_line(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OptionError) as by_flag:
        load_settings({name: value})
    assert str(by_flag.value).startswith(f"{flag_of(name)}: ")
    monkeypatch.setenv(variable_of(name), value)
    with pytest.raises(OptionError) as by_variable:
        load_settings({})
    message = str(by_variable.value)
    assert message.startswith(f"{variable_of(name)}: ")
    assert value in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "url", ["db:8123", "clickhouse://db:port/d", "clickhouse://db:99999/d", "clickhouse:///d"]
)
def test_a_bad_store_url_is_one_line_without_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="--store-url must be chdb"):
        load_settings({"store_url": url})
    monkeypatch.setenv("SPANLOOM_STORE_URL", url)
    with pytest.raises(OptionError, match="SPANLOOM_STORE_URL must be chdb") as error:
        load_settings({})
    assert url not in str(error.value)


def test_a_misspelt_variable_is_not_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANLOOM_OTLP_GRCP_PORT", "1")
    with pytest.raises(OptionError, match="SPANLOOM_OTLP_GRPC_PORT"):
        load_settings({})


def test_a_foreign_variable_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANLOOM_SERVICE_HOST", "10.0.0.1")  # as Kubernetes sets it
    assert load_settings({}).host == "127.0.0.1"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])  # noqa: S104  # only compared
def test_other_machines_reach_other_addresses(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_only_this_machine_reaches_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("url", ["postgres://me:secret@db/x", "secret", "chdb://relative"])
def test_an_unknown_store_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(OptionError, match="--store-url must be") as refusal:
        load_settings({"store_url": url})
    assert "secret" not in str(refusal.value)


def test_a_bad_combination_names_its_origins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPANLOOM_TLS_CERT", "cert.pem")
    with pytest.raises(OptionError, match="SPANLOOM_TLS_CERT and --tls-key go together"):
        load_settings({})
    with pytest.raises(OptionError, match="--tls-cert and --tls-key go together"):
        load_settings({"tls_cert": "cert.pem"})
    monkeypatch.setenv("SPANLOOM_STORE_URL", "mysql://db")
    with pytest.raises(OptionError, match="SPANLOOM_STORE_URL must be"):
        load_settings({})
