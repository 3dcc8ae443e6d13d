/** The panel of a step: its input, output and metadata, and the spans from which these were read. */
import { t } from "../i18n/index.js";
import { DatasetButton } from "../ui/dialog_buttons.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { areMessages, earlier, Messages, sharedWith, tab, Value } from "./messages.js";
import { Copy, LongText } from "./text.js";
import { Json, parsed } from "./json.js";
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { Facts, Place } from "./facts.js";
import { signal } from "../vendor/signals.js";
import { place } from "../state/place.js";

// Shows a span as sent: attributes, events, links, resource.

/** @typedef {{key: string, value: any}} Attribute an attribute of OTLP's JSON */

/** Convert an attribute value from OTLP JSON to a plain value. @param {any} value @returns {unknown} */
export function plain(value) {
  if (!value || typeof value !== "object") return value;
  if ("arrayValue" in value) return (value.arrayValue.values ?? []).map(plain);
  if ("kvlistValue" in value) return Object.fromEntries((value.kvlistValue.values ?? []).map((/** @type {Attribute} */ one) => [one.key, plain(one.value)]));
  return Object.values(value)[0] ?? null;
}

/** @param {{path: string, project?: string}} props `path`: the path of the span in the API */
export function Raw({ path, project }) {
  const { data, error, again } = useFetched(path, { project });
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!data) return html`<p class="quiet">…</p>`;
  const resource = data.resourceSpans?.[0];
  const scope = resource?.scopeSpans?.[0];
  const span = scope?.spans?.[0] ?? {};
  return html`<p><${Copy} text=${JSON.stringify(data, null, 1)} label=${t("raw.copy")} /></p>
    <${Attributes} title=${t("raw.attributes")} list=${span.attributes} />
    ${(span.events ?? []).map((/** @type {any} */ event) => html`<${Attributes} title=${`${t("raw.event")} ${event.name}`} list=${event.attributes} />`)}
    ${(span.links ?? []).map((/** @type {any} */ one) => html`<${Attributes} title=${`${t("raw.link")} ${one.traceId}`} list=${one.attributes} />`)}
    <${Attributes} title=${t("raw.resource")} list=${resource?.resource?.attributes} />
    <p class="quiet">${t("raw.scope")} ${scope?.scope?.name} ${scope?.scope?.version}</p>`;
}

/** @param {{title: string, list?: Attribute[]}} props */
export function Attributes({ title, list = [] }) {
  return html`<h4>${title}</h4>${list.length ? html`<dl class="attributes">${list.map(({ key, value }) => {
    const one = plain(value);
    return html`<dt>${key}</dt><dd><${Value} text=${typeof one === "string" ? one : JSON.stringify(one)} /></dd>`;
  })}</dl>` : html`<p class="quiet">${t("raw.none")}</p>`}`;
}

// Explains the classification of a step: the rule that decided, the spans that the step was built from, its parent.

/** @typedef {import("../records.js").SpanVerdict} Verdict */

/** @param {{path: string, id: string, project?: string, isMoved: boolean}} props */
export function Why({ path, id, project, isMoved }) {
  const asStep = useFetched(`${path}/steps/${id}`, { project, with: "spans" });
  const isNone = asStep.error?.status === 404; // a span that is not a step is classified only in the list of all spans
  const asSpan = useFetched(isNone ? `${path}/spans` : "", { project });
  const { data, error, again } = isNone ? asSpan : asStep;
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!data) return html`<p class="quiet">…</p>`;
  const own = data.spans.find((/** @type {Verdict} */ one) => one.span_id === id);
  const merged = isNone ? [] : data.spans.filter((/** @type {Verdict} */ one) => one.span_id !== id);
  return html`${own ? html`<${Decided} own=${own} above=${isMoved ? data.parent_id : ""} />` : html`<p>${t("why.unknown")}</p>`}
    ${merged.length > 0 && html`<${Merged} spans=${merged} count=${data.span_count - 1} />`}
    ${data.metadata && html`<h4>${t("why.read")}</h4><${Json} value=${{ ...data.metadata, ...data.model_info }} />`}
    <${Sent} data=${data} />`;
}

