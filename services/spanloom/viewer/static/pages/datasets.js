/** Datasets: inputs and expected values, in drafts and in versions that never change. */
import { datasets as en } from "../i18n/en/datasets.js";
import { learn, t } from "../i18n/index.js";
import { datasets as zh } from "../i18n/zh/datasets.js";
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { DatasetView } from "../evaluation/dataset.js";
import { Evaluation, Sheet } from "../evaluation/frame.js";
import { clock, moment } from "../format.js";
import { MAX_NAME, VERSIONED_NAME } from "../choices.js";
import { change, link, ownProject, place } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { Failure, Refusal } from "../ui/frame.js";
import { html, line, useFocusBack, visible } from "../ui/html.js";

learn({ en, zh });

/** @typedef {import("../records.js").DatasetItem} Dataset */

export function Page() {
  const { name, project } = place.value.query;
  return html`<${Evaluation} title=${name ? visible(name) : t("evaluation.datasets")}>
    ${name ? html`<${DatasetView} key=${name} name=${name} project=${project} />` : html`<${Datasets} project=${project} />`}<//>`;
}

/** @param {{project: string | undefined}} props */
function Datasets({ project }) {
  const { data, error, again } = useFetched("/v1/datasets", { project });
  const isNew = Boolean(place.value.query.new);
  /** @type {Dataset[]} */
  const datasets = data?.items ?? [];
  return html`${error && html`<${Failure} error=${error} again=${again} />`}
    <p class="across"><button class=${isNew ? "" : "main"} aria-expanded=${String(isNew)} onClick=${() => change({ new: isNew ? null : "1" }, true)}>${t("datasets.new")}</button>
      <span class="quiet">${t(data && !datasets.length ? "datasets.none" : "datasets.about")}</span></p>
    ${isNew && html`<${NewDataset} names=${datasets.map((one) => one.name)} project=${project} />`}
    ${datasets.length > 0 && html`<${Sheet} label=${t("evaluation.datasets")}>
      <thead><tr><th>${t("datasets.name")}</th><th>${t("datasets.description")}</th><th class="number">${t("datasets.draft")}</th><th>${t("datasets.last")}</th><th>${t("datasets.changed")}</th></tr></thead>
      <tbody>${datasets.map((one) => html`<${Row} key=${one.name} of=${one} />`)}</tbody><//>`}`;
}

/** @param {{of: Dataset}} props */
function Row({ of: { name, project, description, draft_items: draft, versions, put_at: at, put_by: by } }) {
  const last = versions.at(-1);
  return html`<tr><td><a href=${link("/datasets", { name, project: ownProject(project) })}><bdi>${line(name, 60)}</bdi></a></td>
    <td data-label=${t("datasets.description")}>${description ? line(description, 100) : html`<span class="none">–</span>`}</td>
    <td class="number" data-label=${t("datasets.draft")}>${t("datasets.items.n", { n: draft })}</td>
    <td data-label=${t("datasets.last")}>${last ? html`<span>${last.version} <span class="quiet">${t("datasets.items.n", { n: last.items })}</span></span>` : html`<span class="none">–</span>`}</td>
    <td data-label=${t("datasets.changed")} title=${moment(Number(at))}><span>${clock(Number(at))} <span class="quiet"><bdi>${line(by, 40)}</bdi></span></span></td></tr>`;
}

/** @param {{names: string[], project: string | undefined}} props `names`: of existing datasets */
function NewDataset({ names, project }) {
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [isThere, setThere] = useState(false);
  const box = useFocusBack();
  /** @param {SubmitEvent} event */
  const make = (event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const name = String(given.get("name")).trim();
    if (names.includes(name)) { setThere(true); return; }
    sendJson("PUT", `/v1/datasets/${part(name)}`, { description: String(given.get("description")).trim() }, { project }).then(
      () => change({ new: null, name }, true), (failed) => setError(asError(failed)));
  };
  return html`<form class="fields" ref=${box} onSubmit=${make}>
    <label>${t("datasets.name")}<input name="name" required maxlength=${MAX_NAME} pattern=${VERSIONED_NAME} title=${t("datasets.name.rule")} autocomplete="off" autofocus onInput=${() => setThere(false)} /></label>
    <label>${t("datasets.description")}<input name="description" maxlength="10000" autocomplete="off" /></label>
    ${isThere && html`<p class="refusal full" role="alert">${t("datasets.there")}</p>`}<${Refusal} error=${error} />
    <p class="ends full"><button type="button" onClick=${() => change({ new: null })}>${t("cancel")}</button><button class="main">${t("datasets.make")}</button></p></form>`;
}
