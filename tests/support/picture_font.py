"""Makes the fonts of the screenshots: ``python -m tests.support.picture_font DEJAVU NOTO``.

Both are folders of unpacked npm packages, named by ``tests/browser/pictures/font/README.md``. Only
the characters of the page's own words, marks and dates are included. Needs ``fonttools`` and
``brotli``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "services/spanloom/viewer/static"
FONT = ROOT / "tests/browser/pictures/font"
LATIN_ENDS, CHINESE_BEGINS = "\u024f", "\u2e80"
DATES = "年月日时分秒上下午星期周一二三四五六"
"""Characters that the browser writes into dates; no file of the page contains them."""


def main() -> None:
    """Write ``latin.woff2`` and ``chinese.woff2``."""
    dejavu, noto = map(Path, sys.argv[1:])
    sources = (path for path in sorted(PAGE.rglob("*.js")) if "vendor" not in path.parts)
    used = {char for path in sources for char in path.read_text() if char > LATIN_ENDS}
    used |= set(DATES)
    marks = ",".join(f"U+{ord(char):04X}" for char in sorted(used) if char < CHINESE_BEGINS)
    latin = f"--unicodes=U+0020-024F,{marks}"
    _subset(dejavu / "ttf/DejaVuSans.ttf", "latin", latin)
    words = "".join(sorted(char for char in used if char >= CHINESE_BEGINS))
    file = noto / "files/noto-sans-sc-chinese-simplified-400-normal.woff2"
    _subset(file, "chinese", f"--text={words}")


def _subset(source: Path, name: str, which: str) -> None:
    made = ["--flavor=woff2", f"--output-file={FONT / name}.woff2", "--layout-features="]
    subprocess.run([sys.executable, "-m", "fontTools.subset", source, which, *made], check=True)


if __name__ == "__main__":
    main()
