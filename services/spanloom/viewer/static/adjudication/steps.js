/** The table of steps to adjudicate: each annotator's annotation, and the decision. */
import { fieldName, isWrong, subtypesOf, weightOf, worded } from "../annotate/scheme.js";
import { number, t } from "../i18n/index.js";
import { rowOf } from "../tree/outline.js";
import { newId } from "../annotate/keep.js";
import { sendJson } from "../api.js";
import { annotator } from "../state/reader.js";
import { none } from "../judging/parts.js";
import { html, line, visible } from "../ui/html.js";
import { useEffect, useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { change, place } from "../state/place.js";
import { useKeys } from "../ui/frame.js";
import { asError } from "../ui/fetched.js";

// Formats annotations of a step or a run as text, with the labels of the form.

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("../annotate/pieces.js").Place} Place */
/** @typedef {import("../annotate/pieces.js").Correction} Correction */

/** The type of an error and its severity. @param {{error_type: string, error_subtype: string, severity: string}} value */
export function errorOf({ error_type: type, error_subtype: subtype, severity }) {
  return [[type, subtype].filter(Boolean).map(worded).join(" › "), worded(severity)].filter(Boolean).join(", ");
}

/** A line for each member of an annotation's value: fields about the run, corrected texts, marked passages. @param {Record<string, any>} value @param {Outline} outline @returns {string[]} */
export function linesOf({ corrections, spans, ...members }, outline) {
  return [
    ...Object.entries(members).filter(([, value]) => value !== null).map(([name, value]) => `${fieldName(name)}: ${name === "decisive_step" ? stepName(outline, String(value)) : textOf(value)}`),
    ...(corrections ?? []).map((/** @type {Correction} */ one) => `${t("corrections.edited")}: ${one.edited}`),
    ...(spans ?? []).map((/** @type {Place} */ { text, type = "", subtype = "", severity = "" }) => [`“${text}”`, errorOf({ error_type: type, error_subtype: subtype, severity })].filter(Boolean).join(" ")),
  ];
}

/** The name of a step, or its id if it no longer exists. @param {Outline} outline @param {string} id */
function stepName(outline, id) {
  const row = rowOf(outline, id);
  return row < 0 ? id : outline.names[outline.name[row]];
}

/** @param {unknown} value */
const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));

// Reads the annotations of a run's steps, in the order of the run, and stores decisions.

/**
 * @typedef {import("../records.js").AnnotationItem} Annotation
 * @typedef {{step: string, at: number, annotations: Map<string, Annotation>, decided: Annotation | null, quote: string}} Row `at`: the row of the step in the outline; -1 for the whole run or a step that no longer exists
 */

const FIELDS = /** @type {const} */ (["correctness", "error_type", "error_subtype", "severity", "rationale"]);
/** Suffix of the name under which decisions are stored, so that they differ from the adjudicator's own annotations. */
const SUFFIX = " (adjudication)";

/** The name under which decisions are stored. */
export const decider = () => (annotator.value ? annotator.value + SUFFIX : "");

/** @param {Annotation[]} items @param {import("../tree/outline.js").Outline} outline @returns {Row[]} in the order of the run, the run as a whole first */
export function rowsOf(items, outline) {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const annotation of items) {
    const step = annotation.stands_at || annotation.step_id;
    const row = rows.get(step) ?? { step, at: step ? rowOf(outline, step) : -1, annotations: new Map(), decided: null, quote: annotation.quote };
    if (annotation.origin === "adjudication") row.decided = annotation;
    else row.annotations.set(annotation.annotator, annotation);
    rows.set(step, row);
  }
  return [...rows.values()].sort((a, b) => (a.step === "" ? -1 : b.step === "" ? 1 : a.at - b.at));
}

/** The compared fields of an annotation as JSON: all fields except its rationale. @param {Annotation} annotation */
const answer = ({ correctness, error_type, error_subtype, severity, value }) => JSON.stringify([correctness, error_type, error_subtype, severity, value.decisive_step, value.responsible_agent]);

/** Whether annotators judged the step differently. @param {Row} row */
export const differs = (row) => new Set([...row.annotations.values()].map(answer)).size > 1;

/** Whether annotators judged the step differently and no decision is stored. @param {Row} row */
export const isOpen = (row) => differs(row) && !row.decided;

/** The number of steps of the run that still need a decision; -1 while unknown. */
export const left = signal(-1);

