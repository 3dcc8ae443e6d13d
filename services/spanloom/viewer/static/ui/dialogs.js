/** The two dialogs of every page: the API key, and the help on keyboard shortcuts. */
import { useLayoutEffect, useRef } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { isLocked, useKey } from "../api.js";
import { t } from "../i18n/index.js";
import { html } from "./html.js";
import { areOn, shortcuts } from "./keys.js";

export const isHelpOpen = signal(false);
export const isKeyAsked = signal(false);

/** @param {{isOpen: boolean, close: () => void, label: string, children?: unknown}} props */
export function Dialog({ isOpen, close, label, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => { // before the next key press, which belongs to the dialog
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return html`<dialog ref=${dialog} aria-label=${label} onClose=${close}>${isOpen && children}</dialog>`;
}

/** Asks for an API key, which is kept in this tab only. */
export function KeyDialog() {
  const isOpen = isLocked.value || isKeyAsked.value;
  const close = () => {
    isKeyAsked.value = isLocked.value = false;
  };
  /** @param {SubmitEvent} event */
  const take = (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    useKey(String(new FormData(form).get("key") ?? "").trim());
    location.reload();
  };
  return html`<${Dialog} isOpen=${isOpen} close=${close} label=${t("key.title")}>
    <form onSubmit=${take}>
      <h2>${t("key.title")}</h2>
      <p>${t("key.why")}</p>
      <label>${t("key.label")} <input name="key" type="password" autocomplete="off" spellcheck=${false} autofocus /></label>
      <p class="quiet">${t("key.kept")}</p>
      <p class="ends"><button type="button" onClick=${close}>${t("cancel")}</button>
        <button class="main">${t("key.use")}</button></p>
    </form>
  <//>`;
}

/** Lists the keyboard shortcuts of this page. */
export function HelpDialog() {
  const close = () => {
    isHelpOpen.value = false;
  };
  return html`<${Dialog} isOpen=${isHelpOpen.value} close=${close} label=${t("help.title")}>
    <h2>${t("help.title")}</h2>
    <dl class="keys">${shortcuts.value.map((one) => html`<dt><kbd>${one.key === " " ? "␣" : one.key}</kbd></dt><dd>${t(one.says)}</dd>`)}</dl>
    <label class="check"><input type="checkbox" checked=${areOn.value}
      onChange=${(/** @type {Event} */ event) => { areOn.value = /** @type {HTMLInputElement} */ (event.target).checked; }} />
      ${t("help.letters")}</label>
    <p class="ends"><button class="main" onClick=${close}>${t("close")}</button></p>
  <//>`;
}
