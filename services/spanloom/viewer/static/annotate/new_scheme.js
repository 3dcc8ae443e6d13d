/** A new scheme: the YAML that Potato reads, from a file, pasted, or begun from an example. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { visible } from "../ui/visible.js";
import { loadSchemes } from "./current.js";
import { EXAMPLES, namesIn } from "./scheme_text.js";

/** @typedef {{line: number, key: string, reason: string}} Remark */

/** @param {{close: () => void}} props */
export function NewScheme({ close }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [text, setText] = useState("");
  const [faults, setFaults] = useState(/** @type {string[]} */ ([]));
  const [stored, setStored] = useState(/** @type {{name: string, remarks: Remark[]}[]} */ ([]));
  useEffect(() => { dialog.current?.showModal(); }, []);
  /** @param {string} written */
  const write = (written) => { setText(written); setFaults([]); setStored([]); };
  const put = async () => {
    const names = namesIn(text);
    if (!names.length) return setFaults([t("scheme.nameless")]);
    try {
      const all = [];
      for (const name of names) all.push(await sendJson("PUT", `/v1/schemes/${encodeURIComponent(name)}`, { text }, { project: place.peek().query.project }));
      setStored(all);
      setFaults([]);
      await loadSchemes();
      change({ annotate: names[0] }, true);
    } catch (error) {
      const { errors = [], message } = /** @type {import("../api.js").ApiError} */ (error);
      setFaults(errors.length ? errors.map((one) => one.detail) : [message]);
    }
  };
  return html`<dialog ref=${dialog} class="wide" aria-label=${t("annotate.new")} onClose=${close}>
    <h2>${t("annotate.new")}</h2>
    <p class="quiet">${t("scheme.means")}</p>
    <p class="examples"><label class="button">${t("scheme.file")} <input class="sr" type="file" accept=".yaml,.yml,.json" onChange=${async (/** @type {Event} */ event) => write((await /** @type {HTMLInputElement} */ (event.target).files?.[0]?.text()) ?? "")} /></label>
      ${t("scheme.example")} ${Object.entries(EXAMPLES).map(([kind, example]) => html`<button onClick=${() => write(example)}>${kind}</button>`)}</p>
    <textarea class="code" rows="16" aria-label=${t("scheme.text")} spellcheck=${false} value=${text} onInput=${(/** @type {Event} */ event) => write(/** @type {HTMLTextAreaElement} */ (event.target).value)}></textarea>
    ${faults.length > 0 && html`<ul class="faults" role="alert">${faults.map((one) => html`<li>${visible(one)}</li>`)}</ul>`}
    ${stored.map((one) => html`<div role="status"><p>${t("scheme.stored", { name: visible(one.name) })} ${one.remarks.length > 0 && t("scheme.remarks", { n: one.remarks.length })}</p>
      <ul class="remarks">${one.remarks.map(({ line, key, reason }) => html`<li><button class="plain" onClick=${() => showLine(dialog.current, line)}>${t("scheme.line", { line })}</button> <code>${visible(key)}</code> ${visible(reason)}</li>`)}</ul></div>`)}
    <p class="ends"><button onClick=${() => dialog.current?.close()}>${t("close")}</button><button class="main" disabled=${!text.trim()} onClick=${put}>${t("scheme.put")}</button></p>
  </dialog>`;
}

/** Select a line of the text. @param {HTMLElement | null} within @param {number} number from 1 */
function showLine(within, number) {
  const area = within?.querySelector("textarea");
  if (!area) return;
  const before = area.value.split("\n").slice(0, number - 1).join("\n").length;
  const from = number > 1 ? before + 1 : 0;
  const end = area.value.indexOf("\n", from);
  area.focus();
  area.setSelectionRange(from, end < 0 ? area.value.length : end);
}
