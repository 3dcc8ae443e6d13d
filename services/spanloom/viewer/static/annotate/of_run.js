/** Annotations of the run as a whole: who failed and where, or a note. */
import { t } from "../i18n/index.js";
import { html, line, visible } from "../ui/html.js";
import { say } from "./deeds.js";
import { go, toTree } from "./walk.js";

/** @typedef {import("./session.js").Session} Session */

const MOST = 20_000;

/** Who is responsible, at which step it was decided, and why. @param {{of: Session, i: number}} props */
export function Attribution({ of, i }) {
  const { value } = of.mark("");
  const agents = [...new Set([...of.view.o.agents.filter(Boolean), ...of.scheme.agents, ...(value.responsible_agent ? [value.responsible_agent] : [])])];
  const decisive = of.steps.row(String(value.decisive_step ?? ""));
  /** @param {Record<string, unknown>} members @param {boolean} [isTyping] */
  const put = (members, isTyping) => say(of, "", { value: members }, { isTyping });
  /** @param {KeyboardEvent} event */
  const leave = (event) => { if (event.key === "Escape") { event.preventDefault(); toTree(); } };
  return html`<div class="attribution" onKeyDown=${leave}>
    <label>${t("measure.responsible_agent")} <select value=${value.responsible_agent ?? ""} onChange=${(/** @type {Event} */ event) => put({ responsible_agent: /** @type {HTMLSelectElement} */ (event.target).value || null })}>
      <option value="">–</option>${agents.map((name) => html`<option value=${name} selected=${name === value.responsible_agent}>${visible(String(name))}</option>`)}</select></label>
    <p>${t("measure.decisive_step")} ${decisive >= 0 ? html`<button class="plain" onClick=${() => go(decisive)}>${line(of.view.o.names[of.view.o.name[decisive]], 40)} <code>${value.decisive_step}</code></button> <button onClick=${() => put({ decisive_step: null })}>${t("whole.clear")}</button>` : html`<span class="quiet">${t("whole.none")}</span>`}
      <button disabled=${!of.steps.isStep(i) || decisive === i} onClick=${() => put({ decisive_step: of.steps.id(i) })}>${t("whole.this")} <kbd>!</kbd></button></p>
    <label class="why"><span>${t("field.why")} <kbd>r</kbd></span><textarea class="rationale" rows="3" maxlength=${MOST} value=${value.reason ?? ""} onInput=${(/** @type {Event} */ event) => put({ reason: /** @type {HTMLTextAreaElement} */ (event.target).value }, true)}></textarea></label>
  </div>`;
}

/** @param {{of: Session}} props */
export function Note({ of }) {
  const write = (/** @type {Event} */ event) => say(of, "", { value: { note: /** @type {HTMLTextAreaElement} */ (event.target).value || null } }, { isTyping: true });
  return html`<textarea rows="3" maxlength=${MOST} aria-label=${t("extras.note")} value=${of.mark("").value.note ?? ""} onInput=${write}></textarea>`;
}
