"""``SLOW_PAGE=1 pytest tests/browser``: slow pages with a slow connection to the service.

A test that fails only on slow pages would also fail on a busy machine: it checks too early, or the
page loses input made before it is ready.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

TIMES_SLOWER, ANSWERS_LATER_MS = 6, 300
LATER = f"""
const ask = fetch;
globalThis.fetch = async (...asked) => {{
  const answer = await ask(...asked);
  const isOfService = new URL(answer.url).pathname.startsWith("/v1/");
  if (isOfService) await new Promise((go) => setTimeout(go, {ANSWERS_LATER_MS}));
  return answer;
}};
"""


def slow_down(page: Page) -> None:
    """Slow a page down and delay its responses, if ``SLOW_PAGE`` is set."""
    if not os.environ.get("SLOW_PAGE"):
        return
    page.add_init_script(LATER)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": TIMES_SLOWER})
