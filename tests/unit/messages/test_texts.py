"""Plain words are extracted from JSON and messages; binary data gives none."""

from __future__ import annotations

import pytest

from spanloom.core.messages.texts import read_texts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain words", ["plain words"]),
        ("", []),
        ('"quoted\\nline"', ["quoted\nline"]),
        (
            '{"note":"late\\nagain","n":3,"ok":true,"no":null}',
            ["note:\nlate\nagain\nn: 3\nok: true\nno: "],
        ),
        ('{"city":"\\u5317\\u4eac"}', ["city: 北京"]),
        ('{"inner":"{\\"a\\": \\"b\\"}"}', ["inner: a: b"]),
        ("{no json", ["{no json"]),
        ('[1,["a"],{"b":"c"}]', ["1\na\nb: c"]),
        ('[{"role":"user","content":"hi"},{"role":"assistant","content":""}]', ["hi"]),
        (
            (
                '[{"role":"user","content":[{"type":"text","text":"see"},'
                '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]'
            ),
            ["see\ntype: image_url\nimage_url: url: "],
        ),
        (
            (
                '[{"role":"assistant","content":"so","reasoning_content":"hm","tool_calls":'
                '[{"id":"x","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]}]'
            ),
            ["so\nhm\nf a: 1"],
        ),
        ('{"messages":[{"role":"user","content":"hi"}],"next":"end"}', ["hi", "next: end"]),
    ],
)
def test_what_is_said(text: str, said: list[str]) -> None:
    assert read_texts(text) == said
