/** A view in the menu, and the actions on it. */
import { useState } from "../vendor/hooks.js";
import { ApiError, sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { asError } from "../ui/fetched.js";
import { html, line } from "../ui/html.js";
import { open, parametersOf } from "./opening.js";
import { faultOfName, faultsHere, keep } from "./own.js";

/** @typedef {import("./opening.js").ListPage} ListPage */
/** A view; without an id it is stored only in this browser. @typedef {Omit<import("./opening.js").View, "id" | "project" | "page" | "changed_by" | "changed_at" | "revision" | "format"> & Partial<import("./opening.js").View>} Shown */

/** Runs changes of views and stores the result; after a conflict the views are loaded again. @param {() => void} again */
export function useChange(again) {
  const [error, setError] = useState(/** @type {ApiError | null} */ (null));
  const [notice, setNotice] = useState("");
  /** @param {Promise<unknown>} change @param {string} [words] @param {() => void} [done] */
  const run = (change, words = "", done = () => {}) => change.then(
    () => { setError(null); setNotice(words); done(); again(); },
    (why) => { const failed = asError(why); setNotice(""); setError(failed); if (failed.status === 409) again(); });
  return { error, notice, run, refuse: (/** @type {string} */ why) => setError(new ApiError(422, why)) };
}

/** @param {{error: ApiError | null, notice: string, children?: unknown}} props */
export const Trouble = ({ error, notice, children }) => html`<p class="refusal" role="alert">${error?.message ?? ""}</p>${children}<p class="quiet" role="status">${notice}</p>`;

/** @param {{of: ListPage, view: Shown, again: () => void}} props */
export function Row({ of, view, again }) {
  const [isOpen, setOpen] = useState(false);
  const faults = [...view.faults, ...faultsHere(of, view.parameters)];
  const name = line(view.name, 60);
  const pick = () => (faults.length ? setOpen(true) : open(view.name, view.parameters));
  return html`<li><button class="plain" onClick=${pick}><bdi>${name}</bdi>${faults.length > 0 && html` <span class="bad">⚠</span>`}</button>
      <span class="quiet">${view.default && t("views.is.default")} <bdi>${view.owner && line(view.owner, 24)}</bdi></span>
      <button aria-expanded=${String(isOpen)} aria-label=${t("views.more", { name })} title=${t("views.more", { name })} onClick=${() => setOpen(!isOpen)}>⋯</button></li>
    ${isOpen && html`<li><div>
      ${faults.map((one) => html`<p role="note"><code>${one.parameter}</code> ${one.detail}</p>`)}
      ${faults.length > 0 && !faults.some((one) => one.parameter === "format") && html`<button onClick=${() => open(view.name, view.parameters)}>${t("views.anyway")}</button>`}
      <${Deeds} of=${of} view=${view} again=${again} /></div></li>`}`;
}

/** @param {{of: ListPage, view: Shown, again: () => void}} props */
function Deeds({ of, view, again }) {
  const [typed, type] = useState(view.name);
  const { error, notice, run, refuse } = useChange(again);
  const { id, revision, project, name, parameters } = view;
  const path = `/v1/views/${id}`;
  /** @param {string} to @param {Record<string, string>} wanted */
  const change = (to, wanted) => run(id ? sendJson("PUT", path, { name: to, parameters: wanted, revision }, { project }) : Promise.resolve(keep(of, to, wanted, name)), t("views.stored"));
  /** @param {string} as */
  const make = (as) => run(sendJson("POST", "/v1/views", { page: of, name: as, parameters }, { project }), t("views.stored"));
  const remove = () => {
    if (!id) keep(of, name, null);
    else if (confirm(t("views.delete.sure", { name: line(name, 60) }))) run(sendJson("DELETE", path, {}, { project, revision }));
  };
  /** @param {SubmitEvent} event */
  const rename = (event) => {
    event.preventDefault();
    const to = typed.trim();
    if (faultOfName(to)) refuse(faultOfName(to));
    else change(to, parameters);
  };
  return html`<form class="save" onSubmit=${rename}><input value=${typed} required pattern=".*\\S.*" aria-label=${t("views.rename.to", { name: line(name, 60) })} onInput=${(/** @type {Event} */ event) => type(/** @type {HTMLInputElement} */ (event.target).value)} />
      <button>${t("views.rename")}</button></form>
    <button onClick=${() => change(name, parametersOf(location.search))}>${t("views.replace")}</button>
    ${id ? html`<button onClick=${() => run(sendJson("PUT", `${path}/default`, { default: !view.default }, { project }))}>${t(view.default ? "views.default.not" : "views.default")}</button>`
      : html`<button onClick=${() => make(name)}>${t("views.share")}</button>`}
    <button onClick=${remove}>${t("views.delete")}</button>
    <${Trouble} error=${error} notice=${notice}>${error?.status === 404 && html`<button onClick=${() => make(typed.trim())}>${t("views.anew")}</button>`}<//>`;
}
