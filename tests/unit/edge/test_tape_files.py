"""Files of the cassette tools: what is read as what, and what is never overwritten."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from spycatcher_addon.cassette.canonical import NOTHING_IGNORED, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Hashing
from spycatcher_addon.cassette.schema import encode_cassette
from spycatcher_addon.config import HarnessConfig, RedactionConfig
from spycatcher_addon.edge.cli_failure import CommandError
from spycatcher_addon.edge.tape_files import load_cassette, load_convertible, load_prices, write_output
from spycatcher_addon.edge.tape_writing import CassetteWriter
from spycatcher_addon.tools.har import encode_har
from spycatcher_addon.tools.losses import Loss, LossKind
from tests.support.texts import ENGLISH, without_marks
from tests.support.tool_samples import cassette, plain

VCR_YAML = """
interactions:
- request: {method: POST, uri: 'https://api.example.test/v1/chat/completions', headers: {Cookie: [a=b]}, body: '{"model":"m"}'}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: !!binary e30=}}
version: 1
"""


def failure(error: pytest.ExceptionInfo[CommandError]) -> str:
    return without_marks(error.value.message)


def load(path: Path) -> object:
    return load_convertible(ENGLISH, str(path), HarnessConfig(), NOTHING_IGNORED)


def test_a_cassette(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    path.write_bytes(encode_cassette(cassette(plain())))
    assert load_cassette(ENGLISH, str(path)).interactions == (plain(),)
    read, losses, is_foreign = load_convertible(ENGLISH, str(path), HarnessConfig(), NOTHING_IGNORED)
    assert (read.interactions, losses, is_foreign) == ((plain(),), (), False)


def test_a_missing_cassette(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as error:
        load_cassette(ENGLISH, str(tmp_path / "nope"), exit_code=2)
    assert failure(error).startswith("cassette not found: nope\n") and str(tmp_path / "nope") in failure(error)
    assert error.value.exit_code == 2


@pytest.mark.parametrize("name", ["x.yaml", "x.YML"])
def test_a_cassette_of_vcrpy(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(VCR_YAML)
    os.utime(path, (0, 0))
    read, losses, is_foreign = load_convertible(ENGLISH, str(path), HarnessConfig(), NOTHING_IGNORED)
    assert [each.request.body for each in read.interactions] == [b'{"model":"m"}']
    assert read.interactions[0].metadata.recorded_at == "1970-01-01T00:00:00.000000Z"
    assert ([loss.kind.value for loss in losses], is_foreign) == (["redacted"], True)
    assert read.hashing.redaction_rules == HarnessConfig().redaction.rules.names


def test_secrets_in_imported_bodies_do_not_get_onto_the_tape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "fake-secret-from-the-environment")
    path = tmp_path / "x.har"
    leaky = plain("The word is fake-secret-from-the-environment")
    path.write_text(json.dumps(encode_har(cassette(leaky), "1")[0]))
    config = HarnessConfig(redaction=RedactionConfig(secret_env=("SOME_SECRET",)))
    read, losses, _ = load_convertible(ENGLISH, str(path), config, NOTHING_IGNORED)
    assert b"fake-secret" not in encode_cassette(read)
    assert Loss(LossKind.SECRETS, 1) in losses
    request = read.interactions[0].request
    assert request.stable_hash == stable_hash(canonicalize(request, NOTHING_IGNORED))


def test_an_archive_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(encode_har(cassette(plain()), "1")[0]).encode())
    read, _, is_foreign = load_convertible(ENGLISH, str(path), HarnessConfig(), NOTHING_IGNORED)
    assert (len(read.interactions), is_foreign) == (1, True)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.yaml", b"a: [", "cannot be converted: while parsing"),
        ("x.yaml", b"a: !unknown 1", "cannot be converted: could not determine a constructor"),
        ("x.yaml", b"- 1", "cannot be converted: the document: expected a mapping"),
        ("x.har", b'{"log": {}}', "cannot be converted: an HTTP archive has a list"),
        ("x", b"plain", "invalid cassette: "),
    ],
)
def test_what_cannot_be_converted(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CommandError) as error:
        load(path)
    assert message in failure(error)
    assert "\n" not in failure(error)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "nope", tmp_path):
        with pytest.raises(CommandError) as error:
            load(path)
        assert failure(error).startswith(f"cannot read {path}: ")


@pytest.mark.parametrize("content", [b"=", b"\xff", b"models = 1"])
def test_price_tables_that_cannot_be_used(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "prices.toml"
    path.write_bytes(content)
    with pytest.raises(CommandError) as error:
        load_prices(ENGLISH, str(path))
    assert failure(error).startswith(f"the price table {path} cannot be used: ")


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    write_output(ENGLISH, str(path), b"x", [], is_forced=False)
    assert path.read_bytes() == b"x"
    assert [each.name for each in path.parent.iterdir()] == ["b"], "no lock and no temporary file stays"


def test_nothing_is_overwritten_unless_told_to(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with pytest.raises(CommandError) as error:
        write_output(ENGLISH, str(path), b"new", [], is_forced=False)
    assert "exists already" in failure(error) and path.read_bytes() == b"old"
    write_output(ENGLISH, str(path), b"new", [], is_forced=True)
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("is_forced", [False, True])
def test_an_input_is_never_overwritten(tmp_path: Path, is_forced: bool) -> None:
    path = tmp_path / "in"
    path.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(path)
    for output in (path, link):
        with pytest.raises(CommandError) as error:
            write_output(ENGLISH, str(output), b"new", [str(path)], is_forced=is_forced)
        assert "is one of the files that are read" in failure(error)
    assert path.read_bytes() == b"old"


def test_a_cassette_that_is_being_recorded_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    with CassetteWriter.open(str(path), Hashing()):
        before = path.read_bytes()
        with pytest.raises(CommandError):
            write_output(ENGLISH, str(path), b"new", [], is_forced=True)
        assert path.read_bytes() == before


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path in (str(tmp_path / "file" / "below"), str(tmp_path), "a\0b"):
        with pytest.raises(CommandError) as error:
            write_output(ENGLISH, path, b"x", [], is_forced=True, is_cassette=False)
        assert failure(error).startswith(f"cannot write {path}: ")
