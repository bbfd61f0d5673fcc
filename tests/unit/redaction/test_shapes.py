from __future__ import annotations

import time

import pytest

from spycatcher_addon.redaction.shapes import MARKS, SHAPE_NAMES, SHAPES, find_credentials, named_credential
from tests.support.secrets import AWS_SECRET, BY_SHAPE, JWT, ORDINARY, PRIVATE_KEY


def found(text: str) -> list[tuple[str, str]]:
    return sorted((text[each.start : each.end], each.shape) for each in find_credentials(text, SHAPE_NAMES))


@pytest.mark.parametrize(("shape", "secret"), BY_SHAPE.items())
@pytest.mark.parametrize("frame", ["{}", "key={} and more", '"{}"', "Bearer {}, ", "({})", "export KEY='{}'\n"])
def test_every_shape_is_found_whole(shape: str, secret: str, frame: str) -> None:
    assert (secret, shape) in found(frame.format(secret))


@pytest.mark.parametrize("shape", [shape.name for shape in SHAPES])
def test_a_shape_that_is_off_is_not_looked_for(shape: str) -> None:
    others = [name for name in SHAPE_NAMES if name != shape]
    assert shape not in {each.shape for each in find_credentials(BY_SHAPE[shape], others)}


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "x" * 48, "sk-svcacct-" + "x" * 40, "sk-admin-" + "x" * 40, "sk-fake-0123456789abcdef0123456789abcdef",
        "sk-" + "0123456789abcdef" * 2, "ASIAFAKEFAKEFAKE1234", "gho_" + "f" * 36, "ghs_" + "f" * 36, "github_pat_" + "f" * 60,
        "rk_live_" + "f" * 24, "xoxp-" + "1" * 30, "GOCSPX-" + "f" * 28, "sk-proj-" + "f_-" * 200,
    ],
)  # fmt: skip
def test_relatives_are_found_whole(secret: str) -> None:
    assert [text for text, _ in found(f"a {secret} b")] == [secret]


@pytest.mark.parametrize("text", ORDINARY, ids=lambda text: text[:30])
def test_ordinary_text_is_never_hit(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("shape", [name for name in BY_SHAPE if name not in ("private-key", "jwt")])
def test_half_a_credential_is_none(shape: str) -> None:
    mark = max((mark for mark in MARKS if BY_SHAPE[shape].startswith(mark)), key=len)
    assert found(f"{mark}abcdef... is how it begins") == []


@pytest.mark.parametrize("before", ["a", "Z", "7"])
def test_the_middle_of_a_word_is_no_beginning(before: str) -> None:
    assert found(before + BY_SHAPE["github-token"]) == []


def test_a_private_key_without_its_end_goes_as_far_as_its_characters() -> None:
    text = PRIVATE_KEY.partition("\n-----END")[0]
    assert found(text + "!") == [(text, "private-key")]


@pytest.mark.parametrize("text", ["id {} secret {}", "{}\n{}", "{}:{}"])
def test_a_secret_beside_an_aws_key_id(text: str) -> None:
    assert (AWS_SECRET, "aws-secret-key") in found(text.format(BY_SHAPE["aws-key-id"], AWS_SECRET))


def test_a_hash_beside_an_aws_key_id_is_left_alone() -> None:
    assert [shape for _, shape in found(f"{BY_SHAPE['aws-key-id']} {'0123456789abcdef' * 2}01234567")] == ["aws-key-id"]


@pytest.mark.parametrize(
    ("text", "secret", "shape"),
    [
        (f"aws_secret_access_key = {AWS_SECRET}", AWS_SECRET, "aws-secret-key"),
        (f'{{\\"SecretAccessKey\\": \\"{AWS_SECRET}\\"}}', AWS_SECRET, "aws-secret-key"),
        ("AZURE_OPENAI_API_KEY=" + "0a" * 16, "0a" * 16, "azure-key"),
        ("AccountKey=" + "Aa0/" * 21 + "AA==;", "Aa0/" * 21 + "AA==", "azure-key"),
    ],
)
def test_values_that_only_a_name_gives_away(text: str, secret: str, shape: str) -> None:
    assert found(text) == [(secret, shape)]


def test_members_whose_name_gives_them_away() -> None:
    assert named_credential("SecretAccessKey", AWS_SECRET, SHAPE_NAMES) == "aws-secret-key"
    assert named_credential("api-key", "0a" * 16, SHAPE_NAMES) == "azure-key"
    assert named_credential("cache_key", "0a" * 16, SHAPE_NAMES) is None
    assert named_credential("api-key", "0a" * 16, ()) is None
    assert JWT.count(".") == 2


@pytest.mark.parametrize(
    "piece",
    ["sk-", "sk-a", "eyJ", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "AKIA", "hf_", "sk-ant-", "api-key=", "a" * 40 + " "],
)
def test_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        find_credentials(text, SHAPE_NAMES)
        return time.process_time() - started

    assert seconds(400_000) < 12 * max(seconds(100_000), 0.005)
