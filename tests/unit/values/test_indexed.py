"""Lists that were flattened into numbered attribute keys are restored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.values.indexed import indexed_list, indexed_text

if TYPE_CHECKING:
    from spanloom.core.values.attributes import Json

PREFIX = "gen_ai.prompt."
WRAPPERS = frozenset({"message", "tool_call"})


def read(*parts: str) -> object:
    return indexed_list({PREFIX + part: part for part in parts}, PREFIX)


def test_items_come_in_the_order_of_their_numbers() -> None:
    said = {f"p.{i}.content": str(i) for i in (10, 2, 0, 1)}
    assert indexed_list(said, "p.") == [{"content": c} for c in ("0", "1", "2", "10")]


def test_holes_are_closed() -> None:
    assert read("0", "3", "7") == ["0", "3", "7"]


def test_wrappers_are_left_out() -> None:
    said = {
        "m.0.message.role": "user",
        "m.0.message.tool_calls.1.tool_call.name": "b",
        "m.0.message.tool_calls.0.tool_call.name": "a",
    }
    expected = [{"role": "user", "tool_calls": [{"name": "a"}, {"name": "b"}]}]
    assert indexed_list(said, "m.", WRAPPERS) == expected


def test_what_is_no_list_is_none() -> None:
    assert read() == []
    assert read("role") == []
    assert read("0", "role") == []
    assert read("") == []
    assert indexed_text({"gen_ai.promptly.0": "x"}, PREFIX) == ""


def test_a_value_gives_way_to_what_stands_below_it() -> None:
    assert read("0", "0.role") == [{"role": "0.role"}]


def test_text_is_compact_json() -> None:
    assert indexed_text({PREFIX + "0.role": "ü"}, PREFIX) == '[{"role":"ü"}]'


def test_numbers_of_any_length_and_script_are_read_as_places() -> None:
    assert read("9" * 5000, "1", "٣", "00") == ["1", "٣", "00", "9" * 5000]


def test_keys_of_a_thousand_parts_end() -> None:
    value: Json = indexed_list({PREFIX + "0." + "a." * 1000 + "b": "deep"}, PREFIX)
    depth = 0
    while isinstance(value, list | dict):
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
        depth += 1
    assert value == "deep"
    assert depth < 40


def test_long_key_sets_are_read_like_short_ones() -> None:
    said = {f"{PREFIX}{i}": str(i) for i in range(2_000)}
    assert indexed_list(said, PREFIX) == [str(i) for i in range(2_000)]


parts = st.sampled_from(["0", "1", "00", "a", "", "message", "²", "9" * 30]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=4
)
keys = st.lists(parts, min_size=1, max_size=6).map(".".join)


@given(st.dictionaries(keys, st.text("ab", max_size=2), max_size=12))
def test_any_keys_give_a_list_as_text(found: dict[str, str]) -> None:
    said = {PREFIX + key: value for key, value in found.items()}
    text = indexed_text(said, PREFIX, WRAPPERS)
    assert text == "" or (text.startswith("[") and text.endswith("]"))
