/** The recipes of `spanloom instrument` as tabs: how to make agents of a framework send spans here. */
import { useRef, useState } from "../vendor/hooks.js";
import { hasKey } from "../api.js";
import { t } from "../i18n/index.js";
import { useFetched } from "../ui/fetched.js";
import { coded, html } from "../ui/html.js";

/**
 * @typedef {{framework: string, title: string, line: string, install: string, code: string, notes: string, settings_file: string, settings: string,
 *   key_settings: string, variables: Record<string, string>, key_variables: Record<string, string>}} Recipe
 */

/** The number of recipes shown as tabs; further recipes are in a list. */
const TABS = 10;

/** @param {{endpoint: string}} props */
export function Recipes({ endpoint }) {
  const { data } = useFetched("/ui/recipes");
  const [name, setName] = useState("");
  const tabs = useRef(/** @type {HTMLElement | null} */ (null));
  /** @type {Recipe[]} */
  const all = data?.items ?? [];
  const chosen = all.find((one) => one.framework === name) ?? all[0];
  if (!chosen) return html`<${Lines} what=${t("start.variables")} text=${exported({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: "my-agents" })} />`;
  const shown = all.slice(0, TABS);
  const others = all.slice(TABS);
  const isTab = shown.includes(chosen);
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const at = shown.indexOf(chosen);
    const last = shown.length - 1;
    const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at <= 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setName(shown[next].framework);
    /** @type {HTMLElement | undefined} */ (tabs.current?.children[next])?.focus();
  };
  return html`<div class="recipe-tabs"><div role="tablist" aria-label=${t("start.recipes")} ref=${tabs} onKeyDown=${move}>
      ${shown.map((one, at) => html`<button type="button" role="tab" id=${`tab-${one.framework}`} key=${one.framework} aria-selected=${String(one === chosen)} aria-controls="recipe"
        tabindex=${one === chosen || (!isTab && at === 0) ? 0 : -1} onClick=${() => setName(one.framework)}>${one.title}</button>`)}</div>
    <select aria-label=${t("start.others")} value=${isTab ? "" : chosen.framework} onChange=${(/** @type {Event} */ event) => setName(/** @type {HTMLSelectElement} */ (event.target).value)}>
      <option value="">${t("start.others")}</option>${others.map((one) => html`<option value=${one.framework}>${one.title}</option>`)}</select></div>
    <div class="recipe" id="recipe" role="tabpanel" tabindex="0" aria-label=${chosen.title}><${Steps} key=${chosen.framework} recipe=${filled(chosen, endpoint)} /></div>`;
}

/** The recipe with the URL of this service filled in. @param {Recipe} recipe @param {string} endpoint @returns {Recipe} */
const filled = (recipe, endpoint) => JSON.parse(JSON.stringify(recipe).replaceAll("{endpoint}", endpoint));

/** @param {Record<string, string>} variables */
const exported = (variables) => Object.entries(variables).map(([name, value]) => `export ${name}=${/[^\w@%+=:,./-]/.test(value) ? `'${value}'` : value}`).join("\n");

/** The steps to take, in order. @param {{recipe: Recipe}} props */
function Steps({ recipe }) {
  const { line, install, code, notes, settings_file: file } = recipe;
  const variables = exported({ ...recipe.variables, ...(hasKey() ? recipe.key_variables : {}) });
  const settings = (hasKey() && recipe.key_settings) || recipe.settings;
  return html`<p class="quiet">${coded(line)}</p>
    ${install && html`<${Lines} what=${t("start.install")} text=${install} />`}
    ${variables && html`<${Lines} what=${t("start.variables")} text=${variables} />`}
    ${settings && html`<${Lines} what=${t("start.settings", { file })} text=${settings.trim()} />`}
    ${code && html`<${Lines} what=${t("start.code")} text=${code.trim()} />`}
    ${notes && html`<p class="quiet">${coded(notes)}</p>`}`;
}

/** @param {{what: string, text: string}} props */
function Lines({ what, text }) {
  const [copied, setCopied] = useState("");
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(text));
  return html`<p class="what">${what} <button type="button" aria-label=${t("start.copy", { what })} onClick=${copy}>${copied === text ? t("copied") : t("copy")}</button></p>
    <pre tabindex="0" aria-label=${what} role="region"><code>${text}</code></pre>`;
}
