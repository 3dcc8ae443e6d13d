"""Fetches the page's libraries: ``python -m spanloom.viewer.vendored [--check]``.

A module is one file of a published npm package, with two changes: its imports of other packages
become relative (an import map would be an inline script, which the content security policy
forbids), and the line that names its source map is removed. ``--check`` only compares the files
with the recorded hashes, and needs neither npm nor a network.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
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

The imports of markdown-it are replaced by a module of Spanloom, because the published packages are
half of the parser's size.
"""


VENDOR = Path(__file__).parent / "static" / "vendor"
RECORD = "vendored.json"


_IMPORT = re.compile(r"""((?:^|[;\n}])(?:import|export)\b(?:[^;"']*?\bfrom)?\s*)(["'])([^"']+)\2""")


class Fetched(NamedTuple):
    """A package as downloaded from the registry."""

    files: dict[str, bytes]
    """Contents by path in the package."""
    integrity: str


def write() -> None:
    """Fetch every package and write modules, licences and the record of both.

    Raises ``SystemExit`` if a package differs from the recorded package of the same version.
    """
    VENDOR.mkdir(parents=True, exist_ok=True)
    recorded = _record()
    packages = {(o.package, o.version): _fetch(o.package, o.version) for o in MODULES.values()}
    record: dict[str, dict[str, str]] = {}
    for name, origin in MODULES.items():
        fetched = packages[origin.package, origin.version]
        before = recorded.get(name, {})
        if before.get("version") == origin.version and before["integrity"] != fetched.integrity:
            raise SystemExit(f"{origin.package} {origin.version} is not what it was: {before}")
        licence, terms = _licence(origin.package, fetched.files)
        body = _relative(fetched.files[origin.path].decode())
        about = json.loads(fetched.files["package.json"])
        record[name] = {
            **origin._asdict(),
            "license": about["license"],
            "license_file": licence,
            "integrity": fetched.integrity,
            "sha256": hashlib.sha256(body.encode()).hexdigest(),
            "license_sha256": hashlib.sha256(terms).hexdigest(),
        }
        (VENDOR / name).write_text(body)
        (VENDOR / licence).write_bytes(terms)
    (VENDOR / RECORD).write_text(json.dumps(record, indent=1) + "\n")


def differences() -> list[str]:
    """Return the differences between the files and the record, a line each; fetches nothing."""
    record = _record()
    wrong = [
        f"{name} is recorded as another file than MODULES names"
        for name, origin in MODULES.items()
        if {**record.get(name, {}), **origin._asdict()} != record.get(name)
    ]
    expected = {RECORD}
    for name, package in record.items():
        for file, digest in ((name, "sha256"), (package["license_file"], "license_sha256")):
            expected.add(file)
            path = VENDOR / file
            is_same = (
                path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == package[digest]
            )
            wrong += [] if is_same else [f"{file} is not what was recorded"]
    vendored = {path.name for path in VENDOR.iterdir() if not path.name.endswith(".d.ts")}
    return wrong + [f"{name} is recorded nowhere" for name in sorted(vendored - expected)]


def _record() -> dict[str, dict[str, str]]:
    path = VENDOR / RECORD
    read: dict[str, dict[str, str]] = json.loads(path.read_text()) if path.exists() else {}
    return read


def _fetch(package: str, version: str) -> Fetched:
    """Return the files of a package; raises ``SystemExit`` if its sha512 is not as published."""
    command = ["npm", "pack", f"{package}@{version}", "--json", "--ignore-scripts"]
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603  # fixed words
        reported = json.loads(answer.stdout)
        stated = (reported[0] if isinstance(reported, list) else next(iter(reported.values())))[
            "integrity"
        ]
        body = next(Path(folder).glob("*.tgz")).read_bytes()
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(body).digest()).decode()
    if integrity != stated:
        raise SystemExit(f"{package} {version}: the registry states another sha512 than it sent")
    with tarfile.open(fileobj=io.BytesIO(body)) as tar:
        read = {
            m.name.partition("/")[2]: tar.extractfile(m) for m in tar.getmembers() if m.isfile()
        }
        return Fetched({name: file.read() for name, file in read.items() if file}, integrity)


def _licence(package: str, contents: dict[str, bytes]) -> tuple[str, bytes]:
    licence = next(name for name in contents if re.fullmatch(r"(?i)licen[cs]e(\.\w+)?", name))
    return f"LICENSE-{package.lstrip('@').replace('/', '-')}", contents[licence]


def _relative(text: str) -> str:
    """Make imports relative; raises ``KeyError`` for an import that ``IMPORTS`` does not have."""
    text = _IMPORT.sub(lambda found: f'{found[1]}"{IMPORTS[found[3]]}"', text)
    return re.sub(r"\n?//# sourceMappingURL=.*", "", text).rstrip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit("\n".join(differences()) or 0)
    write()
