/** JSON as a collapsible tree: closed nodes are not rendered. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html, visible } from "../ui/html.js";
import { dataOf, Media } from "./media.js";
import { LongText } from "./text.js";

const AT_ONCE = 100;
const OPEN_LEVELS = 2;
/** Maximum number of values of the second level that are shown initially, in total. */
const ROOM = 400;

/** @param {{value: unknown, name?: string, level?: number, room?: number}} props `room`: a node with up to this many fields is open initially */
export function Json({ value, name, level = 0, room = AT_ONCE }) {
  const key = name === undefined ? "" : html`<span class="key">${visible(name)}</span>`;
  if (value === null || typeof value !== "object") return html`<div class="leaf">${key}<${Leaf} value=${value} /></div>`;
  const entries = Object.entries(value);
  if (!entries.length) return html`<div class="leaf">${key}<span class="none">${Array.isArray(value) ? "[]" : "{}"}</span></div>`;
  return html`<${Branch} label=${key} entries=${entries} isList=${Array.isArray(value)} level=${level} room=${room} />`;
}

/** @param {{label: unknown, entries: [string, unknown][], isList: boolean, level: number, room: number}} props */
function Branch({ label, entries, isList, level, room }) {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS && entries.length <= room);
  const [most, setMost] = useState(AT_ONCE);
  const size = isList ? t("json.items", { n: entries.length }) : t("json.fields", { n: entries.length });
  return html`<div class="branch">
    <button class="plain" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}><span class="twist" aria-hidden="true">${isOpen ? "▾" : "▸"}</span>${label}<span class="none">${size}</span></button>
    ${isOpen && html`<div class="inside">
      ${entries.slice(0, most).map(([name, value]) => html`<${Json} key=${name} name=${name} value=${value} level=${level + 1} room=${Math.min(AT_ONCE, ROOM / entries.length)} />`)}
      ${entries.length > most && html`<button onClick=${() => setMost(most + AT_ONCE * 10)}>${t("json.more", { n: entries.length - most })}</button>`}
    </div>`}
  </div>`;
}

/** @param {{value: unknown}} props */
function Leaf({ value }) {
  const data = typeof value === "string" ? dataOf(value) : null;
  if (data) return html`<${Media} url=${data} />`;
  if (typeof value === "string") return html`<${LongText} text=${value} />`;
  return html`<span class="value">${String(value)}</span>`;
}

/** The value of a JSON text that is an object or a list; undefined for other text. @param {unknown} text @returns {unknown} */
export function parsed(text) {
  if (typeof text !== "string" || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
