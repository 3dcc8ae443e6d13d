/** Renders values of a step: JSON as a tree, and media. */
import { useEffect, useState } from "../vendor/hooks.js";
import { bytes } from "../format.js";
import { t } from "../i18n/index.js";
import { html, visible } from "../ui/html.js";
import { LongText } from "./text.js";

// Media of a message: a line with type and size. Bytes of images that browsers render safely are shown on
// request; URLs are links and never loaded.

const DRAWN = /^image\/(png|jpeg|gif|webp)$/;
const DATA = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*;base64,/;

/** The prefixes by which common types of files are recognised in base64 that a tool returned without a media type. */
const SIGNS = /** @type {[RegExp, string][]} */ ([[/^iVBORw0KGgo/, "image/png"], [/^\/9j\//, "image/jpeg"], [/^R0lGOD[dl]h/, "image/gif"],
  [/^UklGR.{7}RUJQ/, "image/webp"], [/^UklGR.{7}QVZF/, "audio/wav"], [/^SUQz/, "audio/mpeg"], [/^JVBERi0/, "application/pdf"]]);
/** Minimum number of characters of base64; shorter text is treated as plain text. */
const LEAST = 1_000;

/** The data URL of a text that consists of a file's bytes; null for other text. @param {string} text */
export function dataOf(text) {
  if (text.length < LEAST) return null;
  if (DATA.test(text.slice(0, 200))) return text;
  const type = SIGNS.find(([sign]) => sign.test(text))?.[1];
  return type && /^[\w+/=-]*$/.test(text) ? `data:${type};base64,${text}` : null;
}

/** @param {{url: string, name?: string}} props */
export function Media({ url, name }) {
  const found = DATA.exec(url.slice(0, 200));
  if (!found) return html`<${Address} url=${url} name=${name} />`;
  const type = found[1] ?? "application/octet-stream";
  const body = url.slice(found[0].length);
  return html`<${Bytes} type=${type} body=${body} name=${name} />`;
}

/** @param {{type: string, body: string, name?: string}} props `body`: base64 */
export function Bytes({ type, body, name }) {
  const [src, setSrc] = useState("");
  useEffect(() => () => URL.revokeObjectURL(src), [src]);
  const size = bytes(Math.floor((body.length * 3) / 4));
  const show = () => {
    try {
      const plain = Uint8Array.from(atob(body), (one) => one.charCodeAt(0));
      setSrc(URL.createObjectURL(new Blob([plain], { type })));
    } catch {
      setSrc("");
    }
  };
  return html`<figure class="media"><figcaption>${visible(name || type)} · ${size}
      ${DRAWN.test(type) && !src && html` <button onClick=${show}>${t("media.show")}</button>`}</figcaption>
    ${src && html`<img src=${src} alt=${name || t("media.image")} />`}</figure>`;
}

/** @param {{url: string, name?: string}} props */
function Address({ url, name }) {
  const safe = safeUrl(url);
  if (!safe) return html`<span class="media">${visible(name || url.slice(0, 80))}</span>`;
  return html`<span class="media"><a href=${safe.href} target="_blank" rel="noopener noreferrer nofollow">${visible(name || safe.pathname.slice(-60))}</a> <span class="quiet">${safe.host}</span></span>`;
}

/** A URL that is safe to link, or null. @param {string} text */
export function safeUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
}

// JSON as a collapsible tree: closed nodes are not rendered.

const AT_ONCE = 100;
const OPEN_LEVELS = 2;
/** Maximum total number of second-level values that are expanded initially. */
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
