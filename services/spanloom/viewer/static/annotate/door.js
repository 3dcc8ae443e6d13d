/** The button of the annotation panel; its modules are loaded when the run is shown and the page is idle. */
import { useEffect, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { annotator, read } from "../state/reader.js";
import { change, place } from "../state/place.js";
import { missing, useAgain } from "../ui/fetched.js";
import { Failure, useKeys } from "../ui/frame.js";
import { html } from "../ui/html.js";

/** @typedef {{Panel: any, MarksAtRest: any}} Loaded */

/** Delay in milliseconds after the first row, so that the row does not wait for these modules. */
const IDLE_MS = 400;

/** Media query: the panel is below the tree (style/annotate.css). */
const IS_BELOW = "(max-width: 860px)";
/** Whether the panel was opened by a tap. */
let isTapped = false;

/** Open the annotation panel with the scheme that was used last, or close the panel. */
function turn() {
  const isOn = Boolean(place.peek().query.annotate);
  change({ annotate: isOn ? null : read("annotate.scheme", "potato") }, true);
}

export function AnnotateButton() {
  const isOn = Boolean(place.value.query.annotate);
  useKeys([{ key: "a", label: "key.annotate", run: turn }], []);
  return html`<button class="to-annotate" aria-pressed=${String(isOn)} title=${`${t("key.annotate")} (a)`} onClick=${() => { isTapped = true; turn(); }}>${t("annotate.open")} <kbd>a</kbd></button>`;
}

export function Annotation() {
  const isOn = Boolean(place.value.query.annotate);
  const [panel, setPanel] = useState(/** @type {Loaded | null} */ (null));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [attempt, again] = useAgain(error);
  useEffect(() => {
    const later = setTimeout(() => void load().then(setPanel, () => setError(missing())), isOn ? 0 : IDLE_MS);
    return () => clearTimeout(later);
  }, [isOn, attempt]);
  useEffect(() => { // and again when the annotator is known, because then the buttons replace the form for the name
    if (panel && isOn && isTapped && matchMedia(IS_BELOW).matches) document.querySelector(".annotate")?.scrollIntoView();
  }, [panel, isOn, annotator.value]);
  if (!panel) return isOn && error ? html`<${Failure} error=${error} again=${again} />` : "";
  return isOn ? html`<${panel.Panel} />` : html`<${panel.MarksAtRest} />`;
}

/** @type {Promise<Loaded> | null} */
let loading = null;

/** Load the annotation panel and its style, once. */
function load() {
  loading ??= Promise.all([import("./panel.js"), styled()]).then(([panel]) => panel, (failed) => { loading = null; throw failed; });
  return loading;
}

/** Load the panel's own style before the panel is drawn. */
export function styled() {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL("../style/annotate.css", import.meta.url).href;
  document.head.append(sheet);
  return new Promise((done) => { for (const end of ["load", "error"]) sheet.addEventListener(end, done); });
}
