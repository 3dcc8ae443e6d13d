/** The dialog that exports runs in any format, and shows what is lost and which runs are left out. */
import { useEffect, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { Dialog } from "../ui/frame.js";
import { coded, html, save } from "../ui/html.js";
import { isKept, MOST, useCollected } from "./collect.js";
import { FORMATS } from "./formats.js";
import { about, Outcome } from "./outcome.js";

/** Delay in milliseconds before a run is fetched in the chosen format, because arrow keys pass over formats. */
const SETTLED_MS = 200;

/** @typedef {import("./collect.js").Sources} Sources */
/** @typedef {import("./formats.js").Format} Format */

/** The run, if there is only one. @param {Sources} sources */
const onlyOf = (sources) => (Array.isArray(sources) && sources.length === 1 ? sources[0] : null);

/** The name of the exported file. @param {Format} format @param {import("./collect.js").Source | null} only */
export function fileName({ id, suffix, suffixOfMany }, only) {
  const form = id === "canonical" || id === "html" ? "" : `.${id}`;
  return only ? `${only.trace}${form}${suffix}` : `runs${form}${suffixOfMany}`;
}

/** The reason why these runs cannot be exported in a format; empty if they can. @param {Format} format @param {import("./collect.js").Source | null} only */
function against(format, only) {
  if (only) return only.version && !isKept(format) ? t("export.newest") : "";
  if (format.many) return "";
  return format.id === "html" ? t("export.one") : t("export.shell", { command: `spanloom export --format ${format.id}` });
}

/** @param {{sources: Sources, n: number, close: () => void}} props */
export function ExportDialog({ sources, n, close }) {
  const [format, setFormat] = useState(/** @type {Format | null} */ (null));
  const collected = useCollected();
  const { made, isRunning } = collected;
  const only = onlyOf(sources);
  const layout = only || !format ? "" : format.many;
  useEffect(() => { // the losses of a single run are shown before it is saved
    collected.stop();
    const settled = setTimeout(() => { if (only && format) void collected.start(sources, format, layout); }, SETTLED_MS);
    return () => clearTimeout(settled);
  }, [format]);
  /** @param {import("./collect.js").Collected | null} whole */
  const keep = (whole) => {
    if (whole?.written && format) save(new Blob(whole.parts), format.type, fileName(format, only));
  };
  /** @param {SubmitEvent} event */
  const write = async (event) => {
    event.preventDefault();
    if (!format) return;
    keep(only || made ? made : await collected.start(sources, format, layout));
    if (only) close();
  };
  const isReady = only || made ? made && made.written > 0 : format !== null;
  const most = Array.isArray(sources) ? n : Math.min(n, MOST);
  return html`<${Dialog} isOpen=${true} close=${close} label=${t("export.title")}>
    <form class="dataset-form" onSubmit=${write}><h2>${t("export.title")}</h2>
      ${!only && html`<p class="quiet">${n > most ? coded(t("export.most", { n: most })) : t("export.runs", { n: most })}</p>`}
      <fieldset class="formats" disabled=${isRunning && !only}><legend>${t("export.format")}</legend>${FORMATS.map((one, at) => html`<${Choice} key=${one.id} format=${one} isFirst=${at === 0} isChosen=${one === format} no=${against(one, only)} choose=${() => setFormat(one)} />`)}</fieldset>
      <${Outcome} state=${collected} n=${most} />
      <p class="ends"><button type="button" onClick=${isRunning && !only ? collected.stop : close}>${t(isRunning && !only ? "export.stop" : made && !only ? "close" : "cancel")}</button>
        <button class="main" disabled=${isRunning || !isReady}>${t("dataset.save")}</button></p>
    </form><//>`;
}

/** @param {{format: Format, isFirst: boolean, isChosen: boolean, no: string, choose: () => void}} props `no`: the reason why it cannot be chosen */
function Choice({ format, isFirst, isChosen, no, choose }) {
  return html`<label class="check"><input type="radio" name="format" autofocus=${isFirst} checked=${isChosen} disabled=${no !== ""} onChange=${choose} />
    <span><b>${format.id}</b> <span class="quiet">${about(format.id)}${no && html` <em>${no}</em>`}</span></span></label>`;
}
