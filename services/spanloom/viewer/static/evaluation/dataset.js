/** The page of a dataset: its versions, the items of a version, and actions on them. */
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { clock, moment } from "../format.js";
import { t } from "../i18n/index.js";
import { change, link, place } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { Failure, Refusal } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { Pager } from "../ui/pager.js";
import { Sheet } from "./frame.js";
import { Items } from "./items.js";
import { FileButtons, Report } from "./item_files.js";

/** @typedef {import("../records.js").DatasetItem} Dataset */
/** @typedef {import("../records.js").DatasetVersionItem} Version */
/** @typedef {import("../api.js").ApiError} ApiError */

const PAGE = 50;

/** @param {{name: string, project: string | undefined}} props */
export function DatasetView({ name, project }) {
  const { version, cursor, at } = place.value.query;
  const path = `/v1/datasets/${part(name)}`;
  const { data: dataset, error, again } = useFetched(path, { project });
  const items = useFetched(`${path}/items`, { project, version, cursor, limit: PAGE });
  const [refused, setRefused] = useState(/** @type {ApiError | null} */ (null));
  const [notice, setNotice] = useState("");
  const [report, setReport] = useState(/** @type {import("./item_files.js").Taken | null} */ (null));
  const reload = () => { again(); items.again(); };
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!dataset) return html`<p class="quiet">…</p>`;
  /** @param {Promise<any>} answer @param {(answer: any) => string} words */
  const showResult = (answer, words) => answer.then((data) => { setRefused(null); setNotice(words(data)); reload(); }, (failed) => { setNotice(""); setRefused(asError(failed)); });
  const commit = () => showResult(sendJson("POST", `${path}/commit`, {}, { project }),
    (made) => t(dataset.versions.some((/** @type {Version} */ one) => one.version === made.version) ? "dataset.same" : "dataset.made", { n: made.version }));
  /** @param {string} key */
  const remove = (key) => showResult(sendJson("DELETE", `${path}/items/${key.split("/").map(part).join("/")}`, {}, { project }), () => t("dataset.removed", { key: line(key, 60) }));
  const isDraft = !version;
  return html`${dataset.description && html`<p>${visible(dataset.description)}</p>`}
    ${dataset.evaluators.length > 0 && html`<dl class="facts"><div><dt>${t("dataset.evaluators")}</dt><dd>${dataset.evaluators.map((/** @type {Record<string, any>} */ one, /** @type {number} */ i) => html`${i > 0 && ", "}<bdi>${visible(String(one.name ?? ""))}</bdi> <span class="quiet">${visible(String(one.kind ?? ""))}</span>`)}</dd></div></dl>`}
    <p class="across">${isDraft && html`<button class="main" disabled=${!dataset.draft_items} onClick=${commit}>${t("dataset.commit")}</button>`}
      <${FileButtons} of=${dataset} version=${version} project=${project} taken=${(/** @type {import("./item_files.js").Taken} */ taken) => { setReport(taken); reload(); }} failed=${setRefused} />
      ${version && html`<a class="button" href=${link("/experiments", { new: "1", dataset: `${name}@${version}`, project })}>${t("dataset.experiment")}</a>`}
      <a href=${link("/datasets", { project })}>${t("datasets.all")}</a></p>
    <${Refusal} error=${refused} /><p class="fine" role="status">${notice}</p>
    ${report && html`<${Report} of=${report} />`}
    <h2>${t("dataset.versions")}</h2><${Versions} of=${dataset} shown=${version} />
    <h2>${isDraft ? t("dataset.draft") : t("dataset.version", { n: version })}</h2>
    ${items.error ? html`<${Failure} error=${items.error} again=${items.again} />` : items.data && html`<div class=${items.isOld ? "old" : ""}>${items.data.items.length === 0 ? html`<p class="quiet">${t("dataset.empty", { key: "D" })}</p>`
      : html`<${Items} rows=${items.data.items} remove=${isDraft ? remove : null} />
        ${(items.data.next_cursor || cursor) && html`<${Pager} at=${Number(at ?? 0)} n=${items.data.items.length} page=${items.data.items.length} next=${items.data.next_cursor} />`}`}</div>`}`;
}

/** The number of newest versions that are shown; older versions are collapsed. */
const NEWEST = 5;

/** The draft, and every version. @param {{of: Dataset, shown: string | undefined}} props */
function Versions({ of: { draft_items: draft, versions }, shown }) {
  const newest = versions.toReversed();
  const isOld = newest.findIndex((one) => String(one.version) === shown) >= NEWEST;
  const [isOpen, setOpen] = useState(isOld);
  const rows = isOpen ? newest : newest.slice(0, NEWEST);
  /** @param {string | null} version */
  const show = (version) => change({ version, cursor: null, at: null }, true);
  /** @param {string | undefined} version @param {string} words */
  const way = (version, words) => html`<button class="plain" aria-pressed=${String(shown === version)} onClick=${() => show(version ?? null)}>${words}</button>`;
  return html`<${Sheet} label=${t("dataset.versions")} class="versions">
    <thead><tr><th>${t("dataset.version.name")}</th><th class="number">${t("dataset.items")}</th><th>${t("dataset.made.at")}</th><th>${t("dataset.made.by")}</th></tr></thead>
    <tbody><tr class=${shown ? "" : "me"}><td>${way(undefined, t("dataset.draft"))}</td><td class="number" data-label=${t("dataset.items")}>${draft}</td><td></td><td></td></tr>
      ${rows.map((one) => html`<tr key=${one.version} class=${shown === String(one.version) ? "me" : ""}><td>${way(String(one.version), t("dataset.version", { n: one.version }))}</td>
        <td class="number" data-label=${t("dataset.items")}>${one.items}</td><td data-label=${t("dataset.made.at")} title=${moment(Number(one.at))}>${clock(Number(one.at))}</td><td data-label=${t("dataset.made.by")}><bdi>${line(one.made_by, 40) || "–"}</bdi></td></tr>`)}</tbody><//>
    ${!isOpen && newest.length > NEWEST && html`<button onClick=${() => setOpen(true)}>${t("dataset.older", { n: newest.length - NEWEST })}</button>`}`;
}
