/** Importing and exporting the items of a dataset as JSON lines. */
import { useState } from "../vendor/hooks.js";
import { ApiError, getStream, pieces } from "../api.js";
import { sendItems } from "../dataset/send.js";
import { t } from "../i18n/index.js";
import { asError, part } from "../ui/fetched.js";
import { html, save, visible } from "../ui/html.js";
import { Sheet } from "./frame.js";

/** @typedef {import("../dataset/send.js").Taken} Taken */

/** Parse items from JSON lines; invalid lines are refused here. @param {string} text @returns {{given: {at: number, item: unknown, size: number}[], refused: Taken["refused"]}} */
export function itemsIn(text) {
  /** @type {ReturnType<typeof itemsIn>} */
  const found = { given: [], refused: [] };
  for (const [at, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    try {
      found.given.push({ at: at + 1, item: JSON.parse(line), size: line.length });
    } catch {
      found.refused.push({ at: at + 1, item_key: "", reason: t("items.nojson") });
    }
  }
  return found;
}

/** Send the items in a file to the draft; refused items are reported with their line in the file. @param {string} path of the dataset @param {string} text @param {string | undefined} project @returns {Promise<Taken>} */
async function send(path, text, project) {
  const { given, refused } = itemsIn(text);
  const taken = await sendItems(path, given, project);
  for (const one of taken.refused) one.at = given[one.at].at;
  return { ...taken, rejected: taken.rejected + refused.length, refused: [...refused, ...taken.refused] };
}

/** Fetch the items of a version, or of the draft, as JSON lines. @param {string} path @param {import("../api.js").Params} params */
async function fetched(path, params) {
  const stream = await getStream(`${path}/items`, params, undefined, "application/x-ndjson");
  /** @type {string[]} */
  const rows = [];
  for await (const lines of pieces(stream, /\n/)) rows.push(...lines);
  if (!rows.pop()?.startsWith('{"end":true')) throw new ApiError(0, t("items.cut"));
  return rows.map((row) => `${row}\n`);
}

/** @param {{of: import("../records.js").DatasetItem, version: string | undefined, project: string | undefined, taken: (taken: Taken) => void, failed: (error: ApiError | null) => void}} props */
export function FileButtons({ of: { name, versions, draft_items: draft }, version, project, taken, failed }) {
  const [isBusy, setBusy] = useState(false);
  const path = `/v1/datasets/${part(name)}`;
  /** @param {Promise<void>} work */
  const wait = (work) => { setBusy(true); work.then(() => failed(null), (why) => failed(asError(why))).finally(() => setBusy(false)); };
  /** @param {Event} event */
  const read = (event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    const [file] = field.files ?? [];
    if (file) wait(file.text().then((text) => send(path, text, project)).then(taken).finally(() => { field.value = ""; }));
  };
  const store = () => wait(fetched(path, { project, version }).then((rows) => save(new Blob(rows), "application/jsonl", `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}${version ? `@${version}` : ""}.jsonl`)));
  const n = version ? versions.find((one) => String(one.version) === version)?.items : draft;
  return html`${!version && html`<label class="file">${t("items.import")} <input type="file" accept=".jsonl,.ndjson,.json" disabled=${isBusy} title=${t("items.import.means")} onChange=${read} /></label>`}
    <button disabled=${isBusy || !n} onClick=${store}>${t("items.export")}</button>${isBusy && html`<span class="quiet" role="status">…</span>`}`;
}

/** The result of an import. @param {{of: Taken}} props */
export function Report({ of: { stored, unchanged, rejected, refused } }) {
  return html`<section class="report"><p role="status">${t("items.taken", { stored, unchanged, rejected })}</p>
    ${refused.length > 0 && html`<${Sheet} label=${t("items.refused")}><thead><tr><th class="number">${t("items.line")}</th><th>${t("row.key")}</th><th>${t("items.why")}</th></tr></thead>
      <tbody>${refused.slice(0, 100).map((one) => html`<tr key=${one.at}><td class="number" data-label=${t("items.line")}>${one.at}</td><td data-label=${t("row.key")}><bdi>${visible(one.item_key) || "–"}</bdi></td><td data-label=${t("items.why")}>${visible(one.reason)}</td></tr>`)}</tbody><//>`}</section>`;
}
