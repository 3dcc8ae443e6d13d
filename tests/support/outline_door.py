"""Answers for the structure of a run, made of its document and its spans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import httpx
from tests.support.outlines import Row, encode_outline

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


def serve_outlines(page: Page, api: str) -> None:
    """Have a page asked for outlines, rows and hits answered from the service's other answers."""

    def answer(route: Route) -> None:
        parts = urlsplit(route.request.url)
        trace, what = parts.path.split("/")[3:5]
        rows, ids, texts = read_rows(api, trace)
        if what == "outline":
            route.fulfill(body=with_ids(encode_outline(rows), ids))
        elif what == "rows":
            items = [{"row": at, "preview": text, "error": ""} for at, text in enumerate(texts)]
            route.fulfill(json={"version": 1, "items": items})
        else:
            wanted = parse_qs(parts.query)["q"][0].lower()
            found = [at for at, text in enumerate(texts) if wanted in text.lower()]
            hits = [{"row": at, "part": "output", "snippet": texts[at]} for at in found]
            route.fulfill(json={"version": 1, "items": hits, "truncated": False})

    for what in ("outline", "rows", "search"):
        page.route(f"**/v1/trajectories/*/{what}*", answer)


def read_rows(api: str, trace: str) -> tuple[list[Row], list[str], list[str]]:
    """Return the rows of a run in the order of a walk, their span ids, and what they say."""
    document = httpx.get(f"{api}/v1/trajectories/{trace}").raise_for_status().json()
    spans = httpx.get(f"{api}/v1/trajectories/{trace}/spans").raise_for_status().json()["spans"]
    steps = {s["id"]: s for agent in document["agent_steps"] for s in (agent, *agent["steps"])}
    steps[document["root_step"]["id"]] = document["root_step"]
    below: dict[str, list[dict[str, Any]]] = {}
    known = {span["span_id"] for span in spans}
    for span in spans:
        parent = span.get("parent_span_id") or ""
        below.setdefault(parent if parent in known else "", []).append(span)
    rows: list[Row] = []
    ids: list[str] = []
    texts: list[str] = []
    first = min(int(span["started_at"]) for span in spans)

    def walk(parent: str, depth: int) -> None:
        for span in below.get(parent, []):
            step = steps.get(span["span_id"], {})
            used = step.get("model_info", {})
            flags = (1 if span.get("error") else 0) | (4 if not step else 0)
            start = (int(span["started_at"]) - first) * 1000
            row = Row(
                depth,
                span["kind"],
                step.get("name", span["name"]),
                start,
                int(span["duration"]) * 1000,
            )
            tokens = {"tin": used.get("input_tokens", 0), "tout": used.get("output_tokens", 0)}
            rows.append(row._replace(flags=flags, **tokens))
            ids.append(span["span_id"])
            texts.append(str(step.get("output") or step.get("input") or ""))
            walk(span["span_id"], depth + 1)

    walk("", 0)
    return rows, ids, texts


def with_ids(outline: bytes, ids: list[str]) -> bytes:
    """Return the outline with these span ids in place of numbers; they are its first column."""
    length = int.from_bytes(outline[4:8], "little")
    n = json.loads(outline[8 : 8 + length])["n"]
    packed = b"".join(int(one, 16).to_bytes(8, "little") for one in ids)
    at = 8 + length
    return outline[:at] + b"".join(packed[b::8] for b in range(8)) + outline[at + 8 * n :]