/** The fields of an annotation that are stored as the decision. @param {Partial<Annotation>} annotation */
export function editOf(annotation) {
  const texts = Object.fromEntries(FIELDS.map((name) => [name, annotation[name] ?? ""]));
  return { ...texts, ...(annotation.value && Object.keys(annotation.value).length ? { value: annotation.value } : {}) };
}

/** Store a decision. @param {string} trace @param {string | undefined} project @param {string} scheme @param {string} step @param {object} edit */
export function decide(trace, project, scheme, step, edit) {
  const item = { write_id: newId(), step_id: step, ...edit };
  return sendJson("POST", `/v1/trajectories/${trace}/annotations`, { scheme, origin: "adjudication", items: [item] }, { project }, decider());
}

// The form for the decision on one step, with the same choices as the annotators' form.

/** @param {{row: Row, scheme: import("../annotate/scheme.js").Scheme, outline: import("../tree/outline.js").Outline, store: (edit: object) => void}} props */
export function Decision({ row, scheme, outline, store }) {
  const annotation = row.decided;
  if (!scheme.correctness_options.length) return annotation ? linesOf(annotation.value, outline).map((one, at) => html`${at > 0 && html`<br />`}<b>${line(one, 200)}</b>`) : none();
  return html`<span class="options" role="group" aria-label=${t("adjudication.decision")}>${scheme.correctness_options.map((one) => html`<button aria-pressed=${String(annotation?.correctness === one)} disabled=${!annotator.value}
      onClick=${() => store({ correctness: one })}>${visible(worded(one))}</button>`)}</span>
    ${annotation && isWrong(scheme, annotation.correctness) && html`<${ErrorForm} annotation=${annotation} scheme=${scheme} store=${store} />`}`;
}

/** The form fields for a wrong step: type, subtype and severity of its error, and the rationale. @param {{annotation: Annotation, scheme: import("../annotate/scheme.js").Scheme, store: (edit: object) => void}} props */
function ErrorForm({ annotation, scheme, store }) {
  const subtypes = subtypesOf(scheme, annotation.error_type);
  /** The weight of a severity, as the form shows it. @param {string} severity */
  const weight = (severity) => (weightOf(scheme, severity) ? ` −${number(weightOf(scheme, severity))}` : "");
  /** @param {"error_type" | "error_subtype" | "severity"} field @param {string} label @param {string[]} options @param {(name: string) => string} [more] */
  const choice = (field, label, options, more = () => "") => options.length > 0 && html`<select aria-label=${label} value=${annotation[field]} onChange=${(/** @type {globalThis.Event} */ event) => store({ [field]: /** @type {HTMLSelectElement} */ (event.target).value })}>
    <option value="">${label}</option>${options.map((one) => html`<option value=${one} title=${scheme.definitions[one]}>${visible(worded(one))}${more(one)}</option>`)}</select>`;
  return html`<span class="options">${choice("error_type", t("measure.error_type"), scheme.error_types.map(({ name }) => name))}
    ${choice("error_subtype", t("field.subtype"), subtypes)}
    ${choice("severity", t("measure.severity"), scheme.severities.map(({ name }) => name), weight)}</span>
    <textarea key=${annotation.revision} rows="2" aria-label=${t("field.why")} placeholder=${t("field.why")} defaultValue=${annotation.rationale} maxlength="20000"
      onChange=${(/** @type {globalThis.Event} */ event) => store({ rationale: /** @type {HTMLTextAreaElement} */ (event.target).value })}></textarea>`;
}

// The rows of steps.

/** @typedef {import("../annotate/scheme.js").Scheme} Scheme */

/** Media query: the step is below the table (style/judging.css). */
const IS_BELOW = "(max-width: 860px)";

