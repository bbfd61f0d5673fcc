from __future__ import annotations

from dataclasses import replace

from spycatcher_addon.cassette.canonical import IgnorePathConfig, canonicalize, stable_hash
from spycatcher_addon.cassette.model import Cassette, Hashing, Interaction, RecordedRequest, StreamResponse
from spycatcher_addon.cassette.normalizing import parse_normalize_rules
from spycatcher_addon.redaction.rules import RedactionRules
from spycatcher_addon.tools.scrubbing import Replaced, Scrubbed, scrub_cassette
from tests.support.tool_samples import cassette, plain, streamed

SECRET = "sesame-open-1234"
RULES = RedactionRules(drop_headers=frozenset({"x-team"}), known=(SECRET,))
LIMIT = 1 << 20


def scrub(tape: Cassette, ignore: IgnorePathConfig | None = None) -> Scrubbed:
    return scrub_cassette(tape, RULES, RULES.names, ignore or IgnorePathConfig(), LIMIT)


def with_headers(interaction: Interaction, *headers: tuple[str, str]) -> Interaction:
    old = interaction.request
    return replace(interaction, request=RecordedRequest(old.method, old.path, old.query, headers, old.body, stable_hash=old.stable_hash))


def test_a_tape_with_nothing_to_do_is_the_same_tape() -> None:
    tape = cassette(plain(), streamed())
    scrubbed = scrub(tape)
    assert (scrubbed.is_changed, scrubbed.replaced, scrubbed.unsearched) == (False, (), ())
    assert scrubbed.cassette is tape


def test_secrets_go_from_request_and_answer_and_are_named_by_rule_and_place() -> None:
    tape = cassette(plain("Hi?"), plain(f"It is {SECRET} and {SECRET}", f"You said {SECRET}"), streamed())
    scrubbed = scrub(tape)
    assert scrubbed.replaced == (Replaced(1, "request.body", "env", 1), Replaced(1, "response.body", "env", 1))
    assert SECRET not in repr(scrubbed.cassette)
    assert SECRET not in repr(scrubbed.replaced)
    assert scrubbed.cassette.interactions[0] == tape.interactions[0]
    assert scrubbed.cassette.interactions[2] == tape.interactions[2]


def test_a_stream_is_searched() -> None:
    scrubbed = scrub(cassette(streamed("Hi?", [{"content": "sesame-"}, {"content": "open-1234"}])))
    response = scrubbed.cassette.interactions[0].response
    assert isinstance(response, StreamResponse)
    assert b"sesame" not in response.raw_transcript
    assert [(each.place, each.rule) for each in scrubbed.replaced] == [("response.events", "env")]


def test_header_fields_are_left_out_and_the_body_is_as_it_was() -> None:
    tape = cassette(with_headers(plain(), ("X-Team", "blue"), ("accept", "*/*")))
    scrubbed = scrub(tape)
    assert scrubbed.replaced == (Replaced(0, "request.headers", "header.x-team", 1),)
    new = scrubbed.cassette.interactions[0].request
    assert (new.headers, new.body) == ((("accept", "*/*"),), tape.interactions[0].request.body)


def test_hashes_are_those_of_the_scrubbed_requests_under_the_settings_of_the_tape() -> None:
    settings = IgnorePathConfig(("/seed",), parse_normalize_rules(["uuid"]))
    tape = replace(cassette(plain(SECRET, seed=1), plain("other", seed=2)), hashing=Hashing(("/seed",), (), settings.normalize))
    scrubbed = scrub(tape, IgnorePathConfig(("/elsewhere",)))
    assert scrubbed.cassette.hashing == Hashing(("/seed",), RULES.names, settings.normalize)
    for each in scrubbed.cassette.interactions:
        assert each.request.stable_hash == stable_hash(canonicalize(each.request, settings))


def test_a_tape_of_version_one_becomes_one_of_version_two_under_the_ignore_paths_of_the_configuration() -> None:
    ignore = IgnorePathConfig(("/seed",))
    scrubbed = scrub(replace(cassette(plain(SECRET, seed=1)), format_version=1), ignore)
    assert (scrubbed.cassette.format_version, scrubbed.cassette.hashing.ignore_paths) == (2, ("/seed",))
    only = scrubbed.cassette.interactions[0].request
    assert only.stable_hash == stable_hash(canonicalize(only, ignore))


def test_a_body_that_cannot_be_decoded_is_named() -> None:
    tape = cassette(
        plain(),
        with_headers(plain(), ("content-encoding", "zz")),
        replace(streamed(), response=replace(streamed().response, headers=(("content-encoding", "zz"),))),
    )
    assert scrub(tape).unsearched == ((1, "request.body"), (2, "response.raw_transcript"))


def test_scrubbing_twice_is_scrubbing_once() -> None:
    once = scrub(cassette(plain(f"a {SECRET}"))).cassette
    assert not scrub(once).is_changed
