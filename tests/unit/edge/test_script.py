"""The add-on behind ``mitmdump -s``, without a mitmdump; tests/e2e/test_mitmdump.py runs it in a real one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.test import taddons

from spycatcher_addon.cassette import Cassette, encode_cassette
from spycatcher_addon.edge.layers import option_names
from spycatcher_addon.edge.mitm import RecordHooks, ReplayHooks
from spycatcher_addon.edge.script import HarnessScript, addons
from tests.support.texts import without_marks

REVERSE = ["reverse:http://127.0.0.1:1"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "tape").write_bytes(encode_cassette(Cassette(2)))


@pytest.fixture
def script() -> Iterator[HarnessScript]:
    made = HarnessScript()
    yield made
    for hooks in made.addons:
        if isinstance(hooks, RecordHooks):
            hooks.close()


def configure(script: HarnessScript, **settings: str) -> taddons.context:
    async def in_a_loop() -> taddons.context:
        context = taddons.context(Proxyserver(), loadcore=False)
        context.master._legacy_log_events.uninstall()  # it would log into this loop, which ends with this function
        # Registered without being configured, as mitmproxy's script loader does it.
        context.master.addons.register(script)
        context.options.add_option("keep_alt_svc_header", bool, False, "")
        context.options.update(mode=REVERSE)
        context.options.update(**{f"spycatcher_{name}": value for name, value in settings.items()})
        script.configure(set(context.options.keys()))
        return context

    return asyncio.run(in_a_loop())


def test_the_launcher_offers_one_script_that_stays_the_same() -> None:
    from spycatcher_addon.launcher import addon

    assert addon.addons is addons
    assert [type(each) for each in addons] == [HarnessScript]


def test_every_setting_is_an_option_of_plain_text(script: HarnessScript) -> None:
    context = configure(script, cassette_dir=".", cassette_name="tape")
    for name, (_, is_list) in option_names().items():
        assert getattr(context.options, name) == {"spycatcher_cassette_dir": ".", "spycatcher_cassette_name": "tape"}.get(
            name, [] if is_list else None
        )


def test_replay_is_the_default_and_dials_nobody(script: HarnessScript) -> None:
    context = configure(script, cassette_dir=".", cassette_name="tape")
    assert [type(hooks) for hooks in script.addons] == [ReplayHooks]
    assert context.options.connection_strategy == "lazy"
    assert context.options.store_streamed_bodies is False


def test_record_keeps_bodies_for_the_eye_and_outlasts_the_watchdog(script: HarnessScript) -> None:
    context = configure(script, mode="record", cassette_dir=".", cassette_name="new", upstream_total_timeout_s="5000")
    (hooks,) = script.addons
    assert isinstance(hooks, RecordHooks)
    assert context.options.store_streamed_bodies is True
    assert context.options.tcp_timeout > 5000


def test_the_reverse_target_stands_in_for_a_missing_base_url(script: HarnessScript) -> None:
    configure(script, mode="record", cassette_dir=".", cassette_name="new")
    (hooks,) = script.addons
    assert isinstance(hooks, RecordHooks)
    assert (hooks._target.host, hooks._target.port, hooks._target.path) == ("127.0.0.1", 1, "/v1")


@pytest.mark.parametrize(
    ("settings", "said", "code"),
    [
        ({"cassette_name": "absent"}, "cassette not found: absent", 1),
        ({"mode": "verify"}, "mode not yet implemented", 1),
        ({"cassette_name": ""}, "must not be empty", 2),
        ({"limits_max_body_bytes": "many"}, "spycatcher_limits_max_body_bytes", 2),
    ],
)
def test_a_bad_start_says_one_line_and_leaves(
    script: HarnessScript, caplog: pytest.LogCaptureFixture, settings: dict[str, str], said: str, code: int
) -> None:
    with pytest.raises(SystemExit) as left:
        configure(script, **{"cassette_dir": ".", "cassette_name": "tape", **settings})
    assert left.value.code == code
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(errors) == 1
    assert said in errors[0]
    assert script.addons == []


def errors_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_bad_start_is_told_in_the_configured_language(script: HarnessScript, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SystemExit):
        configure(script, cassette_dir=".", cassette_name="absent", localization_locale="fr-FR")
    assert errors_in(caplog) == ["spycatcher: impossible de démarrer le harnais : cassette introuvable : absent"]


def test_what_is_wrong_before_the_language_is_known_is_told_in_english(script: HarnessScript, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SystemExit):
        configure(script, cassette_dir=".", cassette_name="tape", localization_locale="fr-FR", limits_max_body_bytes="many")
    assert errors_in(caplog)[0].startswith("spycatcher: failed to start harness: ")


def test_notices_and_the_summary_are_in_the_configured_language(script: HarnessScript, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    configure(script, mode="record", cassette_dir=".", cassette_name="new", upstream_api_key_env="ABSENT_KEY", localization_locale="es-ES")
    script.done()
    said = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("spycatcher: la variable de entorno ABSENT_KEY (upstream.api_key_env) no está definida") for line in said)
    assert said[-1].endswith("el cliente debe usar esta URL base: la dirección en la que escucha mitmproxy")


def test_a_later_change_is_only_reported(script: HarnessScript, caplog: pytest.LogCaptureFixture) -> None:
    configure(script, cassette_dir=".", cassette_name="tape")
    script.configure({"spycatcher_cassette_name", "listen_port"})
    assert "spycatcher_cassette_name changed; it takes effect at the next start" in caplog.text
    caplog.clear()
    script.configure({"listen_port"})
    assert not caplog.text


def test_the_end_is_summed_up(script: HarnessScript, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    script.done()
    assert not caplog.text
    configure(script, cassette_dir=".", cassette_name="tape")
    script.done()
    assert "replayed 0 of 0 interactions" in without_marks(caplog.text)


def test_the_fault_report_is_written_at_the_end(script: HarnessScript, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    configure(script, cassette_dir=".", cassette_name="tape", fault_report="faults.json")
    report = tmp_path / "faults.json"
    report.write_text("")
    script.done()
    assert '"verdicts": []' in report.read_text()
    report.unlink()
    report.mkdir()
    script.done()
    assert "cannot write the report faults.json" in caplog.text
