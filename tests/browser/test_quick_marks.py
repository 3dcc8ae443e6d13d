"""An annotation that is changed quickly is stored as it was left, however slow the network."""

from __future__ import annotations

import random
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from tests.browser.test_annotate_modules import SCHEMES, edits, plain, shown
from tests.support.annotated_page import (
    PANEL,
    WRITES,
    act,
    annotate,
    is_write,
    said_of,
    send_steps,
    step_id,
    wait_saved,
)
from tests.support.browser import wait_until
from tests.support.examples import examples
from tests.support.interception import Held, intercept

from spanloom.core.annotation.marks import apply_edit, find_problems
from spanloom.core.model.annotation import MARK_FIELDS, NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route
    from tests.conftest import RunningSpanloom
    from tests.support.page_modules import Modules

SCREEN = """async () => {
  const { src } = document.querySelector('script[src$="app.js"]');
  const { session } = await import(src.replace('app.js', 'annotate/current.js'));
  return Object.fromEntries([...session.value.own].map(([at, slot]) => [at, slot.mark]));
}"""
"""Returns the annotations on the screen, keyed by step."""
KEYS = ("1", "2", "3", "m", "c", "e", "w", "u", "U", "n", "Escape", "ArrowDown", "ArrowUp")
OF_BRANCHES = ("Shift+Digit1", "Shift+Digit2")
KEY_RUNS = examples(200, every_day=50)
PLAY = """
const w = new m.Writes(); const [edits, turns, scheme] = a; const sent = []; let out = [];
let [mark, last] = [m.NOTHING, null];
for (const [k, edit] of edits.entries()) {
  const from = mark;
  mark = applyEdit(mark, edit, scheme);
  w.add({ id: `w${k}`, kind: 'edit', context: {}, step: 's', edit, from, to: mark });
  if (turns[k] === 'lost' || turns[k] === 'sent') {
    if (out.length && turns[k] === 'lost') { w.failed(out); out = []; }
    if (!out.length) {
      out = w.next();
      w.sent(out);
      sent.push(...out.map((one) => [one.id, one.edit]));
    }
  }
  if (turns[k] === 'answered' && out.length) { w.drop(out[0]); out = []; }
}
for (const one of [...w.list]) { sent.push([one.id, one.edit]); w.drop(one); }
return [sent, mark];
"""
"""Applies edits of one step, of which some are sent, lost or answered in between.

Returns the sent writes and the resulting annotation.
"""


@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_whatever_is_sent_leads_to_what_is_shown_and_is_allowed(
    modules: Modules, data: st.DataObject
) -> None:
    scheme = data.draw(st.sampled_from([one for one in SCHEMES if one.is_stepwise]))
    mark, chosen = NOTHING, []
    for edit in data.draw(st.lists(edits(scheme), min_size=2, max_size=8)):
        after = apply_edit(mark, edit, scheme)
        if not find_problems(after, edit, scheme):  # the form offers only valid edits
            mark = after
            chosen.append(edit)
    turns = data.draw(
        st.lists(
            st.sampled_from(["", "", "sent", "lost", "answered"]),
            min_size=len(chosen),
            max_size=len(chosen),
        )
    )
    sent, told = modules.call(
        "annotate/writes.js",
        "const { applyEdit, NOTHING } = await import(url.replace('writes.js', 'marks.js'));"
        + PLAY.replace("m.NOTHING", "NOTHING"),
        chosen,
        turns,
        shown(scheme),
    )
    assert told == plain(mark)
    assert _stored(sent, scheme) == told


def _stored(sent: list[Any], scheme: Any) -> dict[str, Any]:
    """Return the annotation that the service has after these writes; repeated ids count once."""
    mark, known = NOTHING, set()
    for name, edit in sent:
        if name in known:
            continue
        known.add(name)
        mark = apply_edit(mark, edit, scheme)
        assert list(find_problems(mark, edit, scheme)) == []
    return plain(mark)


