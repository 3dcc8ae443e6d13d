/** Exporting and importing annotations, as JSON lines or as a task for Potato. */
import { useState } from "../vendor/hooks.js";
import { ApiError, getBytes, sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { Refusal } from "../ui/frame.js";
import { change, place } from "../state/place.js";
import { asError, useFetched } from "../ui/fetched.js";
import { html, visible } from "../ui/html.js";
import { Judging } from "../judging/frame.js";

// Imports files: first shows what would be stored, then stores it.

/** @typedef {import("../records.js").ImportFinding} Finding */
/** @typedef {import("../records.js").ImportReport} Report */
/** @typedef {{path: string, text: string}} Given */

/** The path of a file relative to the parent of the chosen folder; without a chosen folder, its name. @param {File} file */
const pathOf = (file) => /** @type {{webkitRelativePath?: string}} */ (file).webkitRelativePath || file.name;

/** Whether a file's extension is that of Spanloom's JSON lines; other files are from Potato. @param {string} path */
const isOurs = (path) => /\.(jsonl|ndjson)$/.test(path);

/** Parse a line to an entry; nothing for a blank line. @param {string} line @param {string} path @param {number} at */
function entryOf(line, path, at) {
  if (!line.trim()) return [];
  try {
    return [JSON.parse(line)];
  } catch {
    throw new ApiError(0, t("exchange.nojson", { path, line: at + 1 }));
  }
}

/** Send files to the service, Spanloom's lines as entries and Potato's files unchanged; return the response. @param {Given[]} files @param {boolean} isDry */
async function send(files, isDry) {
  const params = { project: place.peek().query.project, dry_run: isDry ? "true" : "" };
  /** @type {{from: string, report: Report}[]} */
  const reports = [];
  for (const { path, text } of files.filter((one) => isOurs(one.path))) {
    const entries = text.split("\n").flatMap((line, at) => entryOf(line, path, at));
    reports.push({ from: path, report: await sendJson("POST", "/v1/annotations/import", entries, params) });
  }
  const theirs = files.filter((one) => !isOurs(one.path));
  if (theirs.length) reports.push({ from: theirs.map((one) => one.path).join(", "), report: await sendJson("POST", "/v1/annotations/potato", { files: theirs }, params) });
  return reports;
}

/** The chosen files to read; of a folder, only the files with annotations. @param {FileList | null} chosen */
async function readAll(chosen) {
  const wanted = [...(chosen ?? [])].filter((file) => !pathOf(file).includes("/") || /(user_state\.json|items\.json|\.csv|\.jsonl)$/.test(file.name));
  return Promise.all(wanted.map(async (file) => ({ path: pathOf(file), text: await file.text() })));
}

export function Import() {
  const [files, setFiles] = useState(/** @type {Given[]} */ ([]));
  const [reports, setReports] = useState(/** @type {{from: string, report: Report}[]} */ ([]));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  /** @param {Given[]} given @param {boolean} isDry */
  const run = async (given, isDry) => {
    try {
      setReports(await send(given, isDry));
      setError(null);
    } catch (failed) {
      setReports([]);
      setError(asError(failed));
    }
  };
  /** @param {Event} event */
  const choose = async (event) => {
    const given = await readAll(/** @type {HTMLInputElement} */ (event.target).files);
    setFiles(given);
    if (given.length) await run(given, true);
  };
  const isTried = reports.length > 0 && reports[0].report.dry_run;
  return html`<p class="quiet">${t("exchange.in.about")}</p>
    <p class="across"><label class="file">${t("exchange.files")} <input type="file" multiple accept=".jsonl,.ndjson,.json,.csv" onChange=${choose} /></label>
      <label class="file">${t("exchange.folder")} <input type="file" webkitdirectory onChange=${choose} /></label></p>
    <${Refusal} error=${error} />
    <div role="status">${reports.map(({ from, report }) => html`<${ImportReport} key=${from} from=${from} report=${report} />`)}</div>
    ${isTried && html`<p><button class="main" onClick=${() => run(files, false)}>${t("exchange.import")}</button></p>`}`;
}

/** @param {{from: string, report: Report}} props */
function ImportReport({ from, report }) {
  const sum = t(report.dry_run ? "exchange.would" : "exchange.did", { added: report.added, there: report.there });
  const rows = [...report.refused.map((one) => ({ ...one, isError: true })), ...report.flags.map((one) => ({ ...one, isError: false }))];
  return html`<section class="report"><h3><bdi>${visible(from)}</bdi></h3><p>${sum}</p>
    ${rows.length > 0 && html`<table class="sheet-table stacked"><thead><tr><th class="number">${t("exchange.line")}</th><th>${t("exchange.what")}</th><th>${t("exchange.why")}</th></tr></thead>
      <tbody>${rows.map(({ line, detail, isError }) => html`<tr><td class="number" data-label=${t("exchange.line")}>${line}</td><td class=${isError ? "wrong" : "odd"} data-label=${t("exchange.what")}>${isError ? `✕ ${t("exchange.refused")}` : `⚠ ${t("exchange.kept")}`}</td><td data-label=${t("exchange.why")}>${visible(detail)}</td></tr>`)}</tbody></table>`}</section>`;
}

// The page.

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

/** Let the browser save bytes as a file. @param {ArrayBuffer} bytes @param {string} name */
function save(bytes, name) {
  const url = URL.createObjectURL(new Blob([bytes]));
  const way = document.createElement("a");
  [way.href, way.download] = [url, name];
  way.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
