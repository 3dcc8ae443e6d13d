/** The panel of a step: input, output, metadata and the evidence for them. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { DatasetButton } from "../dataset/button.js";
import { clock, duration, moment } from "../format.js";
import { signal } from "../vendor/signals.js";
import { number, t } from "../i18n/index.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { Json, parsed } from "./json.js";
import { areMessages, Messages, Value } from "./messages.js";
import { tab } from "./prose.js";
import { Raw } from "./raw.js";
import { earlier, sharedWith } from "./shared.js";
import { Copy, LongText } from "./text.js";
import { Why } from "./why.js";

/**
 * A step of the document.
 * @typedef {{id: string, type: string, name: string, input: string, output: string, metadata: Record<string, string>,
 *   basic_info: {started_at: string, duration: string, error?: {code: number, msg: string}},
 *   model_info?: Record<string, number | string>}} Step
 */

/** A component that replaces `LongText`, in which annotators mark places of a text. @type {import("../vendor/signals.js").Signal<any>} */
export const markedText = signal(null);
const TABS = /** @type {const} */ (["said", "markdown", "text", "json", "raw", "why"]);

/**
 * @param {{path: string, id: string, name: string, kind: string, project?: string, version?: string, before?: string, isMoved?: boolean}} props
 *   `path`: of the trajectory in the API; `version`: a fixed version to show; `before`: the id of the same agent's previous model call;
 *   `isMoved`: its parent step is not the one that its span reports
 */
export function StepPanel({ path, id, name, kind, project, version, before = "", isMoved = false }) {
  const { data, error, again } = useFetched(`${path}/steps/${id}`, { project, version });
  /** @type {Step | null} */
  const there = data?.id === id ? data : null;
  const isPlumbing = error?.status === 404;
  const on = isPlumbing && tab.value !== "why" ? "raw" : tab.value;
  return html`<header class="step-head k-${kind}"><h2 title=${line(name, 400)}><b class="kind">${kind}</b> <bdi>${visible(name)}</bdi></h2>
      <p class="ids"><code>${id}</code> <${Copy} text=${id} /> <${Copy} text=${location.href} label=${t("step.link")} /> ${there && html`<${DatasetButton} class="copy" sources=${[{ trace: path.split("/")[3], project, version, step: id }]} key=${id} />`}</p>
      <dl class="facts" tabindex="0">${there && html`<${Facts} step=${there} />`}</dl></header>
    <nav class="tabs" aria-label=${t("step.views")}>${TABS.filter((one) => !isPlumbing || one === "raw" || one === "why").map((one) => html`<button
      aria-current=${on === one ? "true" : "false"} onClick=${() => { tab.value = one; }}>${t(`step.${one}`)}</button>`)}</nav>
    <div class="step-body">
      ${isPlumbing && html`<p class="quiet">${t("step.plumbing")}</p>`}
      ${error && on !== "raw" && on !== "why" && html`<${Failure} error=${error} again=${again} />`}
      ${there?.basic_info.error && html`<p class="error"><b>✕ ${there.basic_info.error.code === -1 ? "" : there.basic_info.error.code}</b> <${LongText} text=${there.basic_info.error.msg} /></p>`}
      <${Body} on=${on} step=${there} path=${path} id=${id} project=${project} before=${before} isMoved=${isMoved} />
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

/** @param {{step: Step}} props */
function Facts({ step }) {
  const { basic_info: basic, model_info: model, metadata } = step;
  const at = Number(basic.started_at);
  /** @type {[string, unknown][]} */
  const facts = [
    [t("fact.time"), duration(Number(basic.duration))],
    [t("fact.model"), metadata.model && visible(metadata.model)],
    [t("fact.input"), model && number(Number(model.input_tokens))],
    [t("fact.cached"), Number(model?.input_read_cached_tokens) > 0 && number(Number(model?.input_read_cached_tokens))],
    [t("fact.output"), model && number(Number(model.output_tokens))],
    [t("fact.reasoning"), Number(model?.reasoning_tokens) > 0 && number(Number(model?.reasoning_tokens))],
    [t("fact.first"), model?.latency_first_resp && duration(Number(model.latency_first_resp))],
    [t("fact.started"), html`<time datetime=${new Date(at).toISOString()} title=${moment(at)}>${clock(at)}</time>`],
  ];
  return facts.filter(([, value]) => value).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`);
}
