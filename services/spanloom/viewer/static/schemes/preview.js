/** A preview of the annotators' form for a scheme that is being written; its choices can be tried, and nothing is stored. */
import { asksMore, lettersOf, shapeOf, subtypesOf, worded } from "../annotate/scheme.js";
import { t } from "../i18n/index.js";
import { html, visible } from "../ui/html.js";
import { useState } from "../vendor/hooks.js";

/** @typedef {import("../records.js").SchemeForm} Form */

/** @param {{form: Form}} props */
export function Preview({ form }) {
  const [mark, setMark] = useState(/** @type {Record<string, string>} */ ({}));
  const scheme = /** @type {import("../annotate/scheme.js").Scheme} */ (/** @type {unknown} */ (form));
  /** @param {string} field @param {string} name */
  const turn = (field, name) => setMark({ ...mark, [field]: mark[field] === name ? "" : name });
  const letters = lettersOf([...form.severities, ...form.error_types].map(({ name }) => name));
  const severities = form.severities.map(({ name, weight }, k) => ({ name, letter: letters[k], more: weight ? `−${weight}` : "" }));
  const types = form.error_types.map(({ name }, k) => ({ name, letter: letters[severities.length + k] }));
  const subtypes = subtypesOf(scheme, mark.type ?? "").map((name) => ({ name }));
  const hasMore = asksMore(scheme, mark.option ?? "") || (!form.correctness_options.length && types.length + severities.length > 0);
  /** @param {"type" | "subtype" | "severity"} field @param {{name: string, letter?: string, more?: string}[]} choices */
  const row = (field, choices) => choices.length > 0 && html`<div class="choice" role="group" aria-label=${t(`field.${field}`)}><span class="quiet">${t(`field.${field}`)}</span><span class="buttons">
    ${choices.map(({ name, letter, more }) => html`<button aria-pressed=${String(mark[field] === name)} onClick=${() => turn(field, name)}>${letter && html`<kbd>${letter}</kbd> `}${visible(worded(name))}${more && html` <b class="weight">${more}</b>`}</button> `)}</span></div>`;
  return html`<section class="form-preview" aria-label=${t("scheme.preview", { name: form.name })}><h2>${t("scheme.preview", { name: visible(form.name) })}</h2>
    ${form.description && html`<p>${visible(form.description)}</p>`}
    <div class="options">${form.correctness_options.map((option, k) => html`<button class="option" aria-pressed=${String(mark.option === option)} onClick=${() => turn("option", option)}>${k < 9 && html`<kbd>${k + 1}</kbd> `}<i class="mark m-${shapeOf(scheme, option)}" aria-hidden="true"></i> ${visible(worded(option))}</button> `)}</div>
    ${hasMore && html`<div class="more-asked">${row("type", types)}${row("subtype", subtypes)}${row("severity", severities)}<p class="quiet">${t("field.why")} …</p></div>`}
    ${!form.correctness_options.length && !hasMore && html`<p class="quiet">${t("scheme.preview.run")}</p>`}</section>`;
}
