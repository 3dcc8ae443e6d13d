/** Adds the runs selected in the list to an existing or a new queue. */
import "../i18n/judging_runs.js";
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { link, place } from "../state/place.js";
import { html, line, Menu } from "../ui/html.js";
import { picked } from "./next.js";

/** @param {{ids: string[]}} props */
export const AddToQueue = ({ ids }) => html`<${Menu} class="steady" label=${t("queue.add")}><${Choices} ids=${ids} /><//>`;

/** @param {{ids: string[]}} props */
function Choices({ ids }) {
  const { project } = place.value.query;
  const { data, error } = useFetched("/v1/queues", { project });
  const [notice, setNotice] = useState("");
  /** @param {import("./view.js").Queue} queue */
  const add = (queue) => {
    const { scheme, mode, annotators, each, blind, order, away, threshold, sample, where, living, instructions } = queue;
    const body = { scheme, mode, annotators, each, blind, order, away, threshold, sample, where, living, instructions, trace_ids: ids };
    sendJson("PUT", `/v1/queues/${part(queue.name)}`, body, { project: queue.project }).then(
      (now) => setNotice(t("queue.added", { name: queue.name, put: ids.length, n: now.items })), (why) => setNotice(asError(why).message));
  };
  const create = () => {
    picked.value = ids;
    location.href = link("/queues", { new: "1", project });
  };
  // The queues are loaded later, so they are below the button, which must not move before it is clicked.
  return html`<ul class="choices"><li><button class="plain" onClick=${create}>${t("queue.new")}</button></li>
    ${(data?.items ?? []).map((/** @type {import("./view.js").Queue} */ queue) => html`<li key=${queue.name}><button class="plain" onClick=${() => add(queue)}>${line(queue.name, 40)}</button></li>`)}</ul>
    <p class="quiet" role="status">${notice || error?.message}</p>`;
}
