"""Returns the findings of axe-core for a page: serious, or also moderate."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

_FIND = """async ([rules, impacts]) => {
  const options = rules.length ? { runOnly: rules } : {};
  // of all else one node each is worked out
  const { violations } = await axe.run({ ...options, resultTypes: ["violations"] });
  return violations
    .filter((one) => impacts.includes(one.impact))
    .flatMap((one) => one.nodes.map(
      (node) => `${one.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}"""
_KEEP_COLOURS = """() => {
  const colour = axe.commons.color.Color.prototype, known = new Map(), parse = colour.parseString;
  colour.parseString = function (text) {
    const found = known.get(text);
    if (found) {
      [this.r, this.g, this.b, this.alpha] = found;
    } else {
      parse.call(this, text);
      known.set(text, [this.r, this.g, this.b, this.alpha]);
    }
    return this;
  };
}"""
"""Makes axe-core parse each colour only once, because parsing takes half of its time."""
_SERIOUS = ("serious", "critical")


def serious(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """Return the serious findings of these rules or of all, each with its elements."""
    return _found(page, rules, _SERIOUS)


def moderate(page: Page) -> list[str]:
    """Return the findings of all rules from moderate up, each with its elements."""
    return _found(page, (), ("moderate", *_SERIOUS))


def _found(page: Page, rules: Sequence[str], impacts: Sequence[str]) -> list[str]:
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE_SCRIPT)
        page.evaluate(_KEEP_COLOURS)
    return cast("list[str]", page.evaluate(_FIND, [list(rules), list(impacts)]))
