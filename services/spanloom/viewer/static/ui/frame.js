/** The frame of every page: top bar, switches, dialogs, keyboard shortcuts, and errors. */
import { useEffect, useLayoutEffect, useRef } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { kept } from "../state/reader.js";
import { hasKey, isLocked, slow, useKey } from "../api.js";
import { language, t } from "../i18n/index.js";
import { coded, html, visible } from "./html.js";
import { Navigation } from "./navigation.js";

// Keyboard shortcuts of one letter. They can be switched off (WCAG 2.1.4), never fire while the user is typing,
// and are listed in the help, which reads them from here.

/** @typedef {import("../i18n/index.js").Key} Key */
/**
 * @typedef {{key: string, label: Key, run: (event: KeyboardEvent) => void, isPressed?: (event: KeyboardEvent) => boolean, isAnywhere?: boolean}} Shortcut
 *   `key`: its name in the browser and in the help; `isPressed`: replaces the comparison with `key`; `isAnywhere`: also while typing
 */

export const areOn = kept("keys", true);
/** The shortcuts of the current page. */
export const shortcuts = signal(/** @type {Shortcut[]} */ ([]));

/** Whether a key press belongs to a field or an open dialog, and not to the page. @param {KeyboardEvent} event */
function isWriting(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  return document.querySelector("dialog[open]") !== null || target.closest?.("input:not([type=checkbox]), textarea, select, [role=menu]") !== null;
}

/** Register shortcuts while the component is mounted. @param {Shortcut[]} wanted @param {unknown[]} inputs */
export function useKeys(wanted, inputs) {
  useLayoutEffect(() => { // keys must work as soon as the page is visible
    shortcuts.value = [...shortcuts.peek(), ...wanted];
    /** @param {KeyboardEvent} event */
    const listen = (event) => {
      if (event.defaultPrevented) return;
      const isChord = event.ctrlKey || event.metaKey || event.altKey;
      const isLetter = event.key.length === 1 && !isChord;
      const found = wanted.find((one) => (one.isPressed ? one.isPressed(event) : !isChord && one.key === event.key));
      if (!found || (isWriting(event) && !found.isAnywhere) || (isLetter && event.key !== "?" && !areOn.value)) return;
      event.preventDefault();
      found.run(event);
    };
    addEventListener("keydown", listen);
    return () => {
      removeEventListener("keydown", listen);
      shortcuts.value = shortcuts.peek().filter((one) => !wanted.includes(one));
    };
  }, inputs);
}

// The two dialogs of every page: the API key, and the help on keyboard shortcuts.

export const isHelpOpen = signal(false);
export const isKeyOpen = signal(false);

