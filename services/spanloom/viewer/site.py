"""Serves the page and its modules, with a content security policy against injected markup.

The URL of a page returns one HTML document that browsers revalidate each time. The document links
its modules under a path that has a hash of their content, so that browsers cache the modules
permanently. A wheel has minified modules (hatch_build.py).
"""

from __future__ import annotations

import gzip
import posixpath
import re
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from mimetypes import guess_type
from string import Template
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from starlette.requests import Request


_IMPORT = re.compile(
    r"""(?:^|[;\n}])\s*(?:import|export)\b      # a statement, not a call of import()
        (?:[\s{*\w$][^"';()]*?\bfrom)?\s*       # of names, or of nothing but the effect
        ["'](\.[^"']+)["']""",
    re.VERBOSE,
)


def imported_by(name: str, text: str) -> Sequence[str]:
    """Return the modules that a module imports statically, not those that ``import()`` loads.

    Names are paths from the root of the static files: ``list/table.js``.
    """
    folder = posixpath.dirname(name)
    return [posixpath.normpath(posixpath.join(folder, path)) for path in _IMPORT.findall(text)]


def needed_by(entries: Sequence[str], files: Mapping[str, bytes]) -> Sequence[str]:
    """Return the entries and all modules that they import, each once, breadth first.

    Raises ``KeyError`` for a module that does not exist.
    """
    needed = list(dict.fromkeys(entries))
    for name in needed:  # the list grows during the loop
        imports = imported_by(name, files[name].decode())
        needed.extend(path for path in dict.fromkeys(imports) if path not in needed)
    return needed


POLICY = "; ".join(
    (
        *("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"),
        *("img-src 'self' blob:", "media-src blob:", "base-uri 'none'", "form-action 'none'"),
        *("frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"),
    )
)
"""Allows the browser to load only Spanloom's files and API. No text becomes markup."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
PAGES = {
    "/": "pages/list.js",
    "/overview": "pages/overview.js",
    "/trajectories/{trace_id}": "pages/trajectory.js",
    "/steps": "pages/steps.js",
    "/conversations": "pages/conversations.js",
    "/settings": "pages/settings.js",
    "/conversation": "pages/conversation.js",
    "/diff": "pages/diff.js",
    "/queues": "pages/queues.js",
    "/schemes": "pages/schemes.js",
    "/agreement": "pages/agreement.js",
    "/adjudication": "pages/adjudication.js",
    "/exchange": "pages/exchange.js",
    "/datasets": "pages/datasets.js",
    "/compare": "pages/compare.js",
    "/experiments": "pages/experiments.js",
    "/online-rules": "pages/online-rules.js",
    "/alerts": "pages/alerts.js",
}
"""Paths of pages, each with the module that renders it."""
NOWHERE = "pages/nowhere.js"
"""The module that renders the page for all other paths."""
_JUDGING = ("queues", "schemes", "agreement", "adjudication", "exchange", "settings")
_EVALUATION = ("datasets", "compare", "experiments", "online-rules", "alerts")
STYLES = {f"pages/{name}.js": "style/judging.css" for name in _JUDGING + _EVALUATION} | {
    "pages/conversation.js": "style/conversation.css",
    "pages/overview.js": "style/overview.css",
    "pages/conversations.js": "style/overview.css",
}
"""Module of a page → the additional style sheet of the page."""
MODULES = "/ui/{version}/{name:path}"
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


class Site:
    """The static files: all read at the start, each compressed at its first request."""

    def __init__(self, root: Traversable | None = None) -> None:
        """Read the files; raises ``KeyError`` if one imports a module that does not exist."""
        self.contents = dict(_walk(root or files("spanloom.viewer") / "static"))
        """Content of every file by its path from the root: ``list/table.js``."""
        self.version = _version(self.contents)
        """Hash of all files: changes with any of them."""
        self._packed = cache(lambda name: gzip.compress(self.contents[name], 9))
        self._pages = {path: self._document(module) for path, module in PAGES.items()}
        self._nowhere = self._document(NOWHERE)

    def page(self, path: str) -> Response:
        """Return the HTML of a page, by the path template of ``PAGES``."""
        headers = {**HEADERS, "Cache-Control": "no-cache"}
        return Response(self._pages[path], headers=headers, media_type="text/html")

    def nowhere(self) -> Response:
        """Return the page for an unknown path, with the status 404."""
        headers = {**HEADERS, "Cache-Control": "no-store"}
        return Response(self._nowhere, 404, headers, media_type="text/html")

    def module(self, request: Request, version: str, name: str) -> Response:
        """Return a static file; 404 for an unknown file or another version.

        A page that was open during an upgrade requests the previous version and has to be
        reloaded.
        """
        if version != self.version or name not in self.contents:
            return Response(status_code=404, headers={**HEADERS, "Cache-Control": "no-store"})
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        headers = {
            **HEADERS,
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
            **({"Content-Encoding": "gzip"} if is_packed else {}),
        }
        body = self._packed(name) if is_packed else self.contents[name]
        return Response(body, headers=headers, media_type=_type_of(name))

    def weight(self, name: str) -> int:
        """Return the size of a file as sent, in bytes: compressed."""
        return len(self._packed(name))

    def _document(self, module: str) -> str:
        base = f"/ui/{self.version}"
        needed = needed_by(["app.js", module], self.contents)
        links = [f'<link rel="modulepreload" href="{base}/{name}">' for name in needed]
        if module in STYLES:
            links.append(f'<link rel="stylesheet" href="{base}/{STYLES[module]}">')
        template = Template(self.contents["index.html"].decode())
        return template.substitute(base=base, modules="\n".join(links))


@cache
def own_site() -> Site:
    """Return the site with this package's files, cached because reading them slows the start."""
    return Site()


def _walk(folder: Traversable, before: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = before + entry.name
        if entry.is_dir():
            yield from _walk(entry, f"{name}/")
        elif not name.endswith((".d.ts", ".json")):  # used by tools only
            yield name, entry.read_bytes()


def _version(contents: Mapping[str, bytes]) -> str:
    whole = blake2b(digest_size=6)
    for name, body in contents.items():
        whole.update(f"{name}\n{len(body)}\n".encode() + body)
    return whole.hexdigest()


def _type_of(name: str) -> str:
    suffix = name[name.rfind(".") :] if "." in name else ""
    return _TYPES.get(suffix) or guess_type(name)[0] or "text/plain; charset=utf-8"
