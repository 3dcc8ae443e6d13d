/** Experiments: their list, one experiment, or a comparison of two. */
import { experiments as en } from "../i18n/en/experiments.js";
import { list as enList } from "../i18n/en/list.js";
import { learn, t } from "../i18n/index.js";
import { experiments as zh } from "../i18n/zh/experiments.js";
import { list as zhList } from "../i18n/zh/list.js";
import { useState } from "../vendor/hooks.js";
import { clock, moment } from "../format.js";
import { ComparedExperiments } from "../evaluation/compared.js";
import { ExperimentView, Progress } from "../evaluation/experiment.js";
import { Evaluation, Sheet } from "../evaluation/frame.js";
import { NewExperiment } from "../evaluation/new_experiment.js";
import { change, link, ownProject, place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";

learn({ en: { ...enList, ...en }, zh: { ...zhList, ...zh } });

/** @typedef {import("../records.js").ExperimentItem} Experiment */

export function Page() {
  const { name, a, b, project } = place.value.query;
  if (a && b) return html`<${Evaluation} title=${t("compared.title")}><${ComparedExperiments} key=${JSON.stringify([a, b])} a=${a} b=${b} project=${project} /><//>`;
  return html`<${Evaluation} title=${name ? visible(name) : t("evaluation.experiments")}>
    ${name ? html`<${ExperimentView} key=${name} name=${name} project=${project} />` : html`<${Experiments} project=${project} />`}<//>`;
}

/** @param {{project: string | undefined}} props */
function Experiments({ project }) {
  const { data, error, again } = useFetched("/v1/experiments", { project });
  const isNew = Boolean(place.value.query.new);
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  /** @type {Experiment[]} */
  const experiments = (data?.items ?? []).toSorted((/** @type {Experiment} */ one, /** @type {Experiment} */ other) => Number(other.started_at ?? 0) - Number(one.started_at ?? 0));
  const turn = (/** @type {string} */ name) => setChosen((before) => (before.includes(name) ? before.filter((one) => one !== name) : [...before, name].slice(-2)));
  const [b, a] = experiments.filter((one) => chosen.includes(one.name)); // the older experiment is A
  return html`${error && html`<${Failure} error=${error} again=${again} />`}
    <p class="across"><button class=${isNew ? "" : "main"} aria-expanded=${String(isNew)} onClick=${() => change({ new: isNew ? null : "1", dataset: null }, true)}>${t("experiments.new")}</button>
      ${a && b ? html`<a class="button" href=${link("/experiments", { a: a.name, b: b.name, project })}>${t("experiments.compare")}</a>` : experiments.length > 1 && html`<button disabled title=${t("experiments.two")}>${t("experiments.compare")}</button>`}
      <span class="quiet">${t(data && !experiments.length ? "experiments.none" : "experiments.about")}</span></p>
    ${isNew && html`<${NewExperiment} names=${experiments.map((one) => one.name)} project=${project} />`}
    ${experiments.length > 0 && html`<${Sheet} label=${t("evaluation.experiments")} class="experiments">
      <thead><tr><th>${t("experiment.name")}</th><th>${t("experiment.status")}</th><th>${t("experiment.dataset")}</th><th>${t("experiment.evaluators")}</th><th>${t("experiment.started")}</th></tr></thead>
      <tbody>${experiments.map((one) => html`<${Row} key=${one.name} of=${one} isChosen=${chosen.includes(one.name)} turn=${turn} />`)}</tbody><//>`}`;
}

/** @param {{of: Experiment, isChosen: boolean, turn: (name: string) => void}} props */
function Row({ of, isChosen, turn }) {
  const { name, project, dataset, evaluators, started_at: at, started_by: by } = of;
  const none = html`<span class="none">–</span>`;
  return html`<tr><td><span class="chooses"><label><input type="checkbox" checked=${isChosen} aria-label=${t("experiments.choose.one", { name })} onChange=${() => turn(name)} /></label>
      <a href=${link("/experiments", { name, project: ownProject(project) })}><bdi>${line(name, 60)}</bdi></a></span></td><td data-label=${t("experiment.status")}><${Progress} of=${of} /></td>
    <td data-label=${t("experiment.dataset")}><bdi>${dataset ? line(dataset, 60) : t("experiment.stored")}</bdi></td><td data-label=${t("experiment.evaluators")}>${evaluators.length ? line(evaluators.map((one) => one.name).join(", "), 60) : none}</td>
    <td data-label=${t("experiment.started")} title=${at ? moment(Number(at)) : ""}><span>${at ? clock(Number(at)) : none} <span class="quiet"><bdi>${line(by, 40)}</bdi></span></span></td></tr>`;
}
