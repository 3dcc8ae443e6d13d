/** Schemes: the questions for annotators. Potato's YAML is accepted unchanged, and remarks are shown at its lines. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { Judging } from "../judging/frame.js";
import { Editor, WORDS } from "../schemes/editor.js";
import { change, place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { Source } from "../ui/source.js";

/** @typedef {import("../records.js").SchemeRemark} Remark */
/** A scheme as returned by the service. @typedef {import("../records.js").SchemeItem} Scheme */

export function Page() {
  const { scheme, project } = place.value.query;
  const { data, error, again } = useFetched("/v1/schemes", { project });
  const [isWriting, setWriting] = useState(false);
  /** @type {Scheme[]} */
  const own = data?.items ?? [];
  const presets = (data?.presets ?? []).filter((/** @type {Scheme} */ one) => !own.some((mine) => mine.name === one.name));
  const chosen = [...own, ...presets].find((one) => one.name === scheme);
  /** @param {string} name */
  const stored = (name) => { setWriting(false); again(); change({ scheme: name }, true); };
  return html`<${Judging} title=${t("schemes.title")}>
    ${error && html`<${Failure} error=${error} again=${again} />`}
    <p class="across"><button class="main" onClick=${() => setWriting(!isWriting)}>${t("scheme.new")}</button><span class="quiet">${t("schemes.about")}</span></p>
    ${isWriting && html`<${Editor} text="" project=${project} stored=${stored} close=${() => setWriting(false)} />`}
    <div class="beside"><nav aria-label=${t("schemes.title")}>
        <${Names} title=${t("schemes.own")} of=${own} on=${scheme} /><${Names} title=${t("schemes.presets")} of=${presets} on=${scheme} /></nav>
      <div>${chosen ? html`<${Shown} key=${chosen.hash} scheme=${chosen} project=${project} stored=${stored} />` : data && html`<p class="quiet">${t("scheme.choose")}</p>`}</div></div>
  <//>`;
}

/** @param {{title: string, of: Scheme[], on: string | undefined}} props */
function Names({ title, of, on }) {
  return html`<h2>${title}</h2>${of.length === 0 ? html`<p class="quiet">${t("schemes.none")}</p>` : html`<ul class="names">${of.map((one) => html`<li key=${one.name}>
    <button class="plain" aria-pressed=${String(one.name === on)} onClick=${() => change({ scheme: one.name }, true)}><bdi>${visible(one.name)}</bdi> <span class="quiet">${one.annotation_type}</span>${one.remarks.length > 0 && html` <span class="warn" title=${t("scheme.remarked", { n: one.remarks.length })}>⚠ ${one.remarks.length}</span>`}</button></li>`)}</ul>`}`;
}

/** @param {{scheme: Scheme, project: string | undefined, stored: (name: string) => void}} props */
function Shown({ scheme, project, stored }) {
  const [isOpen, setOpen] = useState(false);
  const isPreset = scheme.project === null;
  return html`<h2><bdi>${visible(scheme.name)}</bdi> <span class="quiet">${isPreset ? t("scheme.preset") : scheme.put_by}</span></h2>
    ${scheme.description && html`<p>${visible(scheme.description)}</p>`}
    <dl class="facts">${scheme.correctness_options.length > 0 && html`<div><dt>${t("scheme.options")}</dt><dd>${scheme.correctness_options.map((one, at) => html`${at > 0 ? ", " : ""}<span class=${one === scheme.correct_option ? "right" : ""} title=${one === scheme.correct_option ? t("scheme.right") : ""}>${one === scheme.correct_option ? "✓ " : ""}${visible(one)}</span>`)}</dd></div>`}
      ${scheme.severities.length > 0 && html`<div><dt>${t("scheme.severities")}</dt><dd>${scheme.severities.map(({ name, weight }) => `${visible(name)} −${weight}`).join(", ")}</dd></div>`}
      ${scheme.annotation_type === "trajectory_eval" && html`<div><dt>${t("scheme.most")}</dt><dd>${scheme.max_score}</dd></div>`}</dl>
    ${scheme.error_types.length > 0 && html`<dl class="taxonomy">${scheme.error_types.map(({ name, subtypes }) => html`<dt>${visible(name)}</dt><dd>${subtypes.map((one, at) => html`${at > 0 ? ", " : ""}<span title=${scheme.definitions[one] ?? ""}>${line(one, 60)}</span>`)}</dd>`)}</dl>`}
    <p><button onClick=${() => setOpen(!isOpen)}>${isPreset ? t("scheme.copy") : t("scheme.edit")}</button></p>
    ${isOpen ? html`<${Editor} text=${scheme.text} project=${project} stored=${stored} close=${() => setOpen(false)} />` : html`<${Source} text=${scheme.text} findings=${scheme.remarks.map((one) => ({ ...one, isError: false }))} words=${WORDS} />`}`;
}