/** @param {{own: Verdict, above?: string}} props `above`: the id of its parent step, if that is not the parent that its span reports */
function Decided({ own, above }) {
  const counts = own.step_id === own.span_id ? t("why.self") : own.step_id ? html`<code>${own.step_id}</code>` : t("why.none");
  return html`<dl class="attributes"><dt>${t("why.dialect")}</dt><dd><code>${own.dialect}</code></dd><dt>${t("why.rule")}</dt><dd><code>${own.rule}</code></dd>
    <dt>${t("why.counts")}</dt><dd>${counts}</dd>
    ${above && html`<dt>${t("why.moved")}</dt><dd><code>${above}</code> <span class="quiet">${t("why.moved.from")} <code>${own.parent_span_id || "–"}</code></span></dd>`}</dl>`;
}

/** @param {{spans: Verdict[], count: number}} props */
function Merged({ spans, count }) {
  return html`<h4>${t("why.merged", { n: count })}</h4>
    <ul>${spans.map((one) => html`<li><code>${one.span_id}</code> <bdi>${visible(one.name)}</bdi> <span class="quiet">${one.rule}</span></li>`)}</ul>
    ${count > spans.length && html`<p class="quiet">${t("why.more", { n: spans.length, of: count })}</p>`}`;
}

/** The sent attributes of the spans from which the step's fields were read. @param {{data: any}} props */
function Sent({ data }) {
  const spans = (data.resourceSpans ?? []).flatMap((/** @type {any} */ one) => one.scopeSpans ?? []).flatMap((/** @type {any} */ one) => one.spans ?? []);
  if (!spans.length) return "";
  return html`<p class="quiet">${t("why.fields")}</p>${spans.map((/** @type {any} */ one) => html`<${Attributes} title=${visible(one.name ?? "")} list=${one.attributes} />`)}`;
}

// The panel of a step.

/**
 * A step of the document.
 * @typedef {{id: string, type: string, name: string, input: string, output: string, metadata: Record<string, string>,
 *   basic_info: {started_at: string, duration: string, error?: {code: number, msg: string}},
 *   model_info?: Record<string, number | string>}} Step
 */

/** A component that replaces `LongText` while an annotator marks passages in a text. @type {import("../vendor/signals.js").Signal<any>} */
export const markedText = signal(null);
/** Components that show the scores of a run and of a step; set when there are scores. @type {import("../vendor/signals.js").Signal<any>} */
export const scoresOf = signal(null);
const TABS = /** @type {const} */ (["said", "markdown", "text", "json", "raw", "why"]);

/**
 * @param {{path: string, id: string, name: string, kind: string, project?: string, version?: string, before?: string, isMoved?: boolean,
 *   o?: import("../tree/outline.js").Outline, row?: number}} props
 *   `path`: the path of the trajectory in the API; `version`: a fixed version to show; `before`: the id of the
 *   same agent's previous model call;
 *   `isMoved`: its parent step is not the one that its span reports; `o`, `row`: its run's outline, and its row there
 */
