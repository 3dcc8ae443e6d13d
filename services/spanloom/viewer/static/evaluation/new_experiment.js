/** The form that starts an experiment: the items or runs to judge, and the evaluators. */
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { questionOf } from "../list/columns.js";
import { MAX_NAME, VERSIONED_NAME } from "../choices.js";
import { change, place } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { html, line, useFocusBack, visible } from "../ui/html.js";
import { errorsAt } from "./frame.js";
import { QuestionBox } from "./question.js";
import { findingsIn, Written } from "./written.js";

/** @typedef {import("../api.js").ApiError} ApiError */
/** @typedef {import("../records.js").DatasetItem} Dataset */

/** Example evaluators. */
const EXAMPLES = {
  match: "- name: path\n  kind: match\n  mode: in_order\n  args: subset\n",
  rules: "- name: limits\n  kind: rules\n  rules: {max_tool_calls: 10, errors: handled}\n",
  where: '- name: short\n  kind: where\n  expr: "steps < 20 and not error"\n',
};

/** The request as YAML with JSON scalars. The evaluators are indented and start after `before` lines, so that errors can be shown at their lines. @param {{dataset: string, where: string, since: string, limit: number, repeats: number}} fields @param {string} evaluators @returns {{text: string, before: number}} */
export function requestText({ dataset, where, since, limit, repeats }, evaluators) {
  const runs = { where, ...(since ? { since } : {}), limit };
  const head = [dataset ? `dataset: ${JSON.stringify(dataset)}` : `runs: ${JSON.stringify(runs)}`, `repeats: ${repeats}`];
  if (!evaluators.trim()) return { text: `${head.join("\n")}\n`, before: head.length };
  const lines = evaluators.split("\n").map((one) => `  ${one}`);
  return { text: `${[...head, "evaluators:", ...lines].join("\n")}\n`, before: head.length + 1 };
}

/** @param {{project: string | undefined, names: string[]}} props `names`: of existing experiments */
export function NewExperiment({ project, names }) {
  const given = place.value.query;
  const { data } = useFetched("/v1/datasets", { project });
  const stored = useFetched("/v1/evaluators", { project }).data?.items ?? [];
  const [isOfRuns, setOfRuns] = useState(false);
  const [where, setWhere] = useState("");
  const [text, setText] = useState("");
  const [failed, setFailed] = useState(/** @type {{error: ApiError, sent: string, before: number} | null} */ (null));
  const [isThere, setThere] = useState(false);
  const box = useFocusBack();
  const choices = (data?.items ?? []).flatMap((/** @type {Dataset} */ one) => one.versions.toReversed().map(({ version, items }) => ({ value: `${one.name}@${version}`, items })));
  const hasOwn = (/** @type {string} */ name) => data?.items.some((/** @type {Dataset} */ one) => one.name === name.split("@")[0] && one.evaluators.length > 0);
  const [dataset, setDataset] = useState(given.dataset ?? "");
  const chosen = dataset || (choices[0]?.value ?? "");
  /** @param {SubmitEvent} event */
  const start = async (event) => {
    event.preventDefault();
    const fields = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const name = String(fields.get("name")).trim();
    if (names.includes(name)) { setThere(true); return; }
    const question = isOfRuns ? await questionOf(where) : "";
    const request = requestText({ dataset: isOfRuns ? "" : chosen, where: question, since: String(fields.get("since") ?? "").trim(), limit: Number(fields.get("limit") ?? 1000), repeats: Number(fields.get("repeats") ?? 1) }, text);
    sendJson("PUT", `/v1/experiments/${part(name)}`, request.text, { project }).then(
      () => change({ new: null, dataset: null, name }, true), (why) => setFailed({ error: asError(why), sent: text, before: request.before }));
  };
  const error = failed?.error ?? null;
  const ofRuns = errorsAt(error, "runs.where");
  const others = (error?.errors ?? []).filter((one) => !one.parameter.startsWith("evaluators") && one.parameter !== "runs.where");
  const findings = findingsIn(failed?.sent ?? "", error, failed?.before).filter(({ key }) => key.startsWith("evaluators"));
  const add = (/** @type {string} */ more) => setText((before) => `${before && !before.endsWith("\n") ? `${before}\n` : before}${more}`);
  return html`<form class="fields" ref=${box} onSubmit=${start}>
    <label>${t("experiment.name")}<input name="name" required maxlength=${MAX_NAME} pattern=${VERSIONED_NAME} title=${t("experiment.name.rule")} autocomplete="off" autofocus onInput=${() => setThere(false)} /></label>
    <label>${t("experiment.repeats")}<input name="repeats" type="number" min="1" max="1000" defaultValue="1" /></label>
    ${isThere && html`<p class="refusal full" role="alert">${t("experiment.there")}</p>`}
    <fieldset class="full"><legend>${t("experiment.what")}</legend>
      <label class="check"><input type="radio" name="of" checked=${!isOfRuns} onChange=${() => setOfRuns(false)} /> ${t("experiment.of.dataset")}</label>
      ${!isOfRuns && (choices.length ? html`<select aria-label=${t("experiment.dataset")} value=${chosen} onChange=${(/** @type {Event} */ event) => setDataset(/** @type {HTMLSelectElement} */ (event.target).value)}>${choices.map((/** @type {{value: string, items: number}} */ one) => html`<option key=${one.value} value=${one.value}>${visible(one.value)} (${one.items})</option>`)}</select>` : data && html`<p class="quiet">${t("experiment.no.dataset")}</p>`)}
      <label class="check"><input type="radio" name="of" checked=${isOfRuns} onChange=${() => setOfRuns(true)} /> ${t("experiment.of.runs")}</label>
      ${isOfRuns && html`<${QuestionBox} id="where" label=${t("filter.label")} text=${where} setText=${setWhere} errors=${ofRuns} />
        <p class="across"><label>${t("experiment.since")} <input name="since" size="6" placeholder="7d" /></label> <label>${t("experiment.limit")} <input name="limit" type="number" min="1" max="100000" defaultValue="1000" /></label></p>`}</fieldset>
    <p class="across full"><span class="quiet">${t("written.add")}</span>${Object.entries(EXAMPLES).map(([kind, example]) => html`<button type="button" key=${kind} onClick=${() => add(example)}>${kind}</button>`)}
      ${stored.map((/** @type {{name: string}} */ one) => html`<button type="button" key=${`of ${one.name}`} title=${t("written.stored")} onClick=${() => add(`- ${JSON.stringify(one.name)}\n`)}>${line(one.name, 40)}</button>`)}</p>
    <${Written} label=${t(hasOwn(chosen) && !isOfRuns ? "experiment.evaluators.own" : "experiment.evaluators.text")} text=${text} setText=${setText} error=${others.length || ofRuns.length ? null : error} findings=${findings} sent=${failed?.sent ?? ""} isNeeded=${isOfRuns || !hasOwn(chosen)} />
    ${others.map((one) => html`<p class="refusal full" role="alert">${one.parameter}: ${visible(one.detail).replace(/^line \d+: /, "")}</p>`)}
    <p class="ends full"><button type="button" onClick=${() => change({ new: null, dataset: null })}>${t("cancel")}</button><button class="main" disabled=${!isOfRuns && !chosen}>${t("experiment.start")}</button></p></form>`;
}
