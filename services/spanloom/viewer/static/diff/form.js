/** The form for the two runs to compare: a hint on the list, and two fields for ids. */
import { t } from "../i18n/index.js";
import { change } from "../state/place.js";
import { html } from "../ui/html.js";
import { idIn } from "./sides.js";

/** @param {{a: string, b: string}} props the ids that the URL already has */
export function DiffForm({ a, b }) {
  /** @param {SubmitEvent} event */
  const compare = (event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    change({ a: idIn(String(given.get("a"))), b: idIn(String(given.get("b"))), av: null, bv: null }, true);
  };
  /** @param {Event} event */
  const check = (event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    field.setCustomValidity(idIn(field.value) ? "" : t("diff.id"));
  };
  return html`<section class="notice ask"><h2>${t("diff.which")}</h2><p>${t("diff.how", { key: "x" })}</p>
    <form onSubmit=${compare}>
      <label>${t("diff.first")}<input name="a" class="code" required autocomplete="off" spellcheck=${false} defaultValue=${a} placeholder=${t("diff.id")} onInput=${check} /></label>
      <label>${t("diff.second")}<input name="b" class="code" required autocomplete="off" spellcheck=${false} defaultValue=${b} placeholder=${t("diff.id")} onInput=${check} /></label>
      <button class="main">${t("diff.compare")}</button></form></section>`;
}
