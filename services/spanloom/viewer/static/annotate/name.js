/** The annotator's name: entered once, kept in this browser, not verified, and shown as such. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { annotator } from "../state/reader.js";
import { html, visible } from "../ui/html.js";

const MOST = 100;

/** @param {{done?: () => void}} props */
export function NameForm({ done }) {
  /** @param {SubmitEvent} event */
  const take = (event) => {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name") ?? "").trim();
    if (!name) return;
    annotator.value = name;
    done?.();
  };
  return html`<form class="name-form" onSubmit=${take}>
    <label>${t("annotate.name")} <input name="name" required maxlength=${MOST} pattern=".*\\S.*" autocomplete="name" spellcheck=${false} value=${annotator.value} autofocus /></label>
    <button class="main">${t("annotate.begin")}</button>
    <p class="quiet">${t("annotate.name.means")}</p></form>`;
}

export function Name() {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return html`<${NameForm} done=${() => setOpen(false)} />`;
  return html`<button class="plain who" title=${t("annotate.name.means")} onClick=${() => setOpen(true)}><bdi>${visible(annotator.value)}</bdi> <span class="quiet">${t("annotate.unverified")}</span></button>`;
}
