"""A comparison hides no change: another model, prompts, messages left out, long texts."""

from __future__ import annotations

from typing import Any

from tests.unit.diff.test_diff import in_a_row, ops, run, step

from spanloom.core.diff.diff import diff_documents
from spanloom.core.diff.message_text import differing_messages, message_text
from spanloom.core.diff.shown import MAX_CHARS, show_diff

Json = dict[str, Any]


def message(role: str, content: object, **more: Any) -> Json:
    return {"role": role, "content": content, **more}


def planned(model: str, prompt: str, calls: int, dish: str = "dish") -> Json:
    """Return a run of model calls, each of which has all earlier messages as its input."""
    said = [message("system", prompt), message("user", "A dinner for 8.")]
    steps = []
    for n in range(calls):
        answer = message("assistant", f"{dish} {n}")
        one = step(f"{model} {n}", f"chat {model}", said, kind="model", output=[answer])
        one["metadata"] = {"model": model}
        steps.append(one)
        said = [*said, answer, message("user", f"more {n}")]
    return run(*in_a_row(*steps))


def test_calls_of_another_model_are_paired_by_what_they_said_and_where_they_stand() -> None:
    for dish in ("dish", "plate"):  # once the same answers, once different ones
        before = planned("small", "You plan new dinners.", 3)
        after = planned("large", "You plan old dinners.", 4, dish)
        rows = diff_documents(before, after).rows[1:]
        pairs = [(row.a and row.a.position, row.b and row.b.position) for row in rows]
        assert pairs == [(0, 0), (1, 1), (2, 2), (None, 3)]
        assert [row.op for row in rows] == ["changed"] * 3 + ["added"]
        prompts = next(change for change in rows[0].changes if change.field == "input")
        assert [*differing_messages(prompts.a, prompts.b)] == [
            ("system: You plan new dinners.", "system: You plan old dinners.")
        ]


def test_a_message_that_a_later_call_leaves_out_is_told() -> None:
    said = [message("system", "Be brief."), message("user", "hello")]
    first = step("1", "gpt", said, kind="model", output=[message("assistant", "go on")])
    later = [*said, message("assistant", "go on"), message("user", "2")]
    whole = run(*in_a_row(first, step("2", "gpt", later, kind="model", output="x")))
    short = run(*in_a_row(first, step("2", "gpt", later[1:], kind="model", output="x")))
    diff = diff_documents(whole, short)
    assert ops(diff) == ["same gpt", "changed gpt"]
    (change,) = diff.rows[2].changes
    assert [*differing_messages(change.a, change.b)] == [("system: Be brief.", None)]


def test_a_prompt_that_only_later_calls_lack_is_told_though_it_changed_before() -> None:
    def chatted(prompt: str, *, is_kept: bool) -> Json:
        first = [message("system", prompt), message("user", "hello")]
        later = [*(first if is_kept else first[1:]), message("user", "2")]
        calls = (step(str(n), "gpt", said, kind="model") for n, said in enumerate((first, later)))
        return run(*in_a_row(*calls))

    kept = diff_documents(chatted("a", is_kept=True), chatted("b", is_kept=True))
    assert ops(kept) == ["changed gpt", "same gpt"]
    lost = diff_documents(chatted("a", is_kept=True), chatted("b", is_kept=False))
    assert ops(lost) == ["changed gpt", "changed gpt"]


def test_what_only_one_run_did_is_told_with_what_it_was_given_and_gave() -> None:
    more = step("2", "pay", {"sum": 7}, output="paid", error={"code": 1, "msg": ""})
    rows = diff_documents(run(step("1", "search")), run(*in_a_row(step("1", "search"), more))).rows
    assert [tuple(change) for change in rows[-1].changes] == [
        ("input", None, '{"sum":7}'),
        ("output", None, "paid"),
        ("error", None, ""),
    ]


def test_what_moved_is_compared_too() -> None:
    def asked(first: str, second: str, model: str) -> Json:
        steps = [step(name, name, {"of": name}, output=name) for name in (first, second)]
        call = step("m", "gpt", [message("user", model)], kind="model", output="fine")
        where = [call, *steps] if model == "small" else [*steps, call]
        return run(*in_a_row(*where))

    rows = diff_documents(asked("a", "b", "small"), asked("a", "b", "large")).rows
    moved = next(row for row in rows if row.op == "moved")
    assert [change.field for change in moved.changes] == ["input"]


def test_true_is_not_one_and_an_error_has_a_code() -> None:
    def sent(value: object, code: int) -> Json:
        return run(step("1", "order", {"n": value}, error={"code": code, "msg": "no"}))

    (row,) = diff_documents(sent(1, 400), sent(True, 429)).rows[1:]
    assert [tuple(change) for change in row.changes] == [
        ("input.n", 1, True),
        ("error.code", 400, 429),
    ]


def test_parameters_of_calls_are_compared_and_ids_are_not() -> None:
    def called(temperature: float, id_: str) -> Json:
        call = step("1", "gpt", kind="model")
        call["metadata"] = {"temperature": temperature, "response_id": id_, "user_id": id_}
        return run(call)

    (row,) = diff_documents(called(0.2, "a"), called(0.9, "b")).rows[1:]
    assert [tuple(change) for change in row.changes] == [("metadata.temperature", 0.2, 0.9)]


def test_a_text_is_cut_around_what_differs() -> None:
    start, end = "x" * 5000, "y" * 5000
    texts = [[message("system", f"{start}{word}{end}")] for word in ("new", "old")]
    before, after = (run(step("1", "gpt", said, kind="model")) for said in texts)
    shown = show_diff(before, after, diff_documents(before, after))
    (change,) = shown["steps"][0]["changes"]
    for side, word in (("a", "new"), ("b", "old")):
        cut = change[side][0]["content"]
        assert f"x{word}y" in cut
        assert len(cut) == MAX_CHARS + 2


def test_messages_are_words_and_prompts_come_first() -> None:
    call = {"function": {"name": "search", "arguments": {"q": 1}}}
    a = [message("user", "hi"), message("system", [{"type": "text", "text": "Be kind."}])]
    b = [message("assistant", None, tool_calls=[call], refusal="no"), message("system", "Be")]
    assert [*differing_messages(a, b)] == [
        ("system: Be kind.", "system: Be"),
        ("user: hi", 'assistant: → search {"q":1} (refusal: no)'),
    ]
    assert message_text({"role": "tool", "content": {"a": 1}}) == 'tool: {"a":1}'
    assert [*differing_messages("a", None)] == [("a", None)]
