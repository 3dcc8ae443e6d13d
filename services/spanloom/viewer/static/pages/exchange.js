/** Annotations as files: out as lines of JSON or as a task for Potato, and in from either. */
import { useState } from "../vendor/hooks.js";
import { getBytes } from "../api.js";
import { Import } from "../exchange/import.js";
import { t } from "../i18n/index.js";
import { Judging } from "../judging/frame.js";
import { Refusal } from "../ui/frame.js";
import { change, place } from "../state/place.js";
import { asError, useFetched } from "../ui/fetched.js";
import { html } from "../ui/html.js";

export function Page() {
  return html`<${Judging} title=${t("exchange.title")}><p class="quiet">${t("exchange.about")}</p><h2>${t("exchange.out")}</h2><${Export} /><h2>${t("exchange.in")}</h2><${Import} /><//>`;
}

function Export() {
  const { scheme = "", queue = "", project } = place.value.query;
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const schemes = useFetched("/v1/schemes", { project }).data;
  const queues = useFetched("/v1/queues", { project }).data?.items ?? [];
  const names = [...new Set([...(schemes?.items ?? []), ...(schemes?.presets ?? [])].map((one) => one.name))];
  /** @param {string} name */
  const set = (name) => (/** @type {Event} */ event) => change({ [name]: /** @type {HTMLSelectElement} */ (event.target).value });
  /** @param {string} path @param {import("../api.js").Params} params @param {string} file */
  const fetchFile = (path, params, file) => getBytes(path, params).then((bytes) => { setError(null); save(bytes, file); }, (failed) => setError(asError(failed)));
  return html`<div class="across asked">
      <label>${t("queue.scheme")} <select value=${scheme} onChange=${set("scheme")}><option value="">${t("exchange.every")}</option>${names.map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
      <label>${t("agreement.queue")} <select value=${queue} onChange=${set("queue")}><option value="">${t("agreement.every")}</option>${queues.map((/** @type {{name: string}} */ one) => html`<option value=${one.name}>${one.name}</option>`)}</select></label></div>
    <p class="across"><button class="main" onClick=${() => fetchFile("/v1/annotations", { scheme, project }, "annotations.jsonl")}>${t("exchange.jsonl")}</button>
      <button class="main" onClick=${() => fetchFile("/v1/annotations/potato", { scheme, queue, project }, "potato-task.zip")}>${t("exchange.potato")}</button>
      <span class="quiet">${t("exchange.potato.means")}</span></p>
    <${Refusal} error=${error} />`;
}

/** Hand bytes to the browser as a file. @param {ArrayBuffer} bytes @param {string} name */
function save(bytes, name) {
  const url = URL.createObjectURL(new Blob([bytes]));
  const way = document.createElement("a");
  [way.href, way.download] = [url, name];
  way.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
