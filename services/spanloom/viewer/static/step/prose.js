/** A message's text: plain, or rendered as Markdown if the reader chose that. */
import { useEffect, useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { t } from "../i18n/index.js";
import { bytes } from "../format.js";
import { kept } from "../state/reader.js";
import { html } from "../ui/html.js";
import { LongText } from "./text.js";

/** The selected view of steps, shared by all steps. */
export const tab = kept("step.tab", /** @type {"said" | "markdown" | "text" | "json" | "raw" | "why"} */ ("said"));

/** Maximum characters that are rendered as Markdown; longer text stays plain. */
const MOST = 150_000;
const FOLDED = 4_000;
/** The renderer, loaded on first use. */
const renderer = signal(/** @type {typeof import("./markdown.js") | null} */ (null));
/** @type {Promise<void> | null} */
let loading = null;

function load() {
  loading ??= import("./markdown.js").then((made) => { renderer.value = made; });
}

/** @param {{text: string}} props */
export function Prose({ text }) {
  const isMarkdown = tab.value === "markdown" && text.length <= MOST;
  useEffect(() => { if (isMarkdown) load(); }, [isMarkdown]);
  return isMarkdown && renderer.value ? html`<${Markdown} text=${text} make=${renderer.value.rendered} />` : html`<${LongText} text=${text} />`;
}

/** @param {{text: string, make: (text: string) => import("../vendor/preact.js").Child}} props */
function Markdown({ text, make }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > FOLDED;
  const shown = isLong && !isOpen ? text.slice(0, Math.max(text.lastIndexOf("\n\n", FOLDED), FOLDED / 2)) : text;
  return html`<div class="md" dir="auto">${make(shown)}</div>
    ${isLong && html`<span class="fold"><button onClick=${() => setOpen(!isOpen)}>${isOpen ? t("text.less") : t("text.more", { size: bytes(text.length - shown.length) })}</button></span>`}`;
}
