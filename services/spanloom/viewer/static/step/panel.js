/** What one step was given, what it gave, and how that is known. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { DatasetButton } from "../dataset/button.js";
import { duration, moment } from "../format.js";
import { signal } from "../vendor/signals.js";
import { number, t } from "../i18n/index.js";
import { html } from "../ui/html.js";
import { visible } from "../ui/visible.js";
import { Json, parsed } from "./json.js";
import { Messages, Value, areMessages } from "./messages.js";
import { tab } from "./prose.js";
import { Raw } from "./raw.js";
import { Copy, LongText } from "./text.js";

/**
 * A step of the document.
 * @typedef {{id: string, type: string, name: string, input: string, output: string, metadata: Record<string, string>,
 *   basic_info: {started_at: string, duration: string, error?: {code: number, msg: string}},
 *   model_info?: Record<string, number | string>}} Step
 */

/** What shows a text in place of `LongText`: an annotator marks places in it. @type {import("../vendor/signals.js").Signal<any>} */
export const markedText = signal(null);
const TABS = /** @type {const} */ (["said", "markdown", "text", "json", "raw", "why"]);

/**
 * @param {{path: string, id: string, name: string, kind: string, project?: string, version?: string}} props
 *   `path`: of the trajectory in the API; `version`: the one to show, where it must be no other
 */
export function StepPanel({ path, id, name, kind, project, version }) {
  const [step, setStep] = useState(/** @type {Step | null} */ (null));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  useEffect(() => {
    const until = new AbortController();
    setError(null);
    getJson(`${path}/steps/${id}`, { project, version }, until.signal).then(setStep, (failed) => {
      if (until.signal.aborted) return;
      setStep(null);
      setError(failed);
    });
    return () => until.abort();
  }, [path, id, project, version]);
  const there = step?.id === id ? step : null;
  const isPlumbing = error?.status === 404;
  const on = isPlumbing && tab.value !== "why" ? "raw" : tab.value;
  return html`<header class="step-head k-${kind}"><h2><b class="kind">${kind}</b> <bdi>${visible(name)}</bdi></h2>
      <p class="ids"><code>${id}</code> <${Copy} text=${id} /> <${Copy} text=${location.href} label=${t("step.link")} /> ${there && html`<${DatasetButton} class="copy" sources=${[{ trace: path.split("/")[3], project, version, step: id }]} key=${id} />`}</p>
      ${there && html`<${Facts} step=${there} />`}</header>
    <nav class="tabs" aria-label=${t("step.views")}>${TABS.filter((one) => !isPlumbing || one === "raw" || one === "why").map((one) => html`<button
      aria-current=${on === one ? "true" : "false"} onClick=${() => { tab.value = one; }}>${t(`step.${one}`)}</button>`)}</nav>
    <div class="step-body">
      ${isPlumbing && html`<p class="quiet">${t("step.plumbing")}</p>`}
      ${error && !isPlumbing && html`<p role="alert">${error.message}</p>`}
      ${there?.basic_info.error && html`<p class="error"><b>✕ ${there.basic_info.error.code === -1 ? "" : there.basic_info.error.code}</b> <${LongText} text=${there.basic_info.error.msg} /></p>`}
      <${Body} on=${on} step=${there} path=${path} id=${id} project=${project} />
    </div>`;
}

/** @param {{on: string, step: Step | null, path: string, id: string, project?: string}} props */
function Body({ on, step, path, id, project }) {
  if (on === "raw") return html`<${Raw} path=${`${path}/spans/${id}`} project=${project} />`;
  if (on === "why") return html`<${Why} path=${path} id=${id} project=${project} step=${step} />`;
  if (!step) return "";
  return html`<${Side} title=${t("step.input")} text=${step.input} on=${on} isInput=${true} /><${Side} title=${t("step.output")} text=${step.output} on=${on} isInput=${false} />`;
}

/** @param {{title: string, text: string, on: string, isInput: boolean}} props */
function Side({ title, text, on, isInput }) {
  const value = parsed(text);
  const shown = !text ? html`<p class="quiet">${t("step.nothing")}</p>`
    : on === "text" ? html`<${markedText.value ?? LongText} text=${text} field=${isInput ? "input" : "output"} />`
    : on === "json" && value !== undefined ? html`<${Json} value=${value} />`
    : areMessages(value) ? html`<${Messages} messages=${value} isFolded=${isInput} isAnswer=${!isInput} />`
    : html`<${Value} text=${text} />`;
  return html`<section class="side"><h3>${title} ${text && html`<${Copy} text=${text} />`}</h3>${shown}</section>`;
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
    [t("fact.started"), html`<time title=${new Date(at).toISOString()}>${moment(at)}</time>`],
  ];
  return html`<dl class="facts">${facts.filter(([, value]) => value).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** @param {{path: string, id: string, project?: string, step: Step | null}} props */
function Why({ path, id, project, step }) {
  const [spans, setSpans] = useState(/** @type {any[] | null} */ (null));
  useEffect(() => {
    getJson(`${path}/spans`, { project }).then((told) => setSpans(told.spans), () => setSpans([]));
  }, [path, project]);
  if (!spans) return html`<p class="quiet">…</p>`;
  const own = spans.find((one) => one.span_id === id);
  const merged = spans.filter((one) => one.step_id === id && one.span_id !== id);
  return html`${own ? html`<dl class="attributes"><dt>${t("why.dialect")}</dt><dd><code>${own.dialect}</code></dd><dt>${t("why.rule")}</dt><dd><code>${own.rule}</code></dd>
      <dt>${t("why.counts")}</dt><dd>${own.step_id === id ? t("why.self") : own.step_id ? html`<code>${own.step_id}</code>` : t("why.none")}</dd></dl>` : html`<p>${t("why.unknown")}</p>`}
    ${merged.length > 0 && html`<h4>${t("why.merged", { n: merged.length })}</h4><ul>${merged.map((one) => html`<li><code>${one.span_id}</code> ${visible(one.name ?? "")} <span class="quiet">${one.rule}</span></li>`)}</ul>`}
    ${step && html`<h4>${t("why.metadata")}</h4><${Json} value=${step.metadata} />`}`;
}