export function StepPanel({ path, id, name, kind, project, version, before = "", isMoved = false, o, row = -1 }) {
  const { data, error, again } = useFetched(`${path}/steps/${id}`, { project, version });
  /** @type {Step | null} */
  const there = data?.id === id ? data : null;
  const body = useRef(/** @type {HTMLElement | null} */ (null));
  const { q = "", annotate } = place.value.query;
  useEffect(() => {
    const isOver = new AbortController();
    if (q.length > 1) void import("./found.js").then(({ mark }) => { if (body.current && !isOver.signal.aborted) mark(body.current, q, isOver.signal); }, () => {});
    return () => isOver.abort();
  }, [q, id]);
  const isPlumbing = error?.status === 404;
  const on = isPlumbing && tab.value !== "why" ? "raw" : tab.value;
  return html`<header class="step-head k-${kind}"><h2 title=${line(name, 400)}><b class="kind">${kind}</b> <bdi>${visible(name)}</bdi></h2>
      <p class="ids"><${Place} o=${o} row=${row} /> <code>${id}</code> <${Copy} text=${id} /> <${Copy} text=${location.href} label=${t("step.link")} /> ${there && html`<${DatasetButton} class="copy" sources=${[{ trace: path.split("/")[3], project, version, step: id }]} key=${id} />`}</p>
      <div class="step-facts" tabindex="0" role="group" aria-label=${t("step.facts")}>${there && html`<${Facts} step=${there} o=${o} row=${row} />`}</div></header>
    <nav class="tabs" aria-label=${t("step.views")}>${TABS.filter((one) => !isPlumbing || one === "raw" || one === "why").map((one) => html`<button
      aria-current=${on === one ? "true" : "false"} onClick=${() => { tab.value = one; }}>${t(`step.${one}`)}</button>`)}</nav>
    <div class="step-body" ref=${body}>
      ${isPlumbing && html`<p class="quiet">${t("step.plumbing")}</p>`}
      ${scoresOf.value && !annotate && html`<${scoresOf.value.Step} trace=${path.split("/")[3]} id=${id} />`}
      ${error && on !== "raw" && on !== "why" && html`<${Failure} error=${error} again=${again} />`}
      ${there?.basic_info.error && html`<p class="error"><b>✕ ${there.basic_info.error.code === -1 ? "" : there.basic_info.error.code}</b> <${LongText} text=${there.basic_info.error.msg} /></p>`}
      <${Body} key=${`body ${id}`} on=${on} step=${there} path=${path} id=${id} project=${project} before=${before} isMoved=${isMoved} />
    </div>`;
}

/** @param {{on: string, step: Step | null, path: string, id: string, project?: string, before: string, isMoved: boolean}} props */
function Body({ on, step, path, id, project, before, isMoved }) {
  const known = useEarlier(step && on === "said" ? `${path}/steps/${before}` : "", before, project);
  if (on === "raw") return html`<${Raw} key=${id} path=${`${path}/spans/${id}`} project=${project} />`;
  if (on === "why") return html`<${Why} key=${id} path=${path} id=${id} project=${project} isMoved=${isMoved} />`;
  if (!step || !known) return "";
  return html`<${Side} title=${t("step.input")} text=${step.input} on=${on} known=${known} /><${Side} title=${t("step.output")} text=${step.output} on=${on} isAnswer=${true} />`;
}

/** Input and output of the previous call; null until loaded. @param {string} path @param {string} before @param {string | undefined} project */
function useEarlier(path, before, project) {
  const [data, setData] = useState({ path: "", messages: /** @type {import("./messages.js").Message[]} */ ([]) });
  const isWanted = path !== "" && before !== "";
  useEffect(() => {
    if (!isWanted) return undefined;
    const until = new AbortController();
    getJson(path, { project }, until.signal).then(earlier, () => []).then((messages) => setData({ path, messages }));
    return () => until.abort();
  }, [isWanted && path, project]);
  return !isWanted ? [] : data.path === path ? data.messages : null;
}

/** @param {{title: string, text: string, on: string, isAnswer?: boolean, known?: import("./messages.js").Message[]}} props */
function Side({ title, text, on, isAnswer = false, known = [] }) {
  const value = parsed(text);
  const shown = !text ? html`<p class="quiet">${t("step.nothing")}</p>`
    : on === "text" ? html`<${markedText.value ?? LongText} text=${text} field=${isAnswer ? "output" : "input"} />`
    : on === "json" && value !== undefined ? html`<${Json} value=${value} />`
    : areMessages(value) ? html`<${Messages} messages=${value} before=${sharedWith(value, known)} isAnswer=${isAnswer} />`
    : html`<${Value} text=${text} />`;
  return html`<section class="side"><div class="titled"><h3>${title}</h3>${text && html`<${Copy} text=${text} />`}</div>${shown}</section>`;
}
