"""The style sheet of the file, and its hash for the content security policy."""

from base64 import b64encode
from hashlib import sha256

STYLE = """
:root{color-scheme:light dark;--a:#8025cd;--m:#042473;--t:#007255;--g:#836401;--o:#545c6f;
--e:#67181c;--l:#dfe2e8;--s:#f4f5f7}
@media(prefers-color-scheme:dark){:root{--a:#e8bffe;--m:#7196fa;--t:#8fead5;--g:#f9c632;
--o:#9ea4ae;--e:#de8785;--l:#2b2f38;--s:#1b1e24}
body{background:#14161a;color:#e7e9ee}}
body{font:13px/1.5 system-ui,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",
sans-serif;max-width:1100px;margin:0 auto;padding:24px}
h1{font-size:18px;overflow-wrap:anywhere}
h2{font-size:15px;overflow-wrap:anywhere;border-top:1px solid var(--l);padding-top:16px}
h3{font-size:12px;margin:6px 0 0;color:var(--o)}
dl{display:flex;flex-wrap:wrap;gap:4px 24px}
dl div{display:flex;flex-wrap:wrap;gap:0 6px;min-width:0}dt{color:var(--o)}
dd{margin:0;font-weight:600;min-width:0;overflow-wrap:anywhere}
body *{min-width:0}
details{border-inline-start:2px solid var(--l);padding-inline-start:10px;margin:4px 0}
summary{cursor:pointer;min-height:24px;overflow-wrap:anywhere}small,.cut{color:var(--o)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
.said{border-inline-start:2px solid var(--o);padding-inline-start:8px;margin:4px 0}
.side{background:var(--s);padding:2px 10px 6px;margin:4px 0}.bad{color:var(--e)}
.agent{color:var(--a)}.model{color:var(--m)}.tool{color:var(--t)}.graph{color:var(--g)}
.other{color:var(--o)}
@media print{details::details-content{content-visibility:visible;height:auto;display:block}
body{max-width:none;padding:0}.side{background:none}}
"""
HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
