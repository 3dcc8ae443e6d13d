/** The runs of a conversation, oldest first. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { clock, duration, moment, short } from "../format.js";
import { t } from "../i18n/index.js";
import { stateOf } from "../list/run.js";
import { link, place } from "../state/place.js";
import { Failure, Frame } from "../ui/frame.js";
import { html } from "../ui/html.js";
import { visible } from "../ui/visible.js";

/** @typedef {import("../list/run.js").Run} Run */

export function Page() {
  const { id = "", project } = place.value.query;
  const [runs, setRuns] = useState(/** @type {Run[]} */ ([]));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const load = () => {
    getJson(`/v1/conversations/${encodeURIComponent(id)}`, { project, limit: 200 }).then(
      (told) => { setRuns(told.items); setError(null); }, setError);
  };
  useEffect(load, [id, project]);
  return html`<${Frame} title=${id} nav=${html`<h1 class="crumb">${t("conversation.title")} <bdi>${visible(id)}</bdi></h1>`}>
    <main class="talk">
      ${error && html`<${Failure} error=${error} again=${load} />`}
      ${runs.map((run) => html`<${Turn} key=${run.trace_id} run=${run} />`)}
    </main>
  <//>`;
}

/** @param {{run: Run}} props */
function Turn({ run }) {
  const { state, sign, words } = stateOf(run);
  const at = Number(run.started_at);
  return html`<article class="turn">
    <header><span class="state s-${state}" title=${words}>${sign}<span class="sr"> ${words}</span></span>
      <a href=${link(`/trajectories/${run.trace_id}`, { project: run.project === "default" ? null : run.project })}><bdi>${visible(run.root_name)}</bdi></a>
      <span class="quiet" title=${moment(at)}>${clock(at)} · ${duration(Number(run.duration))} · ${short(run.input_tokens)} / ${short(run.output_tokens)} token</span></header>
    ${run.question && html`<p class="asked">${visible(run.question)}</p>`}
    ${run.answer && html`<p class="answered">${visible(run.answer)}</p>`}
  </article>`;
}
