/** Keys: lists, creates and revokes them; a new key is shown once. */
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { SCOPES } from "../choices.js";
import { asError, useFetched } from "../ui/fetched.js";
import { Refusal } from "../ui/frame.js";
import { Refused } from "./refused.js";
import { Copy } from "../step/text.js";
import { html, line } from "../ui/html.js";

/** @typedef {{id: string, project: string | null, scopes: string[], created_at: string, expires_at: string | null, revoked_at: string | null, last_used_at: string | null}} Key */

export function Keys() {
  const { data, error } = useFetched("/v1/keys");
  const [rows, setRows] = useState(/** @type {Key[] | null} */ (null));
  /** @type {Key[]} */
  const keys = rows ?? data?.items ?? [];
  /** @param {Key} changed */
  const keep = (changed) => setRows([changed, ...keys.filter((one) => one.id !== changed.id)]);
  return html`<h2>${t("settings.keys")}</h2><${Refused} error=${error} />
    ${data && html`${!keys.length && html`<p class="quiet">${t("settings.keys.none")}</p>`}<${NewKey} made=${keep} />
      ${keys.length > 0 && html`<div class="wide"><table class="sheet-table"><thead><tr>${/** @type {const} */ (["id", "project", "scopes", "created", "expires", "used"]).map((name) => html`<th>${t(`key.column.${name}`)}</th>`)}<th><span class="sr">${t("key.revoke")}</span></th></tr></thead>
        <tbody>${keys.map((key) => html`<${Row} key=${key.id} of=${key} keep=${keep} />`)}</tbody></table></div>`}`}`;
}

/** @param {{of: Key, keep: (key: Key) => void}} props */
function Row({ of: key, keep }) {
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const revoke = () => { if (confirm(t("key.revoke.sure", { id: key.id }))) sendJson("DELETE", `/v1/keys/${key.id}`, {}).then(keep, (why) => setError(asError(why))); };
  return html`<tr><th scope="row"><code>${key.id}</code></th><td>${key.project === null ? t("key.all") : line(key.project, 40)}</td><td>${key.scopes.join(", ")}</td>
    <td>${day(key.created_at)}</td><td>${key.expires_at ? day(key.expires_at) : t("key.never")}</td><td>${key.last_used_at ? day(key.last_used_at) : "–"}</td>
    <td>${key.revoked_at ? t("key.revoked", { at: day(key.revoked_at) }) : html`<button onClick=${revoke}>${t("key.revoke")}</button>`}<${Refusal} error=${error} /></td></tr>`;
}

/** @param {string} rfc3339 */
const day = (rfc3339) => new Date(rfc3339).toLocaleDateString();

/** @param {{made: (key: Key) => void}} props */
function NewKey({ made }) {
  const [key, setKey] = useState("");
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  /** @param {SubmitEvent} event */
  const make = (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const given = new FormData(form);
    const project = String(given.get("project") ?? "").trim();
    sendJson("POST", "/v1/keys", { project: project || null, scopes: given.getAll("scope") }).then(
      ({ key: secret, ...item }) => { setKey(secret); setError(null); made(item); form.reset(); }, (why) => setError(asError(why)));
  };
  return html`<form class="across" onSubmit=${make}><label>${t("key.column.project")} <input name="project" autocomplete="off" placeholder=${t("key.all")} /></label>
      ${SCOPES.map((scope) => html`<label class="check"><input type="checkbox" name="scope" value=${scope} /> ${scope}</label>`)}
      <button class="main">${t("key.make")}</button></form><${Refusal} error=${error} />
    ${key && html`<p role="status">${t("key.once")} <code>${key}</code> <${Copy} text=${key} /></p>`}`;
}
