/** Make a dataset of runs or steps: name, role, a preview of written and skipped rows, then a file. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { Dialog } from "../ui/frame.js";
import { html, line, save } from "../ui/html.js";
import { jsonLines, plan } from "./rows.js";

/** @typedef {import("./rows.js").Source} Source */
/** @typedef {import("./rows.js").Fetched} Fetched */

const SHOWN = 20;

/** Fetch the document of a source in its version. @param {Source} source @returns {Promise<Fetched>} */
async function fetched(source) {
  const path = `/v1/trajectories/${source.trace}`;
  const whole = source.version ? `${path}/versions/${source.version}` : path;
  try {
    return { source, document: await getJson(whole, { project: source.project }) };
  } catch (error) {
    return { source, error: error instanceof Error ? error.message : String(error) };
  }
}

/** @param {{sources: Source[], close: () => void}} props */
export function DatasetDialog({ sources, close }) {
  const [found, setFound] = useState(/** @type {Fetched[]} */ ([]));
  const [name, setName] = useState("");
  const [role, setRole] = useState(/** @type {import("./rows.js").Role} */ ("reference"));
  useEffect(() => {
    let isOpen = true;
    void (async () => {
      for (const source of sources) {
        if (!isOpen) return;
        const one = await fetched(source);
        setFound((before) => [...before, one]);
      }
    })();
    return () => { isOpen = false; };
  }, []);
  const { items, skipped } = plan(found, role, name.trim());
  /** @param {SubmitEvent} event */
  const write = (event) => {
    event.preventDefault();
    save(jsonLines(items), "application/jsonl", `${name.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-") || "dataset"}.jsonl`);
    close();
  };
  return html`<${Dialog} isOpen=${true} close=${close} label=${t("dataset.title")}>
    <form class="dataset-form" onSubmit=${write}><h2>${t("dataset.title")}</h2>
      <p class="quiet">${t("dataset.why")}</p>
      <label>${t("dataset.name")} <input name="name" required maxlength="100" autofocus value=${name} onInput=${(/** @type {Event} */ event) => setName(/** @type {HTMLInputElement} */ (event.target).value)} /></label>
      <fieldset><legend>${t("dataset.role")}</legend>${["reference", "input"].map((one) => html`<label class="check"><input type="radio" name="role" checked=${role === one} onChange=${() => setRole(/** @type {import("./rows.js").Role} */ (one))} /> ${t(/** @type {"dataset.role.input"} */ (`dataset.role.${one}`))}</label>`)}</fieldset>
      <p role="status">${found.length < sources.length ? t("dataset.reading", { at: found.length, n: sources.length }) : t("dataset.rows", { n: items.length })}</p>
      <${Preview} items=${items} /><${Skipped} list=${skipped} />
      <p class="ends"><button type="button" onClick=${close}>${t("cancel")}</button>
        <button class="main" disabled=${!items.length || found.length < sources.length}>${t("dataset.save")}</button></p>
    </form><//>`;
}

/** @param {{items: import("./rows.js").Item[]}} props */
function Preview({ items }) {
  if (!items.length) return "";
  return html`<div class="rows-of" tabindex="0" role="region" aria-label=${t("dataset.preview")}><table class="sides"><thead><tr><th>${t("column.name")}</th><th>${t("step.input")}</th><th>${t("dataset.expected")}</th></tr></thead>
    <tbody>${items.slice(0, SHOWN).map((one) => html`<tr><td>${line(String(one.metadata.name), 40)} <span class="quiet">v${one.source.version}</span></td><td>${line(one.input, 100)}</td><td>${line(one.expected.response ?? "–", 100)}</td></tr>`)}</tbody></table>
    ${items.length > SHOWN && html`<p class="quiet">${t("json.more", { n: items.length - SHOWN })}</p>`}</div>`;
}

/** @param {{list: ReturnType<typeof plan>["skipped"]}} props */
function Skipped({ list }) {
  if (!list.length) return "";
  return html`<p class="bad">${t("dataset.skipped", { n: list.length })}</p>
    <ul>${list.slice(0, SHOWN).map((one) => html`<li><bdi>${line(one.name, 60)}</bdi>: ${t(/** @type {"dataset.not.live"} */ (`dataset.not.${one.reason}`))} ${one.detail}</li>`)}</ul>`;
}