def slow(page: Page, most_ms: int, seed: int = 7) -> Callable[[], None]:
    """Delay answers to writes, and lose every third one; return a function that ends this."""
    chance, under_way = random.Random(seed), list[Held]()
    is_lost = cycle((False, True, False))

    def later(held: Held) -> None:
        if held.request["method"] != "POST":
            held.continue_()
            return
        under_way.append(held)
        answer = held.fetch()
        page.wait_for_timeout(chance.randrange(most_ms + 1))
        if next(is_lost):
            held.abort()
        else:
            held.fulfill(response=answer)
        under_way.remove(held)

    let_through = intercept(page, "*/annotations?*", later)

    def end() -> None:
        wait_until(page, lambda: not under_way)  # otherwise they are sent on and answered twice
        let_through()

    return end


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("keys", "left"),
    [
        (["2", "m", "Escape", "1"], {"correctness": "correct"}),
        (
            ["2", "e", "Escape", "3"],
            {"correctness": "partially_correct", "error_type": "execution"},
        ),
        (["2", "e", "w", "o"], {"correctness": "incorrect", "error_type": "reasoning"}),
    ],
    ids=["right after all", "otherwise wrong", "another type"],
)
def test_a_mark_changed_at_once_is_stored_as_it_was_left(
    page: Page, service: RunningSpanloom, trace: str, keys: list[str], left: dict[str, str]
) -> None:
    annotate(page, service, trace, "step_evaluation")
    act(page, *keys)  # at once, before anything is sent
    wait_saved(page)
    row = said_of(service, trace)[step_id(2)]
    texts = {name: row[name] for name in MARK_FIELDS if row[name]}
    assert texts == left
    expect(page.locator(".clash")).to_have_count(0)


@pytest.mark.nightly
def test_random_key_runs_leave_screen_and_service_equal(
    page: Page, service: RunningSpanloom
) -> None:
    trace = send_steps(service, range(2, 26), below=12)
    annotate(page, service, trace, "step_evaluation")
    answer_at_once = slow(page, 100)
    chance = random.Random(37)
    for _ in range(KEY_RUNS):
        act(page, *chance.choices((*KEYS, *OF_BRANCHES), k=chance.randrange(2, 6)))
        if chance.random() < 0.2:  # time to send something
            page.wait_for_timeout(chance.randrange(700))
    answer_at_once()
    page.wait_for_timeout(300)  # until the page has noticed the last lost answer
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_saved(page)
    expect(page.locator(".clash")).to_have_count(0)
    stored = said_of(service, trace)
    told = page.evaluate(SCREEN)
    marks = {at: mark for at, mark in told.items() if mark["correctness"] or mark["value"]}
    assert marks == {
        step: {**{name: row[name] for name in MARK_FIELDS}, "value": row["value"]}
        for step, row in stored.items()
    }


def test_a_refused_mark_says_what_to_do_and_done_goes_on_after_it(
    page: Page, service: RunningSpanloom, trace: str
) -> None:
    annotate(page, service, trace)

    spoilt: list[Any] = []

    def spoiled(route: Route) -> None:
        """Change the severity of the first write to one that is in no scheme."""
        if spoilt or not is_write(route):
            route.continue_()
            return
        spoilt.append(route.request.post_data_json)
        spoilt[0]["items"][0]["severity"] = "odd"
        route.continue_(post_data=spoilt[0])

    page.route(WRITES, spoiled)
    act(page, "2", "Control+Enter")
    refused = page.locator(".clash")
    expect(refused).to_contain_text("severity: 'odd' is none of")
    expect(refused).not_to_contain_text("items[")
    expect(refused).to_contain_text("Choose again at the step")
    expect(page.locator(f"{PANEL} .note")).to_contain_text("Choose again there")
    page.get_by_role("button", name="Send all of it again").click()
    expect(refused).to_have_count(0)
    wait_saved(page)
    assert said_of(service, trace)[step_id(2)]["correctness"] == "incorrect"
