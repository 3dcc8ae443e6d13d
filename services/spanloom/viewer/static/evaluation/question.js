/** A form field for a query that selects runs, with the same suggestions as the search box of the run list. */
import { useRef } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { useOffers } from "../list/offers.js";
import { html, line, visible } from "../ui/html.js";

/** @typedef {import("../api.js").InputError} InputError */

/** @param {{id: string, label: string, text: string, setText: (text: string) => void, errors?: InputError[], placeholder?: string}} props `errors`: the errors of the request that contained the text */
export function QuestionBox({ id, label, text, setText, errors = [], placeholder = t("filter.example") }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const { offers, at, look, take, press } = useOffers(input, setText, "trajectories");
  return html`<div class="question-box"><label for=${id}>${label}</label>
    <span class="combo"><input id=${id} name=${id} ref=${input} value=${text} spellcheck=${false} autocomplete="off" placeholder=${placeholder} maxlength="2000"
      role="combobox" aria-autocomplete="list" aria-expanded=${String(offers.length > 0)} aria-controls="offers-${id}" aria-activedescendant=${at < 0 ? null : `offer-${id}-${at}`}
      aria-invalid=${String(errors.length > 0)} aria-describedby="fault-${id}" onKeyDown=${press} onFocus=${look} onBlur=${() => look(null)}
      onInput=${(/** @type {Event} */ event) => { setText(/** @type {HTMLInputElement} */ (event.target).value); void look(event); }} />
      <ul id="offers-${id}" class="offers" role="listbox" aria-label=${t("filter.offers")} hidden=${!offers.length}>${offers.map((one, i) => html`<li id="offer-${id}-${i}" role="option" aria-selected=${String(i === at)}
        onPointerDown=${(/** @type {Event} */ event) => { event.preventDefault(); take(one); }}><code>${line(one.text.trim(), 80)}</code> <span>${one.hint}</span></li>`)}</ul></span>
    <div id="fault-${id}" class="fault" role="alert">${errors.map((one) => html`<${Fault} text=${text} error=${one} mend=${setText} />`)}</div></div>`;
}

/** Characters of a long query that are shown on each side of its error. */
const AROUND = 60;

/** An error with its position and its suggestions. @param {{text: string, error: InputError, mend: (text: string) => void}} props */
function Fault({ text, error, mend }) {
  const points = [...text];
  const at = error.position ?? points.length;
  const end = at + (error.length ?? 0);
  /** @param {string} word */
  const mended = (word) => [...points.slice(0, at), word, ...points.slice(end)].join("");
  return html`<p><code>${at > AROUND && "…"}${points.slice(Math.max(0, at - AROUND), at).join("")}<mark>${points.slice(at, end).join("") || "␣"}</mark>${points.slice(end, end + AROUND).join("")}</code>
    <span>${visible(error.detail)}</span>${(error.did_you_mean ?? []).map((word) => html` <button type="button" onClick=${() => mend(mended(word))}>${t("filter.meant", { word })}</button>`)}</p>`;
}
