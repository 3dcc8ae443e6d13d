/** Adjudication: the annotations of a run by all annotators, side by side, and the decisions of an adjudicator. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getBytes, sendJson } from "../api.js";
import { decider, left, rowsOf, Steps } from "../adjudication/steps.js";
import { t } from "../i18n/index.js";
import { asError, part, useAgain, useFetched, useRuns } from "../ui/fetched.js";
import { Judging } from "../judging/frame.js";
import { RunLink } from "../judging/parts.js";
import { Failure, Refusal } from "../ui/frame.js";
import { annotator } from "../state/reader.js";
import { change, link, place } from "../state/place.js";
import { StepPanel } from "../step/panel.js";
import { decode, rowOf } from "../tree/outline.js";
import { html } from "../ui/html.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */

export function Page() {
  const { trace = "", scheme = "", queue, all, project } = place.value.query;
  const schemes = useFetched("/v1/schemes", { project }).data;
  const shown = [...(schemes?.items ?? []), ...(schemes?.presets ?? [])].find((one) => one.name === scheme);
  const runs = useRuns(trace ? [trace] : [], project);
  return html`<${Judging} title=${t("adjudication.title")}>
    <p class="across">${trace && html`<span><${RunLink} id=${trace} run=${runs[trace]} project=${project} queue=${queue} scheme=${scheme} /></span>`}
      <label class="check"><input type="checkbox" checked=${!all} onChange=${() => change({ all: all ? null : "1" })} /> ${t("adjudication.differing")}</label>
      ${queue && html`<${Over} queue=${queue} trace=${trace} project=${project} />`}</p>
    ${!annotator.value && html`<p>${t("who.first")}</p>`}
    ${trace && html`<${Run} key=${`${trace} ${scheme}`} trace=${trace} scheme=${shown} />`}
  <//>`;
}

/** The annotations of one run with one scheme; the state of the previous run is dropped. @param {{trace: string, scheme?: import("../annotate/scheme.js").Scheme}} props */
function Run({ trace, scheme }) {
  const { scheme: name = "", all, step, project } = place.value.query;
  const path = `/v1/trajectories/${trace}`;
  const { data, error, again } = useFetched(`${path}/annotations`, { scheme: name, project });
  const outline = useOutline(path, project);
  const i = outline && step ? rowOf(outline, step) : -1;
  return html`${error && html`<${Failure} error=${error} again=${again} />`}
    ${data?.withheld > 0 && html`<p class="odd">${t("adjudication.withheld", { n: data.withheld })}</p>`}
    ${data && outline && scheme && html`<div class="sides-by">
      <${Steps} rows=${rowsOf(data.items, outline)} scheme=${scheme} isAll=${Boolean(all)} trace=${trace} project=${project} again=${again} outline=${outline} />
      ${i >= 0 && html`<aside class="step" aria-label=${t("step.label")}><${StepPanel} path=${path} id=${step} name=${outline.names[outline.name[i]]} kind=${outline.kinds[outline.kind[i]]} project=${project} o=${outline} row=${i} /></aside>`}</div>`}`;
}

/** The outline of a run; null until it is loaded. @param {string} path @param {string | undefined} project */
function useOutline(path, project) {
  const [outline, setOutline] = useState(/** @type {Outline | null} */ (null));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [attempt] = useAgain(error); // the parallel request for the annotations shows the error if the service does not respond
  useEffect(() => {
    const until = new AbortController();
    getBytes(`${path}/outline`, { project }, until.signal).then((bytes) => { setOutline(decode(bytes)); setError(null); }, (failed) => { if (!until.signal.aborted) setError(asError(failed)); });
    return () => until.abort();
  }, [path, project, attempt]);
  return outline;
}

/** Marks an item as decided, and opens the next item to decide. @param {{queue: string, trace: string, project: string | undefined}} props */
function Over({ queue, trace, project }) {
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [notice, setNotice] = useState("");
  const path = `/v1/queues/${part(queue)}/items`;
  const { data, again } = useFetched(path, { project });
  /** @type {{trace_id: string, state: string}[]} */
  const items = data?.items ?? [];
  const next = items.find((item) => item.state === "to_adjudicate" && item.trace_id !== trace);
  const state = items.find((item) => item.trace_id === trace)?.state;
  const decide = async () => {
    try {
      await sendJson("POST", `${path}/${trace}/adjudicate`, {}, { project });
      again();
      if (next) change({ trace: next.trace_id, step: null }, true);
      setNotice(next ? "" : t("adjudication.none"));
    } catch (failed) {
      setError(asError(failed));
    }
  };
  return html`<span class="room"></span>${state && html`<span class="i-${state}">${t(`item.${/** @type {import("../judging/parts.js").State} */ (state)}`)}</span>`}
    ${left.value > 0 && html`<span class="quiet">${t("adjudication.left", { n: left.value })}</span>`}
    ${trace ? html`<button class="main" disabled=${!annotator.value || left.value > 0} title=${t("adjudication.as", { who: decider() })} onClick=${decide}>${next ? t("adjudication.done.next") : t("adjudication.done")}</button>` : html`<span>${t("adjudication.choose")}</span>`}
    <a href=${link("/queues", { queue, project, state: "to_adjudicate" })}>${t("adjudication.list")}</a>
    <span role="status">${notice}</span><${Refusal} error=${error} />`;
}
