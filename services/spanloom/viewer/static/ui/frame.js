/** The frame of every page: top bar, switches, dialogs, and errors. */
import { useEffect } from "../vendor/hooks.js";
import { hasKey } from "../api.js";
import { language, t } from "../i18n/index.js";
import { HelpDialog, KeyDialog, isHelpOpen, isKeyAsked } from "./dialogs.js";
import { html } from "./html.js";
import { useKeys } from "./keys.js";

/** @param {{title: string, nav?: unknown, children?: unknown}} props */
export function Frame({ title, nav, children }) {
  useEffect(() => {
    document.title = title ? `${title} · Spanloom` : "Spanloom";
  }, [title]);
  useEffect(() => {
    document.documentElement.lang = language.value;
  }, [language.value]);
  useKeys([{ key: "?", says: "key.help", run: () => { isHelpOpen.value = true; } }], []);
  return html`<header class="top">
      <a class="brand" href="/" aria-label="Spanloom">Spanloom</a>
      <div class="nav">${nav}</div>
      <${Switches} />
    </header>
    ${children}
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
      onClick=${() => { isKeyAsked.value = true; }}>${t("switch.key.short")}</button>
    <button aria-label=${t("switch.theme")} title=${t("switch.theme")} onClick=${turnTheme}>◐</button>
    <button aria-label=${t("switch.language")} title=${t("switch.language")} onClick=${turnLanguage}>${other}</button>
    <button aria-label=${t("switch.help")} title=${`${t("switch.help")} (?)`}
      onClick=${() => { isHelpOpen.value = true; }}>?</button>
  </div>`;
}

/** Pages whose URL contains runs. */
const OF_RUNS = /^\/(trajectories|diff|conversation)\b/;

/** The kind of error of a response status, on pages of runs and on others. @param {number} status */
function kindOf(status) {
  const isOfRuns = OF_RUNS.test(location.pathname);
  if (status === 0) return "unreachable";
  if (status === 401 || status === 403) return "locked";
  if (status === 404) return isOfRuns ? "missing" : "unknown";
  if (status === 422) return isOfRuns ? "id" : "refused";
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
    ${is !== "id" && error.message !== t("error.unreachable") && html`<p>${error.message}</p>`}
    <p>${t(`error.${is}.do`, { origin: location.origin })}</p>
    <p><button class="main" onClick=${again}>${t("retry")}</button>
      ${is === "locked" && html` <button onClick=${() => { isKeyAsked.value = true; }}>${t("switch.key")}</button>`}</p>
  </section>`;
}
