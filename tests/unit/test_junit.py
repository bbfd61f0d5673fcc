"""JUnit documents, read back by an XML parser."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from spycatcher_addon.junit import TestCase, encode_junit


def test_a_suite() -> None:
    text = encode_junit("suite", [TestCase("good", "tape"), TestCase("bad", "tape", failure="title <x>\nrest & more", output="seen")])
    root = ElementTree.fromstring(text)
    (suite,) = root
    assert (root.tag, suite.get("name"), suite.get("tests"), suite.get("failures")) == ("testsuites", "suite", "2", "1")
    good, bad = suite
    assert (good.get("name"), good.get("classname"), len(good)) == ("good", "tape", 0)
    failure, output = bad
    assert (failure.get("message"), failure.text, output.text) == ("title <x>", "title <x>\nrest & more", "seen")


@given(st.text(), st.text(), st.text())
def test_any_text_gives_a_document_that_parses(name: str, failure: str, output: str) -> None:
    root = ElementTree.fromstring(encode_junit(name, [TestCase(name, name, failure, output)]))
    assert len(root[0]) == 1


def test_what_xml_cannot_hold_is_replaced() -> None:
    root = ElementTree.fromstring(encode_junit("s", [TestCase("a\x00b\x1b\ud800c", "t", failure="\x08")]))
    assert root[0][0].get("name") == "a\ufffdb\ufffd\ufffdc"
    assert root[0][0][0].text == "\ufffd"
