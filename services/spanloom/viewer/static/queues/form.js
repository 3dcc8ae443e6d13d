/** The form for a queue: its scheme, its runs, its annotators. */
import { useEffect, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { questionOf } from "../list/columns.js";
import { ORDERS } from "../choices.js";
import { Refusal } from "../ui/frame.js";
import { change, place } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { html, useFocusBack } from "../ui/html.js";
import { sendJson } from "../api.js";
import { picked, unpick } from "./next.js";

// The query that fills a queue: entered as in the list, with the number of its runs before the queue is made.

/** @param {{where: string}} props `where`: the filter of the list */
export function Question({ where }) {
  const { project } = place.value.query;
  const [text, setText] = useState(where);
  const [query, setQuery] = useState(where);
  const { data, error } = useFetched("/v1/stats", { where: query, project, metrics: "count" });
  useEffect(() => {
    const calm = setTimeout(() => void questionOf(text).then(setQuery), 300);
    return () => clearTimeout(calm);
  }, [text]);
  return html`<label class="sr" for="queue-where">${t("filter.label")}</label>
    <input id="queue-where" name="where" class="code" value=${text} placeholder=${t("queue.where.all")} spellcheck=${false} aria-describedby="queue-finds"
      onInput=${(/** @type {Event} */ event) => setText(/** @type {HTMLInputElement} */ (event.target).value)} />
    <div id="queue-finds" class="quiet" role="status">${error ? html`<${Refusal} error=${error} />` : data && t("list.count", { n: data.items[0]?.count ?? 0 })}${query !== text.trim() && html` <code>${query}</code>`}</div>`;
}

/** A name is part of URLs, so it has no slash and is neither `.` nor `..`. */
const NAME = "(?!\\.{1,2}$)[^\\/]+";

/** The fields of the form as a request. @param {FormData} given @param {string[]} ids of the runs that were selected */
export function requestOf(given, ids) {
  /** @param {string} name */
  const text = (name) => String(given.get(name) ?? "").trim();
  const isFree = text("mode") === "free";
  const names = text("annotators").split(/[,，\n]/).map((one) => one.trim()).filter(Boolean);
  const of = text("of");
  return {
    scheme: text("scheme"), mode: isFree ? "free" : "assigned", annotators: [...new Set(names)],
    each: Number(text("each")) || 1, order: text("order"), blind: given.has("blind"),
    threshold: text("threshold") ? Number(text("threshold")) / 100 : null, sample: Number(text("sample") || 0) / 100,
    instructions: text("instructions"),
    trace_ids: of === "selected" ? ids : [], gold_trace_ids: of === "gold" ? ids : [],
    where: of === "where" ? text("where") || "steps >= 0" : "", living: of === "where" && given.has("living"),
  };
}

/** @param {{names: string[], project: string | undefined}} props `names`: of existing queues */
export function QueueForm({ names, project }) {
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const { data } = useFetched("/v1/schemes", { project });
  const ids = picked.value;
  const box = useFocusBack();
  /** @type {string[]} */
  const schemes = [...new Set([...(data?.items ?? []), ...(data?.presets ?? [])].map((one) => one.name))];
  /** @param {SubmitEvent} event */
  const make = async (event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const name = String(given.get("name")).trim();
    if (names.includes(name) && !confirm(t("queue.exists", { name }))) return;
    try {
      const wanted = requestOf(given, ids);
      const where = wanted.where && (await questionOf(wanted.where));
      await sendJson("PUT", `/v1/queues/${part(name)}`, { ...wanted, where }, { project });
      unpick();
      change({ new: null, where: null, queue: name }, true);
    } catch (failed) {
      setError(asError(failed));
    }
  };
  return html`<form class="fields" ref=${box} onSubmit=${make}>
    <label>${t("queue.name")}<input name="name" required maxlength="200" pattern=${NAME} title=${t("queue.name.rule")} autofocus /></label>
    <label>${t("queue.scheme")}<select name="scheme" required key=${schemes.length}>${schemes.map((name) => html`<option>${name}</option>`)}</select></label>
    <${Runs} ids=${ids} />
    <label class="full">${t("queue.annotators")}<input name="annotators" placeholder="ada, bo" autocomplete="off" /></label>
    <fieldset class="full"><legend>${t("queue.mode")}</legend>
      <label class="check"><input type="radio" name="mode" value="assigned" defaultChecked=${true} /> ${t("queue.assigned.means")}</label>
      <label class="check"><input type="radio" name="mode" value="free" /> ${t("queue.free.means")}</label></fieldset>
    <label>${t("queue.each")}<input name="each" type="number" min="1" max="50" defaultValue="2" /></label>
    <label>${t("queue.order")}<select name="order">${ORDERS.map((one) => html`<option value=${one}>${t(`order.${one}`)}</option>`)}</select></label>
    <label>${t("queue.threshold")}<input name="threshold" type="number" min="0" max="100" step="any" placeholder=${t("queue.never")} /></label>
    <label>${t("queue.sample")}<input name="sample" type="number" min="0" max="100" step="any" placeholder="0" /></label>
    <label class="check full"><input type="checkbox" name="blind" /> ${t("queue.blind.means")}</label>
    <label class="full">${t("queue.instructions")}<textarea name="instructions" rows="3" maxlength="20000"></textarea></label>
    <${Refusal} error=${error} />
    <p class="ends full"><button type="button" onClick=${() => change({ new: null, where: null })}>${t("cancel")}</button><button class="main">${t("queue.make")}</button></p>
  </form>`;
}

/** The choice of runs: the selected runs of the list, or the results of a query. @param {{ids: string[]}} props */
function Runs({ ids }) {
  const { where = "" } = place.value.query;
  const hasIds = ids.length > 0;
  const [of, setOf] = useState(hasIds && !where ? "selected" : "where");
  /** @param {string} value @param {string} label */
  const choice = (value, label) => html`<label class="check"><input type="radio" name="of" value=${value} checked=${of === value} onChange=${() => setOf(value)} /> ${label}</label>`;
  return html`<fieldset class="full"><legend>${t("queue.runs")}</legend>
    ${hasIds && choice("selected", t("queue.of.selected", { n: ids.length }))}
    ${hasIds && choice("gold", t("queue.of.gold", { n: ids.length }))}
    ${choice("where", t("queue.of.where"))}
    ${choice("none", t("queue.of.none"))}
    ${of === "where" && html`<${Question} where=${where} />
      <label class="check"><input type="checkbox" name="living" /> ${t("queue.living.means")}</label>`}</fieldset>`;
}
