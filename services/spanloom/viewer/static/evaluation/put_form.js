/** A form that stores a definition, written as JSON, under a name. */
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { MAX_NAME, NAME } from "../choices.js";
import { asError, part } from "../ui/fetched.js";
import { html, useFocusBack } from "../ui/html.js";
import { findingsIn, jsonFaults, Written } from "./written.js";

/** @typedef {import("../api.js").ApiError} ApiError */
/** @typedef {import("../ui/source.js").Finding} Finding */

/**
 * The definition in an answer, in the form that `PUT` accepts.
 * @template {object} T
 * @param {T} answer
 * @param {readonly (keyof T & string)[]} members
 */
export const definitionOf = (answer, members) => Object.fromEntries(members.map((name) => [name, answer[name]]));

/** A definition as indented JSON, without members that are not set. @param {Record<string, unknown>} definition */
export const textOf = (definition) => JSON.stringify(Object.fromEntries(Object.entries(definition).filter(([, value]) => isSet(value))), null, 2);

/** @param {unknown} value */
const isSet = (value) => value !== null && value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && !value.length);

/**
 * @param {{path: string, name?: string, names?: string[], first: string, examples?: Record<string, object>, project: string | undefined, label: string,
 *   done: (name: string) => void, close: () => void, tried?: {path: string, label: string, show: (answer: any) => unknown}}} props
 *   `path`: the path of the list, such as `/v1/alerts`; `name`: absent for a new definition, whose name must not
 *   be in `names`; `tried`: sends the text without storing it
 */
export function PutForm({ path, name, names = [], first, examples = {}, project, label, done, close, tried }) {
  const [text, setText] = useState(first);
  const [own, setOwn] = useState("");
  const [failed, setFailed] = useState(/** @type {{error: ApiError | null, findings: Finding[], sent: string} | null} */ (null));
  const [answer, setAnswer] = useState(/** @type {{data: any, sent: string} | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const box = useFocusBack();
  const isThere = !name && names.includes(own.trim());
  /** @param {"PUT" | "POST"} method @param {string} to @param {(data: any) => void} take */
  const send = (method, to, take) => {
    const faults = jsonFaults(text);
    if (faults.length) { setFailed({ error: null, findings: faults, sent: text }); return; }
    setBusy(true);
    sendJson(method, to, text, { project }).then(
      (data) => { setFailed(null); take(data); }, (why) => setFailed({ error: asError(why), findings: findingsIn(text, asError(why)), sent: text })).finally(() => setBusy(false));
  };
  /** @param {Event} event */
  const store = (event) => {
    event.preventDefault();
    const called = name ?? own.trim();
    if (!isThere) send("PUT", `${path}/${part(called)}`, () => done(called));
  };
  return html`<form class="fields" ref=${box} onSubmit=${store}>
    ${name === undefined && html`<label>${t("put.name")}<input name="name" required maxlength=${MAX_NAME} pattern=${NAME} title=${t("put.name.rule")} autocomplete="off" autofocus value=${own} onInput=${(/** @type {Event} */ event) => setOwn(/** @type {HTMLInputElement} */ (event.target).value)} /></label>
      <p class="across"><span class="quiet">${t("put.examples")}</span>${Object.entries(examples).map(([kind, example]) => html`<button type="button" key=${kind} onClick=${() => setText(JSON.stringify(example, null, 2))}>${kind}</button>`)}</p>`}
    ${isThere && html`<p class="refusal full" role="alert">${t("put.there")}</p>`}
    <${Written} label=${label} text=${text} setText=${setText} error=${failed?.error ?? null} findings=${failed?.findings ?? []} sent=${failed?.sent ?? ""} isNeeded />
    ${answer && answer.sent === text && html`<div class="full" role="status">${tried?.show(answer.data)}</div>`}
    <p class="ends full"><button type="button" onClick=${close}>${t("cancel")}</button>${tried && html`<button type="button" disabled=${isBusy || !text.trim()} onClick=${() => send("POST", tried.path, (data) => setAnswer({ data, sent: text }))}>${tried.label}</button>`}<button class="main" disabled=${isBusy}>${t("put.store")}</button></p></form>`;
}