/** @param {{rows: Row[], scheme: Scheme, isAll: boolean, trace: string, project: string | undefined, again: () => void, outline: Outline}} props */
export function Steps({ rows, scheme, isAll, trace, project, again, outline }) {
  const [failed, setFailed] = useState(/** @type {{step: string, why: string} | null} */ (null));
  const people = [...new Set(rows.flatMap((row) => [...row.annotations.keys()]))].sort();
  const shown = isAll ? rows : rows.filter((row) => differs(row) || row.decided);
  /** @param {string} step @param {object} edit */
  const store = (step, edit) => decide(trace, project, scheme.name, step, edit).then(() => { setFailed(null); again(); }, (why) => setFailed({ step, why: asError(why).message }));
  const active = shown.find((row) => row.step === place.value.query.step) ?? shown.find(isOpen) ?? shown[0];
  useEffect(() => { left.value = rows.filter(isOpen).length; return () => { left.value = -1; }; }, [rows]);
  useEffect(() => { if (active?.at >= 0 && !place.peek().query.step && !matchMedia(IS_BELOW).matches) change({ step: active.step }); }, [active?.step]);
  const next = () => {
    const order = [...shown, ...shown].slice(shown.indexOf(active) + 1);
    const row = order.find(isOpen);
    if (row) show(row.step);
  };
  /** @param {KeyboardEvent} event */
  const take = ({ key }) => {
    const annotation = active?.annotations.get(people[Number(key) - 1]);
    if (annotation && annotator.peek()) void store(active.step, editOf(annotation));
  };
  useKeys([
    ...people.slice(0, 9).map((_, at) => ({ key: String(at + 1), label: /** @type {const} */ ("key.take"), run: take })),
    { key: "n", label: "key.undecided", run: next },
  ], [rows, active?.step, isAll]);
  if (!shown.length) return html`<p>${rows.length ? t("adjudication.alike") : t("adjudication.nothing")}</p>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label=${t("adjudication.title")}><table class="sheet-table decisions stacked">
    <thead><tr><th>${t("judging.step")}</th>${people.map((who, at) => html`<th><bdi>${visible(who)}</bdi>${at < 9 && html` <kbd>${at + 1}</kbd>`}</th>`)}<th>${t("adjudication.decision")}</th></tr></thead>
    <tbody>${shown.map((row) => html`<tr key=${row.step} class="${differs(row) ? "differ" : ""} ${row === active ? "me" : ""}" aria-current=${row === active ? "true" : null}>
      <td><${StepName} row=${row} outline=${outline} /></td>
      ${people.map((who) => html`<td data-label=${visible(who)}><div><${Adoptable} annotation=${row.annotations.get(who)} scheme=${scheme} outline=${outline} take=${(/** @type {Annotation} */ annotation) => store(row.step, editOf(annotation))} /></div></td>`)}
      <td data-label=${t("adjudication.decision")}><div><${Decision} row=${row} scheme=${scheme} outline=${outline} store=${(/** @type {object} */ edit) => store(row.step, edit)} />${failed?.step === row.step && html`<p class="refusal" role="alert">${t("adjudication.unstored", failed)}</p>`}</div></td></tr>`)}</tbody></table></div>`;
}

/** Show the texts of a step: next to the table, or below it in a narrow window, scrolled into view. @param {string} step */
function show(step) {
  change({ step });
  requestAnimationFrame(() => {
    if (matchMedia(IS_BELOW).matches) document.querySelector(".sides-by .step")?.scrollIntoView();
  });
}

/** @param {{row: Row, outline: Outline}} props */
function StepName({ row, outline }) {
  if (!row.step) return html`${t("units.whole")}`;
  if (row.at < 0) return html`<span class="quiet">${t("adjudication.gone")}</span> ${line(row.quote, 80)}`;
  const kind = outline.kinds[outline.kind[row.at]];
  return html`<button class="plain k-${kind}" onClick=${() => show(row.step)}><span class="kind">${kind}</span> <bdi>${line(outline.names[outline.name[row.at]], 40)}</bdi></button>`;
}

/** One annotator's annotation of one step, ready to be adopted as the decision. @param {{annotation: Annotation | undefined, scheme: Scheme, outline: Outline, take: (annotation: Annotation) => void}} props */
function Adoptable({ annotation, scheme, outline, take }) {
  if (!annotation) return none();
  const more = errorOf(annotation);
  const means = [annotation.error_type, annotation.error_subtype].map((name) => scheme.definitions[name]).filter(Boolean).join(" · ");
  const lines = [
    annotation.correctness && html`<b>${visible(worded(annotation.correctness))}</b>`,
    more && html`<span title=${means}>${visible(more)}</span>`,
    annotation.rationale && html`<span class="quiet">${line(annotation.rationale, 300)}</span>`,
    ...linesOf(annotation.value, outline).map((one) => html`<span class="quiet">${line(one, 200)}</span>`),
    annotation.state === "changed" && html`<span class="odd">${t("adjudication.changed")}</span>`,
  ];
  return html`${lines.filter(Boolean).map((one) => html`<div>${one}</div>`)}<button class="take" disabled=${!annotator.value} onClick=${() => take(annotation)}>${t("adjudication.take")}</button>`;
}
