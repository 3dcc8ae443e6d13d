"""The npm packages, and the files of them, that the page uses; ``vendored.py`` fetches them."""

from __future__ import annotations

from typing import NamedTuple


class Origin(NamedTuple):
    """The npm package and file that a module is copied from."""

    package: str
    version: str
    path: str
    """Path of the file in the package."""


MODULES = {
    "preact.js": Origin("preact", "11.2.0", "dist/preact.mjs"),
    "hooks.js": Origin("preact", "11.2.0", "hooks/dist/hooks.mjs"),
    "signals-core.js": Origin("@preact/signals-core", "1.14.5", "dist/signals-core.mjs"),
    "signals.js": Origin("@preact/signals", "2.11.4", "dist/signals.mjs"),
    "htm.js": Origin("htm", "3.1.1", "dist/htm.mjs"),
    "dagre.js": Origin("@dagrejs/dagre", "3.1.3", "dist/dagre.esm.js"),
    "markdown-it.js": Origin("markdown-it", "15.0.3", "dist/markdown-it.mjs"),
    "hljs.js": Origin("@highlightjs/cdn-assets", "11.12.0", "es/core.min.js"),
    **{
        f"hljs-{language}.js": Origin(
            "@highlightjs/cdn-assets", "11.12.0", f"es/languages/{language}.min.js"
        )
        for language in ("bash", "go", "java", "javascript", "json", "python", "sql", "xml", "yaml")
    },
    "diff-base.js": Origin("diff", "9.0.0", "libesm/diff/base.js"),
    "diff-word.js": Origin("diff", "9.0.0", "libesm/diff/word.js"),
    "diff-string.js": Origin("diff", "9.0.0", "libesm/util/string.js"),
}
IMPORTS = {
    "preact": "./preact.js",
    "preact/hooks": "./hooks.js",
    "@preact/signals-core": "./signals-core.js",
    "./base.js": "./diff-base.js",
    "../util/string.js": "./diff-string.js",
    **dict.fromkeys(
        ("entities", "linkify-it", "mdurl", "punycode.js", "uc.micro"), "../markdown/needs.js"
    ),
}
"""Import specifiers in the vendored modules, each with the path that replaces it.

The imports of markdown-it are replaced by a module of ours: the published packages are half of the
parser's size.
"""
