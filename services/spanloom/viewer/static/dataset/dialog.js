/** The dialog that converts runs or steps to items of a dataset, previews them, and puts them into a draft or a file. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson, sendJson } from "../api.js";
import { useCollected } from "../export/collect.js";
import { FORMATS } from "../export/formats.js";
import { about, Outcome } from "../export/outcome.js";
import { dataset as en } from "../i18n/en/dataset.js";
import { learn, t } from "../i18n/index.js";
import { dataset as zh } from "../i18n/zh/dataset.js";
import { MAX_NAME, VERSIONED_NAME } from "../choices.js";
import { DEFAULT_PROJECT } from "../service.js";
import { link, place } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { Dialog, Refusal } from "../ui/frame.js";
import { html, line, save, visible } from "../ui/html.js";
import { sendItems } from "./send.js";

learn({ en, zh });

// Converts runs or steps to dataset items. Each item gets the input and, if it is to have a reference answer, also
// the output as that answer. Each run or step that cannot become an item is reported with the reason.

/** @typedef {{trace: string, project?: string, version?: string, step?: string}} Source a run, or one of its steps */
/** @typedef {"input" | "reference"} Role the purpose of the items: inputs to run again, or references to compare with */
/** @typedef {{source: Source, document?: any, error?: string}} Fetched */
/** @typedef {"live" | "noinput" | "nooutput" | "failed" | "nostep" | "unread"} Reason */
/**
 * @typedef {{item_key: string, set: string, input: string, expected: {response?: string, tool_calls?: {name: string, arguments: string}[], trajectory?: any},
 *   splits: string[], metadata: Record<string, unknown>, source: {trace_id: string, project: string, version: number, step_id: string | null}}} Item
 */

/**
 * Return the items to write, and the skipped sources with their reasons.
 * @param {Fetched[]} found @param {Role} role @param {string} set
 * @returns {{items: Item[], skipped: {source: Source, name: string, reason: Reason, detail: string}[]}}
 */
export function plan(found, role, set) {
  /** @type {ReturnType<typeof plan>} */
  const made = { items: [], skipped: [] };
  for (const one of found) {
    const step = one.document && stepOf(one.document, one.source.step);
    const reason = reasonAgainst(one, step, role);
    const name = step?.name || one.source.trace;
    if (reason) made.skipped.push({ source: one.source, name, reason, detail: one.error ?? "" });
    else made.items.push(itemOf(one, step, role, set));
  }
  return made;
}

/** @param {Item[]} items */
export const jsonLines = (items) => items.map((item) => `${JSON.stringify(item)}\n`).join("");

/** @param {any} document @param {string | undefined} id */
function stepOf(document, id) {
  if (!id || id === document.root_step.id) return document.root_step;
  for (const agent of document.agent_steps) {
    const found = agent.id === id ? agent : agent.steps.find((/** @type {any} */ step) => step.id === id);
    if (found) return found;
  }
  return undefined;
}

/** @param {Fetched} one @param {any} step @param {Role} role @returns {Reason | null} */
function reasonAgainst({ document, error }, step, role) {
  if (error || !document) return "unread";
  if (!step) return "nostep";
  if (document.extraction.status === "live") return "live";
  if (!step.input) return "noinput";
  if (role === "input") return null;
  if (step.basic_info.error) return "failed";
  return step.output ? null : "nooutput";
}

/** The suggested role: `reference`, unless no run can be a reference but some can be inputs. @param {Fetched[]} found @returns {Role} */
export function fittingRole(found) {
  const rows = (/** @type {Role} */ role) => plan(found, role, "").items.length;
  return !rows("reference") && rows("input") ? "input" : "reference";
}

/** @param {Fetched} one @param {any} step @param {Role} role @param {string} set @returns {Item} */
function itemOf({ source, document }, step, role, set) {
  const { extraction, id } = document;
  const isWhole = step === document.root_step;
  return {
    item_key: isWhole ? id : `${id}/${step.id}`,
    set,
    input: step.input,
    expected: role === "input" ? {} : { response: step.output, ...(isWhole ? { tool_calls: toolCalls(document), trajectory: document } : {}) },
    splits: [],
    metadata: { name: step.name, type: isWhole ? extraction.root_type : (step.type ?? "agent") },
    source: { trace_id: id, project: extraction.project ?? source.project ?? DEFAULT_PROJECT, version: extraction.version, step_id: isWhole ? null : step.id },
  };
}

