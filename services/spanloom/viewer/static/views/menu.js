/** The menu of views: this browser's views, the presets, a form to save a view, and the team's views. */
import { views as en } from "../i18n/en/views.js";
import { learn, t } from "../i18n/index.js";
import { views as zh } from "../i18n/zh/views.js";
import { sendJson } from "../api.js";
import { kept } from "../state/reader.js";
import { place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { html, line, Menu } from "../ui/html.js";
import { open, opened, parametersOf } from "./opening.js";
import { asView, faultOfName, keep, ownOf } from "./own.js";
import { Row, Trouble, useChange } from "./row.js";

learn({ en, zh });

/** @typedef {import("./opening.js").ListPage} ListPage */
/** @typedef {import("./opening.js").View} View */

const GIVEN = /** @type {const} */ ([
  ["view.failed", "where=outcome+%3D+failed"],
  ["view.paused", "where=outcome+%3D+paused"],
  ["view.slow", "order=-duration"],
  ["view.costly", "order=-cost"],
  ["view.loops", "where=longest_repeat+%3E%3D+3&order=-longest_repeat"],
]);
/** The typed name of a view that is not stored yet; it survives closing the menu and entering a key. */
const draft = kept("view.draft", "", sessionStorage);

/** @param {{of: ListPage}} props */
export function ViewMenu({ of }) {
  const now = opened.value;
  const isOn = now?.name && place.value && now.search === location.search;
  return html`${isOn && html`<span class="chip" role="status"><bdi>${t(now.faults.length ? "views.default.wrong" : "views.opened", { name: line(now.name, 40) })} ${now.faults.map((one) => one.detail).join("; ")}</bdi>
      <button aria-label=${t("views.all")} title=${t("views.all")} onClick=${() => open("", {})}>×</button></span>`}
    <${Menu} class="steady" label=${t("views")} until=${now}><${Views} of=${of} /><//>`;
}

/** @param {{of: ListPage}} props */
function Views({ of }) {
  const { project } = place.value.query;
  const { data, error, again } = useFetched("/v1/views", { page: of, project });
  /** @type {View[]} */
  const team = data?.items ?? [];
  const save = useSave(of, again);
  const own = Object.entries(ownOf(of).value).map(([name, text]) => asView(name, text));
  // The team's views are loaded later, so they are below the buttons, which must not move before a click.
  return html`${own.length > 0 && html`<p class="quiet">${t("views.own")}</p><ul class="choices" aria-label=${t("views.own")}>${own.map((view) => html`<${Row} key=${view.name} of=${of} view=${view} again=${again} />`)}</ul>`}
    <p class="quiet">${t("views.given")}</p><ul class="choices" aria-label=${t("views.given")}>
      ${of === "runs" && GIVEN.map(([label, text]) => html`<li><button class="plain" onClick=${() => open("", parametersOf(text))}>${t(label)}</button></li>`)}
      <li><button class="plain" onClick=${() => open("", {})}>${t("views.all")}</button></li></ul>
    ${save.form}
    <p class="quiet" role="note">${t("views.team")} ${error ? error.message : data && !team.length && t("views.none")}</p>
    <ul class="choices" aria-label=${t("views.team")}>${team.map((view) => html`<${Row} key=${view.id} of=${of} view=${view} again=${again} />`)}</ul>
    ${save.outcome}`;
}

/** A form that saves the parameters in the URL as a view, and its outcome. @param {ListPage} of @param {() => void} again */
function useSave(of, again) {
  const { project } = place.value.query;
  const { error, notice, run, refuse } = useChange(again);
  const name = draft.value.trim();
  const done = () => { draft.value = ""; };
  const keepHere = () => run(Promise.resolve(keep(of, name, parametersOf(location.search))), t("views.kept"), done);
  /** @param {SubmitEvent} event */
  const send = (event) => {
    event.preventDefault();
    if (faultOfName(name)) refuse(faultOfName(name));
    else if (/** @type {HTMLButtonElement | null} */ (event.submitter)?.value !== "team") keepHere();
    else run(sendJson("POST", "/v1/views", { page: of, name, parameters: parametersOf(location.search) }, { project }), t("views.stored"), done);
  };
  const form = html`<form class="save" onSubmit=${send}><input name="name" value=${draft.value} required pattern=".*\\S.*" aria-label=${t("views.name")} placeholder=${t("views.name")}
      onInput=${(/** @type {Event} */ event) => { draft.value = /** @type {HTMLInputElement} */ (event.target).value; }} />
      <button class="main" value="own">${t("views.save.own")}</button><button value="team">${t("views.save.team")}</button></form>`;
  const outcome = html`<${Trouble} error=${error} notice=${notice}>${error && error.status !== 409 && !faultOfName(name) && html`<button onClick=${keepHere}>${t("views.keep")}</button>`}<//>`;
  return { form, outcome };
}