/** @param {{isOpen: boolean, close: () => void, label: string, children?: unknown}} props */
export function Dialog({ isOpen, close, label, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => { // before the next key press, which must go to the dialog
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  /** Escape: the event `close` comes later, maybe after a key that opens the dialog again. @param {Event} event */
  const cancel = (event) => { if (event.target === dialog.current) close(); };
  const closed = () => { if (!dialog.current?.open) close(); };
  return html`<dialog ref=${dialog} aria-label=${label} onCancel=${cancel} onClose=${closed}>${isOpen && children}</dialog>`;
}

/** Asks for an API key, which only this tab stores. */
export function KeyDialog() {
  const isOpen = isLocked.value || isKeyOpen.value;
  const isNeeded = useRef(false); // whether the service demands keys; without keys it accepts every request
  isNeeded.current ||= isLocked.value || hasKey();
  const close = () => {
    isKeyOpen.value = isLocked.value = false;
  };
  /** @param {SubmitEvent} event */
  const take = (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    useKey(String(new FormData(form).get("key") ?? "").trim());
    location.reload();
  };
  return html`<${Dialog} isOpen=${isOpen} close=${close} label=${t("key.title")}>
    <form onSubmit=${take}>
      <h2>${t("key.title")}</h2>
      <p>${coded(t(isNeeded.current ? "key.why" : "key.none"))}</p>
      <label>${t("key.label")} <input name="key" type="password" autocomplete="off" spellcheck=${false} autofocus /></label>
      <p class="quiet">${t("key.kept")}</p>
      <p class="ends"><button type="button" onClick=${close}>${t("cancel")}</button>
        <button class="main">${t("key.use")}</button></p>
    </form>
  <//>`;
}

/** Lists the keyboard shortcuts of this page. */
export function HelpDialog() {
  const close = () => {
    isHelpOpen.value = false;
  };
  return html`<${Dialog} isOpen=${isHelpOpen.value} close=${close} label=${t("help.title")}>
    <h2>${t("help.title")}</h2>
    <dl class="keys">${shortcuts.value.map((one) => html`<dt><kbd>${one.key === " " ? "␣" : one.key}</kbd></dt><dd>${t(one.label)}</dd>`)}</dl>
    <label class="check"><input type="checkbox" checked=${areOn.value}
      onChange=${(/** @type {Event} */ event) => { areOn.value = /** @type {HTMLInputElement} */ (event.target).checked; }} />
      ${t("help.letters")}</label>
    <p class="ends"><button class="main" onClick=${close}>${t("close")}</button></p>
  <//>`;
}

// The frame, its switches, and errors.

/** @param {{title: string, nav?: unknown, children?: unknown}} props */
export function Frame({ title, nav, children }) {
  useEffect(() => {
    document.title = title ? `${title} · Spanloom` : "Spanloom";
  }, [title]);
  useEffect(() => {
    document.documentElement.lang = language.value;
  }, [language.value]);
  useKeys([{ key: "?", label: "key.help", run: () => { isHelpOpen.value = true; } }], []);
  return html`<header class="top">
      <a class="brand" href="/" aria-label="Spanloom">Spanloom</a>
      <${Navigation} />
      <${Switches} />
      <div class="nav">${nav}</div>
    </header>
    ${children}
    <p class="toast" role="status">${slow.value > 0 && t("error.slow")}</p>
    <${KeyDialog} /><${HelpDialog} />`;
}

/** Switch between light and dark; the initial value is the system's preference. */
function turnTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("spanloom.theme", root.dataset.theme);
  dispatchEvent(new Event("themechange"));
}

function turnLanguage() {
  language.value = language.value === "en" ? "zh" : "en";
}

function Switches() {
  const other = language.value === "en" ? "中" : "En";
  return html`<div class="switches">
    <button aria-label=${t("switch.key")} title=${t("switch.key")} aria-pressed=${String(hasKey())}
      onClick=${() => { isKeyOpen.value = true; }}>${t("switch.key.short")}</button>
    <button aria-label=${t("switch.theme")} title=${t("switch.theme")} onClick=${turnTheme}>◐</button>
    <button aria-label=${t("switch.language")} title=${t("switch.language")} onClick=${turnLanguage}>${other}</button>
    <button aria-label=${t("switch.help")} title=${`${t("switch.help")} (?)`}
      onClick=${() => { isHelpOpen.value = true; }}>?</button>
  </div>`;
}

/** Pages whose URL names a run or a conversation. */
const OF_RUNS = /^\/(trajectories|diff|conversation)\b/;
const BUSY = new Set([429, 503]);
/** The response status for a version that is not stored. */
const GONE = 409;
const isTalk = () => location.pathname === "/conversation";

/** The kind of error for a response status; pages of runs have other kinds than lists. @param {number} status */
function kindOf(status) {
  const isOfRuns = OF_RUNS.test(location.pathname);
  if (BUSY.has(status)) return "busy";
  if (status === GONE) return "missing";
  if (status === 0) return "unreachable";
  if (status === 403) return "denied"; // the message says which kind of key is needed
  if (status === 401) return "locked";
  if (status === 404) return isOfRuns ? "missing" : "unknown";
  if (status === 422) return isOfRuns && !isTalk() ? "id" : "refused";
  return "failed";
}

/**
 * Shows an error and what to do about it.
 * @param {{error: import("../api.js").ApiError, again: () => void}} props
 */
export function Failure({ error, again }) {
  const is = kindOf(error.status);
  return html`<section class="notice" role="alert">
    <h2>${t(`error.${is}`)}</h2>
    ${is !== "id" && error.message !== t("error.unreachable") && html`<p>${coded(visible(error.message))}</p>`}
    ${is !== "denied" && html`<p>${coded(t(`error.${is}.do`, { origin: location.origin }))}</p>`}
    <p><button class="main" onClick=${again}>${t("retry")}</button>
      ${["missing", "id", "refused"].includes(is) && html` <a class="button" href=${isTalk() ? "/conversations" : error.status !== GONE && OF_RUNS.test(location.pathname) ? "/" : location.pathname}>${t("error.afresh")}</a>`}
      ${["locked", "denied"].includes(is) && html` <button onClick=${() => { isKeyOpen.value = true; }}>${t("switch.key")}</button>`}</p>
  </section>`;
}

/** Shows the message of the service about a refused request. @param {{error: import("../api.js").ApiError | null}} props */
export const Refusal = ({ error }) => html`<p class="refusal" role="alert">${error ? coded(visible(error.message)) : ""}</p>`;
