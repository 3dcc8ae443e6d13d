/** The page of inter-annotator agreement: measures, their counts, and the steps on which annotators differ. */
import { Confusions, Measures, Units } from "../agreement/figures.js";
import { t } from "../i18n/index.js";
import { Judging } from "../judging/frame.js";
import { change, place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html } from "../ui/html.js";

/** The request parameters of the comparison that the URL names. */
export function comparison() {
  const { scheme = "", queue, from, to, changed, project } = place.value.query;
  return { scheme, queue, since: from && `${from}T00:00:00Z`, until: to && `${to}T00:00:00Z`, with_changed: changed ? "true" : "", project };
}

export function Page() {
  const { scheme } = place.value.query;
  const { data, error, again } = useFetched(scheme ? "/v1/agreement" : "", comparison());
  return html`<${Judging} title=${t("agreement.title")}>
    <${Choices} />
    ${!scheme && html`<p class="quiet">${t("agreement.choose")}</p>`}
    ${error && html`<${Failure} error=${error} again=${again} />`}
    ${data && scheme && !error && html`<p class="across">${t("agreement.of", { rows: data.annotations, runs: data.trajectories })}
        ${data.left_out > 0 && html`<span class="quiet">${t("agreement.left", { n: data.left_out })}</span>`}</p>
      ${data.measures.length === 0 ? html`<p>${t("agreement.nothing")}</p>` : html`
        <${Measures} title=${t("agreement.all")} rows=${data.measures.map((/** @type {any} */ m) => ({ label: "", measure: m, pick: {} }))} />
        <${Confusions} measures=${data.measures} />
        <${Apart} title=${t("agreement.by.agent")} of=${data.by_agent} name="agent" />
        <${Apart} title=${t("agreement.by.type")} of=${data.by_step_type} name="step_type" />
        <${Units} comparison=${comparison()} />`}`}
  <//>`;
}

/** @param {{title: string, of: Record<string, any[]>, name: "agent" | "step_type"}} props */
function Apart({ title, of, name }) {
  const rows = Object.entries(of).flatMap(([label, measures]) => measures.map((measure) => ({ label, measure, pick: { [name]: label } })));
  return rows.length > 0 && html`<${Measures} title=${title} rows=${rows} />`;
}

/** The choices of scheme, queue and time. */
function Choices() {
  const { scheme = "", queue = "", from = "", to = "", changed, project } = place.value.query;
  const schemes = useFetched("/v1/schemes", { project }).data;
  const queues = useFetched("/v1/queues", { project }).data?.items ?? [];
  const names = [...new Set([...(schemes?.items ?? []), ...(schemes?.presets ?? [])].map((one) => one.name))];
  /** @param {string} name */
  const set = (name) => (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    const ofQueue = name === "queue" && queues.find((/** @type {{name: string}} */ one) => one.name === value);
    change({ [name]: value, ...(ofQueue ? { scheme: ofQueue.scheme } : {}), measure: null, a: null, b: null, va: null, vb: null, agent: null, step_type: null }, true);
  };
  return html`<div class="across asked">
    <label>${t("queue.scheme")} <select value=${scheme} onChange=${set("scheme")}><option value="">…</option>${names.map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
    <label>${t("agreement.queue")} <select value=${queue} onChange=${set("queue")}><option value="">${t("agreement.every")}</option>${queues.map((/** @type {{name: string}} */ one) => html`<option value=${one.name}>${one.name}</option>`)}</select></label>
    <label>${t("agreement.from")} <input type="date" value=${from} onChange=${set("from")} /></label>
    <label>${t("agreement.to")} <input type="date" value=${to} onChange=${set("to")} /></label>
    <label class="check"><input type="checkbox" checked=${Boolean(changed)} onChange=${() => change({ changed: changed ? null : "1" }, true)} /> ${t("agreement.changed")}</label>
  </div>`;
}