/** The tools that ran, in the order in which they began. @param {any} document */
function toolCalls(document) {
  const tools = document.agent_steps.flatMap((/** @type {any} */ agent) => agent.steps.filter((/** @type {any} */ step) => step.type === "tool"));
  tools.sort((/** @type {any} */ a, /** @type {any} */ b) => Number(a.basic_info.started_at) - Number(b.basic_info.started_at));
  return tools.map((/** @type {any} */ step) => ({ name: step.name, arguments: step.input }));
}

// The dialog.

const SHOWN = 20;
/** Formats of runs whose items are rows of datasets in other systems. */
const ROWS = new Set(["chat", "coze-dataset", "databricks", "langsmith", "mlflow-eval", "openai"]);
const FORMS = FORMATS.filter(({ id }) => ROWS.has(id));

/** Fetch the document of a source in its version. @param {Source} source @returns {Promise<Fetched>} */
async function fetched(source) {
  const path = `/v1/trajectories/${source.trace}`;
  const whole = source.version ? `${path}/versions/${source.version}` : path;
  try {
    return { source, document: await getJson(whole, { project: source.project }) };
  } catch (error) {
    return { source, error: error instanceof Error ? error.message : String(error) };
  }
}

/** @param {{sources: Source[], close: () => void}} props */
export function DatasetDialog({ sources, close }) {
  const [found, setFound] = useState(/** @type {Fetched[]} */ ([]));
  const [name, setName] = useState("");
  const [wanted, setRole] = useState(/** @type {Role | null} */ (null));
  useEffect(() => {
    let isOpen = true;
    void (async () => {
      for (const source of sources) {
        if (!isOpen) return;
        const one = await fetched(source);
        setFound((before) => [...before, one]);
      }
    })();
    return () => { isOpen = false; };
  }, []);
  const [form, setForm] = useState(""); // the id of a format; empty: Spanloom's format for items
  const collected = useCollected();
  const format = FORMS.find(({ id }) => id === form);
  const isOther = sources.every(({ step, version }) => !step && !version);
  useEffect(() => {
    collected.stop();
    if (format) void collected.start(sources, format, format.many);
  }, [form]);
  const role = wanted ?? fittingRole(found);
  const { items, skipped } = plan(found, role, name.trim());
  const isReady = format ? !collected.isRunning && (collected.made?.written ?? 0) > 0 : items.length > 0 && found.length === sources.length;
  /** @param {Event} [event] */
  const write = (event) => {
    event?.preventDefault();
    const body = format ? new Blob(collected.made?.parts) : jsonLines(items);
    save(body, "application/jsonl", `${name.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-") || "dataset"}${format ? `.${form}` : ""}.jsonl`);
    close();
  };
  const put = usePut(name.trim(), items, role);
  return html`<${Dialog} isOpen=${true} close=${close} label=${t("dataset.title")}>
    <form class="dataset-form" onSubmit=${format ? write : put.send}><h2>${t("dataset.title")}</h2>
      ${!format && html`<p class="quiet">${t("dataset.why")}</p>`}
      <label>${t("dataset.name")} <input name="name" required maxlength=${MAX_NAME} pattern=${VERSIONED_NAME} title=${t("dataset.name.rule")} list="datasets" autocomplete="off" autofocus value=${name} onInput=${(/** @type {Event} */ event) => setName(/** @type {HTMLInputElement} */ (event.target).value)} /></label>
      <datalist id="datasets">${put.names.map((/** @type {string} */ one) => html`<option key=${one} value=${one} />`)}</datalist>
      <label>${t("dataset.form")} <select name="form" value=${form} disabled=${!isOther} onChange=${(/** @type {Event} */ event) => setForm(/** @type {HTMLSelectElement} */ (event.target).value)}>
        <option value="">Spanloom</option>${FORMS.map(({ id }) => html`<option key=${id} value=${id}>${id}</option>`)}</select></label>
      <p class="quiet">${format ? about(form) : !isOther && t("dataset.form.whole")}</p>
      ${format ? html`<${Outcome} state=${collected} n=${sources.length} />` : html`<fieldset><legend>${t("dataset.role")}</legend>${["reference", "input"].map((one) => html`<label class="check"><input type="radio" name="role" checked=${role === one} onChange=${() => setRole(/** @type {Role} */ (one))} /> ${t(/** @type {"dataset.role.input"} */ (`dataset.role.${one}`))}</label>`)}</fieldset>
      <p role="status">${found.length < sources.length ? t("dataset.reading", { at: found.length, n: sources.length }) : t("dataset.rows", { n: items.length })}</p>
      <${Preview} items=${items} /><${Skipped} list=${skipped} />`}
      ${put.outcome}
      <p class="ends"><button type="button" onClick=${close}>${t(put.isDone ? "close" : "cancel")}</button>
        ${format ? html`<button class="main" disabled=${!isReady}>${t("dataset.save")}</button>` : html`<button type="button" disabled=${!isReady} onClick=${() => write()}>${t("dataset.save")}</button>
          <button class="main" disabled=${!isReady || put.isDone}>${t("dataset.put")}</button>`}</p>
    </form><//>`;
}

