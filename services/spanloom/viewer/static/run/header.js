/** The header of a run: name, outcome, duration, tokens, cost, versions. */
import { useEffect, useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { getJson } from "../api.js";
import { clock, duration, moment, money, percent, short } from "../format.js";
import { number, t } from "../i18n/index.js";
import { ORPHAN } from "../service.js";
import { link, place, when } from "../state/place.js";
import { DatasetButton, ExportButton } from "../ui/dialog_buttons.js";
import { html, line, Menu, visible } from "../ui/html.js";
import { following, grown, headed, runPath, summary, traceId, view, wholeDocument } from "./state.js";
import { follow } from "../state/follow.js";
import { stateOf } from "../list/run.js";
import { Errors } from "./views.js";
import { isWhole, spanId } from "../tree/outline.js";
import { later } from "../ui/fetched.js";
import { scoresOf } from "../step/panel.js";

/** Notes below the header, on a failure or a repeated call; loaded only if there are any. */
const Notes = later(async () => (await import("./notes.js")).Notes);

// The versions of the run that can be read: the newest, and versions stored because they are annotated.

/** @typedef {{version: number, is_newest: boolean, stored_at: string}} Version */

/** The versions, newest first; none until they are loaded. */
const versions = signal(/** @type {Version[]} */ ([]));

/** Fetch the versions, and return the number of the newest version; 0 if there is none. */
async function loadVersions() {
  const { project } = place.peek().query;
  versions.value = (await getJson(`${runPath()}/versions`, { project })).items;
  return versions.value[0]?.version ?? 0;
}

export function Versions() {
  const items = versions.value;
  const mine = view.value?.o.version ?? 0;
  if (mine < 2 && items.length < 2) return ""; // a lone number would look like the version of the agent
  return html`<${Menu} class="versions" label=${`v${mine} ▾`} name=${t("versions")}>
    <ul class="choices">${items.map((one) => html`<${Line} key=${one.version} one=${one} mine=${mine} />`)}</ul>
    ${items.length < 2 && html`<p class="quiet">${t("versions.only")}</p>`}
  <//>`;
}

/** @param {{one: Version, mine: number}} props */
function Line({ one, mine }) {
  const { project, step, view: shown } = place.value.query;
  const at = Number(one.stored_at);
  const here = link(`/trajectories/${traceId()}`, { project, step, view: shown, version: one.is_newest ? null : String(one.version) });
  const note = html`<span class="quiet" title=${moment(at)}>${one.is_newest ? `${t("versions.newest")} · ` : ""}${t(one.is_newest ? "versions.stored" : "versions.kept", { at: clock(at) })}</span>`;
  if (one.version === mine) return html`<li><span><b>v${mine}</b> ${note}</span></li>`;
  const [a, b] = [one.version, mine].sort((x, y) => x - y);
  return html`<li><a href=${here}><b>v${one.version}</b> ${note}</a>
    <a href=${link("/diff", { a: traceId(), b: traceId(), project, av: String(a), bv: String(b) })}>${t("versions.compare", { version: one.version })}</a></li>`;
}

// Announces a newer version of the run without moving anything, and loads it on request. The changes are shown
// if the current version is still stored, as annotated versions are.

/** @typedef {{added: number, removed: number, changed: number, moved: number}} Summary */

/** Longer runs are compared only on request. */
const LONG = 20_000;

export function Newer() {
  const [version, setVersion] = useState(0);
  const [seen, setSeen] = useState(0);
  const [difference, setDifference] = useState(/** @type {Summary | null} */ (null));
  const mine = grown.value >= 0 ? (view.value?.o.version ?? 0) : 0;
  const { project, version: fixedVersion, annotate } = place.value.query;
  useEffect(() => {
    /** @param {number} came */
    const note = (came) => setVersion((known) => Math.max(known, came));
    let isFirst = true;
    /** Load the versions, which the feed does not announce if they were stored before it was opened. @param {boolean} isLive */
    const catchUp = (isLive) => {
      if (isLive || isFirst) loadVersions().then((newest) => { if (isLive && !fixedVersion) note(newest); }, () => {});
      isFirst = false;
    };
    return follow({ project }, (change) => {
      if (change.trace_id === traceId()) note(change.version);
    }, catchUp);
  }, [project, fixedVersion]);
  const isNewer = mine > 0 && version > mine;
  useEffect(() => {
    const until = new AbortController();
    setDifference(null);
    if (isNewer && !following.peek() && (view.peek()?.o.n ?? 0) <= LONG) {
      getJson(`${runPath()}/diff/${traceId()}`, { project, version: mine, other_version: version }, until.signal).then((data) => setDifference(data.summary), () => {});
    }
    return () => until.abort();
  }, [isNewer, version]);
  const isGrowing = isNewer && following.value && !fixedVersion && !annotate && !view.peek()?.kept && (view.peek()?.o.n ?? 0) <= LONG;
  useEffect(() => { if (isGrowing) void import("./follow.js").then(({ grow }) => grow()); }, [isGrowing, version]);
  if (!isNewer || isGrowing || seen === version) return "";
  const go = () => { location.search = new URLSearchParams({ ...place.peek().query, version: "" }).toString().replace(/&?version=/, ""); };
  return html`<p class="newer-bar" role="status">${difference ? t("newer.what", { version, what: inWords(difference) }) : t("newer", { version })}
    ${difference && html`<a class="button" target="_blank" href=${link("/diff", { a: traceId(), b: traceId(), av: String(mine), bv: String(version), project })}>${t("newer.diff")}</a>`}
    <button onClick=${go}>${t("newer.show")}</button><button class="plain" aria-label=${t("newer.later")} title=${t("newer.later")} onClick=${() => setSeen(version)}>×</button></p>`;
}

/** The number and kinds of differences between two versions, in words. @param {Summary} difference */
function inWords(difference) {
  const parts = /** @type {const} */ (["added", "removed", "changed", "moved"]).filter((op) => difference[op]).map((op) => t(`newer.${op}`, { n: difference[op] }));
  return parts.length ? parts.join(", ") : t("newer.same");
}

// The header.

/** @typedef {import("../list/run.js").Run} Run */
/** Data of a run that its row in the list does not have. @typedef {{metrics: any, warnings: string[], document?: any}} Read */
/** The documents of runs with more spans are not fetched just for the header. */
const LARGE = 5000;

/** The metrics of the root and the warnings of the extraction; of a large run only the metrics, from its root step. @param {Run} run @returns {Promise<Read>} */
async function read(run) {
  const { project, version } = place.peek().query;
  if (run.span_count > LARGE && !version) {
    const o = (await when(view, Boolean))?.o;
    const isRootFirst = o?.n && (isWhole(o, 0) || !(o.flags[0] & ORPHAN)); // the outline does not begin with the root if the root span never arrived
    const root = isRootFirst ? await getJson(`${runPath()}/steps/${spanId(o, 0)}`, { project, texts: "none" }) : null;
    return { metrics: root?.metrics_info, warnings: [] };
  }
  const whole = await wholeDocument("none");
  return { document: whole, metrics: whole.root_step.metrics_info, warnings: whole.extraction.warnings };
}

/** The number of notes below the header: one if there are failures, one if there are loops. @param {import("../tree/view.js").View | null} there */
const notesOf = (there) => (there ? Number(there.loops.size > 0) + Number(there.o.errors.some(Boolean)) : 0);

export function Header() {
  const [run, setRun] = useState(/** @type {Run | null | undefined} */ (undefined)); // null: the service did not return it
  const [whole, setWhole] = useState(/** @type {Read | null} */ (null));
  const { project, version } = place.value.query;
  const ask = () => void summary().then((data) => {
    setRun(data);
    if (data) read(data).then(setWhole, () => {});
  }, () => setRun((known) => known ?? null)).finally(() => { headed.value = true; });
  useEffect(() => setWhole(null), [project, version]);
  useEffect(ask, [project, version]);
  const isBehind = grown.value >= 0 && run !== undefined && !version && (run?.version ?? 0) < (view.value?.o.version ?? 0);
  useEffect(() => { if (isBehind) ask(); }, [isBehind]);
  const [isFolded, setFolded] = useState(true); // on a phone, whose rows would begin below the screen
  if (!run) return html`<header class="run-head"></header>`;
  const { state, sign, words } = stateOf(run);
  const notes = notesOf(view.value);
  return html`<header class="run-head ${isFolded ? "folded" : ""}">
    <div class="title"><span class="state s-${state}" title=${words}>${sign}</span>
      <h1><bdi>${visible(run.root_name || run.trace_id)}</bdi></h1><span class="quiet">${words}</span> ${run.status === "live" && !version && html`<${Follow} />`}
      ${run.release && html`<span class="quiet">${t("run.release")} <bdi>${line(run.release, 40)}</bdi></span>`}
      <span class="quiet" title=${run.trace_id}>${moment(Number(run.started_at))}</span>
      <${ExportButton} class="copy" sources=${[{ trace: traceId(), project, version }]} n=${1}>${t("export.open")}<//><p class="on-paper">${t("export.paper")}</p>
      <${DatasetButton} class="copy" sources=${[{ trace: traceId(), project, version }]} />
      ${run.conversation_id && html`<a href=${link("/conversation", { id: run.conversation_id, step: run.trace_id })}>${t("conversation.title")}</a>`}
      <${Late} trace=${run.trace_id} />
      <button class="unfold" aria-expanded=${String(!isFolded)} aria-label=${t("run.figures")} title=${t("run.figures")} onClick=${() => setFolded(!isFolded)}>${isFolded ? "▾" : "▴"}</button></div>
    ${version && html`<p class="newer">${t("versions.old", { version })}</p>`}
    <${Metrics} run=${version ? oldRun(run, whole?.document) : run} metrics=${whole?.metrics} />
    ${notes > 0 && html`<div class="notes ${notes > 1 ? "two" : ""}"><${Notes} /></div>`}
    <${Warnings} list=${whole?.warnings ?? []} />
    <${Newer} />
  </header>`;
}

/** Menus that are loaded after the run: last in their line, so that the buttons before them stay in place. @param {{trace: string}} props */
const Late = ({ trace }) => html`<${Versions} />${scoresOf.value && html`<${scoresOf.value.Run} trace=${trace} />`}`;

/** The switch for adding new rows of a live run automatically. */
const Follow = () => html`<button class="copy" aria-pressed=${String(following.value)} title=${t("follow.means")} onClick=${() => { following.value = !following.peek(); }}>${t("follow")}</button>`;

/** A run's row with the metrics of an old version. @param {Run} run @param {any} whole @returns {Run} */
function oldRun(run, whole) {
  const root = whole?.root_step;
  if (!root) return { ...run, step_counts: {}, cost: null, model_time: "", tool_time: "" };
  /** @type {Record<string, number>} */
  const counts = {};
  for (const agent of whole.agent_steps) for (const step of agent.steps) counts[step.type] = (counts[step.type] ?? 0) + 1;
  const { input_tokens, output_tokens } = root.metrics_info;
  return { ...run, input_tokens, output_tokens, duration: root.basic_info.duration, failures: 0, cost: null, step_counts: counts };
}

/** @param {{run: Run, metrics?: any}} props `metrics`: `metrics_info` of the root */
function Metrics({ run, metrics }) {
  const errors = [...Object.values(metrics?.model_errors ?? {}), ...Object.values(metrics?.tool_errors ?? {})].flat().length;
  const heldTime = metrics || run.model_time ? "" : "held";
  const held = metrics ? "" : "held"; // reserves the space for the metrics, so that nothing below moves when they arrive
  return html`<dl class="facts">
    <div class="main" title=${t("metric.wall.means")}><dt>${t("metric.wall")}</dt><dd>${duration(Number(run.duration))}</dd></div>
    <div class=${heldTime} title=${t("metric.sum.means")}><dt>${t("metric.model")}</dt><dd>${duration(Number(metrics?.llm_duration ?? run.model_time))}</dd></div>
    <div class=${heldTime} title=${t("metric.sum.means")}><dt>${t("metric.tool")}</dt><dd>${duration(Number(metrics?.tool_duration ?? run.tool_time))}</dd></div>
    <div class="main" title=${`${run.input_tokens} / ${run.output_tokens}`}><dt>${t("metric.tokens")}</dt><dd>${short(run.input_tokens)} / ${short(run.output_tokens)}</dd></div>
    ${run.cost !== null && html`<div class="main"><dt>${t("column.cost")}</dt><dd>${money(run.cost)}</dd></div>`}
    ${["agent", "model", "tool", "graph"].filter((kind) => run.step_counts[kind]).map((kind) => html`<div class="k-${kind}"><dt>${kind}</dt><dd>${number(run.step_counts[kind])}</dd></div>`)}
    <div class="main"><dt>${t("column.errors")}</dt><dd><${Errors} n=${run.failures || errors} /></dd></div>
    <div class=${held}><dt>${t("metric.rates")}</dt><dd>${percent(metrics?.model_error_rate ?? 0)} / ${percent(metrics?.tool_error_rate ?? (run.failures ? 0.011 : 0))}</dd></div>
    <div class=${held}><dt>${t("metric.share")}</dt><dd>${percent(metrics?.tool_step_proportion ?? 0.5)}</dd></div>
  </dl>`;
}

/** @param {{list: unknown[]}} props */
function Warnings({ list }) {
  if (!list.length) return "";
  return html`<details class="warnings"><summary>⚠ ${t("warnings", { n: list.length })}</summary><ul>${list.map((one) => html`<li>${visible(String(one))}</li>`)}</ul></details>`;
}
