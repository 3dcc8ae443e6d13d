"""Calls those modules of the page that draw nothing, in the browser."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from tests.support.outlines import Row, encode_outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page


class Modules:
    """Calls the exports of the page's modules."""

    def __init__(self, page: Page, base: str) -> None:
        self._page = page
        self._base = base

    def call(self, module: str, body: str, *arguments: object) -> Any:
        """Return the result of a JavaScript body that uses the module ``m`` and arguments ``a``."""
        code = f"async ([url, a]) => {{ const m = await import(url); {body} }}"
        return self._page.evaluate(code, [f"{self._base}/{module}", arguments])

    def view(self, rows: Sequence[Row], body: str, *arguments: object) -> Any:
        """Return the result of a JavaScript body that uses ``v``, the ``View`` of an outline."""
        outline = base64.b64encode(encode_outline(rows)).decode()
        made = (
            "const { decode } = await import(url.replace('view.js', 'outline.js'));"
            "const bytes = Uint8Array.from(atob(a[0]), (c) => c.charCodeAt(0));"
            "const v = new m.View(decode(bytes.buffer));"
            "const shown = () => [...v.rows.subarray(0, v.count)];"
        )
        return self.call("tree/view.js", made + body, outline, *arguments)