/** Puts rows into the draft of a dataset, which is created if it does not exist. @param {string} name @param {Item[]} items @param {Role} role */
function usePut(name, items, role) {
  const { project } = place.value.query;
  const { data } = useFetched("/v1/datasets", { project });
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [done, setDone] = useState(/** @type {(import("./send.js").Taken & {of: string}) | null} */ (null));
  const of = JSON.stringify([name, role, items.length]);
  const names = (data?.items ?? []).map((/** @type {{name: string}} */ one) => one.name);
  /** @param {SubmitEvent} event */
  const send = async (event) => {
    event.preventDefault();
    const path = `/v1/datasets/${part(name)}`;
    try {
      if (!names.includes(name)) await sendJson("PUT", path, {}, { project });
      const taken = await sendItems(path, items.map((item) => ({ item, size: JSON.stringify(item).length })), project);
      setDone({ ...taken, of });
      setError(null);
    } catch (failed) {
      setError(asError(failed));
    }
  };
  const isDone = done?.of === of;
  const outcome = html`<${Refusal} error=${error} />${isDone && html`<p role="status" class="done">${t("dataset.put.done", { stored: done.stored, unchanged: done.unchanged, rejected: done.rejected })}${" "}
      <a class="button" href=${link("/datasets", { name, project })}>${t("dataset.put.open", { name: line(name, 60) })}</a></p>
    ${done.refused.length > 0 && html`<ul>${done.refused.slice(0, SHOWN).map((one) => html`<li key=${one.at}><code>${line(one.item_key, 60)}</code>: ${visible(one.reason)}</li>`)}</ul>`}`}`;
  return { names, send, isDone, outcome };
}

/** @param {{items: Item[]}} props */
function Preview({ items }) {
  if (!items.length) return "";
  return html`<div class="rows-of" tabindex="0" role="region" aria-label=${t("dataset.preview")}><table class="sides"><thead><tr><th>${t("column.name")}</th><th>${t("step.input")}</th><th>${t("dataset.expected")}</th></tr></thead>
    <tbody>${items.slice(0, SHOWN).map((one) => html`<tr><td>${line(String(one.metadata.name), 40)} <span class="quiet">v${one.source.version}</span></td><td>${line(one.input, 100)}</td><td>${line(one.expected.response ?? "–", 100)}</td></tr>`)}</tbody></table>
    ${items.length > SHOWN && html`<p class="quiet">${t("json.more", { n: items.length - SHOWN })}</p>`}</div>`;
}

/** @param {{list: ReturnType<typeof plan>["skipped"]}} props */
function Skipped({ list }) {
  if (!list.length) return "";
  return html`<p class="bad">${t("dataset.skipped", { n: list.length })}</p>
    <ul>${list.slice(0, SHOWN).map((one) => html`<li><bdi>${line(one.name, 60)}</bdi>: ${t(/** @type {"dataset.not.live"} */ (`dataset.not.${one.reason}`))} ${one.detail}</li>`)}</ul>`;
}
