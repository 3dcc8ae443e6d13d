/**
 * Announces a newer version of the run without moving anything, and loads it on request. The changes are
 * shown if the current version is still stored, as annotated versions are.
 */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { follow } from "../state/follow.js";
import { link, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { runPath, traceId, view } from "./state.js";
import { keptVersions } from "./versions.js";

/** @typedef {{added: number, removed: number, changed: number, moved: number}} Summary */

/** Longer runs are compared only on request. */
const LARGE = 20_000;

export function Newer() {
  const [version, setVersion] = useState(0);
  const [seen, setSeen] = useState(0);
  const [summary, setSummary] = useState(/** @type {Summary | null} */ (null));
  const mine = view.value?.o.version ?? 0;
  const { project, version: asked } = place.value.query;
  useEffect(() => {
    /** @param {number} came */
    const note = (came) => setVersion((known) => Math.max(known, came));
    // The feed does not announce versions that were stored after the run was read and before the feed was opened.
    const catchUp = () => keptVersions().then(([newest]) => note(newest?.version ?? 0), () => {});
    return follow({ project }, (change) => {
      if (change.trace_id === traceId()) note(change.version);
    }, (isLive) => { if (isLive && !asked) void catchUp(); });
  }, [project, asked]);
  const isNewer = mine > 0 && version > mine;
  useEffect(() => {
    const until = new AbortController();
    setSummary(null);
    if (isNewer && (view.peek()?.o.n ?? 0) <= LARGE) {
      getJson(`${runPath()}/diff/${traceId()}`, { project, version: mine, other_version: version }, until.signal).then((data) => setSummary(data.summary), () => {});
    }
    return () => until.abort();
  }, [isNewer, version]);
  if (!isNewer || seen === version) return "";
  const go = () => { location.search = new URLSearchParams({ ...place.peek().query, version: "" }).toString().replace(/&?version=/, ""); };
  return html`<p class="newer-bar" role="status">${summary ? t("newer.what", { version, what: said(summary) }) : t("newer", { version })}
    ${summary && html`<a class="button" target="_blank" href=${link("/diff", { a: traceId(), b: traceId(), av: String(mine), bv: String(version), project })}>${t("newer.diff")}</a>`}
    <button onClick=${go}>${t("newer.show")}</button><button class="plain" aria-label=${t("newer.later")} title=${t("newer.later")} onClick=${() => setSeen(version)}>×</button></p>`;
}

/** The differences, in words. @param {Summary} summary */
function said(summary) {
  const parts = /** @type {const} */ (["added", "removed", "changed", "moved"]).filter((op) => summary[op]).map((op) => t(`newer.${op}`, { n: summary[op] }));
  return parts.length ? parts.join(", ") : t("newer.same");
}
