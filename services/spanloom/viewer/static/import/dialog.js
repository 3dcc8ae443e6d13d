/** Imports files that are dropped or chosen, and shows the result of each as it arrives. */
import { useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { READ } from "../export/formats.js";
import { Losses } from "../export/outcome.js";
import { learn, t } from "../i18n/index.js";
import { importing as en } from "../i18n/en/import.js";
import { importing as zh } from "../i18n/zh/import.js";
import { link } from "../state/place.js";
import { Dialog } from "../ui/frame.js";
import { useFetched } from "../ui/fetched.js";
import { html, visible } from "../ui/html.js";
import { KEPT, useImported } from "./send.js";

learn({ en, zh });

/** Maximum number of links to runs of a file. */
const LINKED = 20;

/** @param {{project: string, close: () => void}} props */
export function ImportDialog({ project, close }) {
  const [chosen, setChosen] = useState(/** @type {File[]} */ ([]));
  const [wanted, setWanted] = useState({ format: "", project, as_new: "" });
  const imported = useImported();
  const { files, isRunning } = imported;
  /** @param {FileList | null} given */
  const choose = (given) => setChosen([...(given ?? [])]);
  /** @param {SubmitEvent} event */
  const start = (event) => {
    event.preventDefault();
    if (chosen.length) void imported.start(chosen, wanted);
  };
  return html`<${Dialog} isOpen=${true} close=${close} label=${t("import.title")}>
    <form class="dataset-form" onSubmit=${start}><h2>${t("import.title")}</h2>
      <${Drop} isOff=${isRunning} choose=${choose} />
      <${Options} wanted=${wanted} isOff=${isRunning} set=${setWanted} />
      <div class="outcome" tabindex="0" role="group" aria-label=${t("import.outcome")}>
        <p role="status">${stateOf(files, isRunning)}</p>
        ${files.map((done, at) => html`<${Outcome} key=${at} done=${done} />`)}</div>
      <p class="ends"><button type="button" onClick=${isRunning ? imported.stop : close}>${t(isRunning ? "export.stop" : files.length ? "close" : "cancel")}</button>
        <button class="main" disabled=${isRunning || !chosen.length}>${t("import.start")}</button></p>
    </form><//>`;
}

/** Chooses files by a button, or by dropping them anywhere on the page. @param {{isOff: boolean, choose: (given: FileList | null) => void}} props */
function Drop({ isOff, choose }) {
  const [isOver, setOver] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useLayoutEffect(() => { // otherwise the browser leaves the page and shows the file
    const over = (/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(event.type === "dragover"); };
    const drop = (/** @type {DragEvent} */ event) => {
      over(event);
      const given = event.dataTransfer?.files;
      if (isOff || !given?.length || !input.current) return;
      input.current.files = given;
      choose(given);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", over);
      removeEventListener("drop", drop);
    };
  }, [isOff]);
  return html`<p class="quiet">${t("import.about")}</p>
    <label class="drop ${isOver ? "over" : ""}">${t("import.drop")}
      <input ref=${input} type="file" multiple disabled=${isOff} autofocus onChange=${() => choose(input.current?.files ?? null)} /></label>`;
}

/** @param {{wanted: import("./send.js").Wanted, isOff: boolean, set: (wanted: import("./send.js").Wanted) => void}} props */
function Options({ wanted, isOff, set }) {
  const projects = useFetched("/v1/fields/project/values").data?.items ?? [];
  /** @param {keyof typeof wanted} name */
  const take = (name) => (/** @type {Event} */ event) => set({ ...wanted, [name]: /** @type {HTMLInputElement} */ (event.target).value.trim() });
  return html`<fieldset class="across" disabled=${isOff}>
      <label>${t("export.format")} <select value=${wanted.format} onChange=${take("format")}><option value="">${t("import.auto")}</option>${READ.map((id) => html`<option value=${id}>${id}</option>`)}</select></label>
      <label>${t("import.project")} <input value=${wanted.project} list="projects" placeholder=${t("import.project.none")} onInput=${take("project")} /></label>
      <datalist id="projects">${projects.map((/** @type {{value: string}} */ one) => html`<option value=${one.value} />`)}</datalist>
    </fieldset>
    <label class="check"><input type="checkbox" disabled=${isOff} checked=${wanted.as_new !== ""} onChange=${(/** @type {Event} */ event) => set({ ...wanted, as_new: /** @type {HTMLInputElement} */ (event.target).checked ? "true" : "" })} /> ${t("import.new")}</label>`;
}

/** The state of the import of all files, as text. @param {import("./send.js").Imported[]} files @param {boolean} isRunning */
function stateOf(files, isRunning) {
  const now = files.find((one) => one.isRunning);
  if (!isRunning || !now) return files.some((one) => one.taken) ? t("import.soon") : "";
  const { share } = now.counts;
  return share ? t("import.reading", { name: visible(now.name), percent: Math.floor(share * 100) }) : t("import.sending", { name: visible(now.name) });
}

/** @param {{done: import("./send.js").Imported}} props */
function Outcome({ done }) {
  const { counts, error, isRunning } = done;
  const isLossless = !isRunning && done.taken && !Object.keys(counts.losses).length;
  return html`<section><h3><bdi>${visible(done.name)}</bdi></h3>
    <p>${t("import.done", { taken: done.taken, there: counts.unchanged_runs, spans: counts.accepted_spans })} ${scoresOf(counts)}${done.format && t("import.as", { format: done.format })}${isLossless ? ` ${t("export.lossless")}` : ""}</p>
    ${error && html`<p class="bad" role="alert">${visible(error.message)}</p>`}
    <${Runs} done=${done} />
    <${RejectedTable} list=${done.rejected} n=${counts.rejected} />
    ${!isRunning && html`<${Losses} counts=${counts.losses} />`}</section>`;
}

/** The numbers of stored and rejected scores, as text; empty if there are none. @param {import("./send.js").Counts} counts */
function scoresOf({ accepted_scores: n, rejected_scores: rejected }) {
  const parts = [n && t("import.scores", { n }), rejected && t("import.scores.rejected", { n: rejected })];
  return parts.filter(Boolean).map((one) => `${one} `).join("");
}

/** @param {{done: import("./send.js").Imported}} props */
function Runs({ done }) {
  const all = done.taken + done.counts.unchanged_runs;
  const shown = done.runs.slice(0, LINKED);
  if (!shown.length) return "";
  return html`<ul>${shown.map((run) => html`<li><a href=${link(`/trajectories/${run.trace_id}`, { project: run.project || undefined })}><code>${run.trace_id}</code></a> ${run.state === "unchanged" && html`<span class="quiet">${t("import.there")}</span>`}</li>`)}</ul>
    ${all > shown.length && html`<p class="quiet">${t("json.more", { n: all - shown.length })}</p>`}`;
}

/** @param {{list: import("./send.js").Rejected[], n: number}} props `n`: how many there are */
function RejectedTable({ list, n }) {
  if (!list.length) return "";
  const all = Math.max(n, list.length);
  return html`<p class="bad">${t("import.rejected", { n: all })}</p>
    <table class="rejected"><thead><tr><th>${t("import.place")}</th><th>${t("import.reason")}</th></tr></thead>
      <tbody>${list.map(({ place, reason }) => html`<tr><td>${visible(place)}</td><td>${visible(reason)}</td></tr>`)}</tbody></table>
    ${all > list.length && html`<p class="quiet">${t("import.first", { n: KEPT })}</p>`}`;
}
