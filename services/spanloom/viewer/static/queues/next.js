/** Opens the next item of a queue, and holds runs that were selected in the list for a new queue. */
import { annotator, kept } from "../state/reader.js";
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { asError, part } from "../ui/fetched.js";
import { link, ownProject } from "../state/place.js";
import { html } from "../ui/html.js";

// Runs selected in the list for a queue; stored while the browser tab is open.

/** The trace ids of the selected runs. */
export const picked = kept("picked", /** @type {string[]} */ ([]), sessionStorage);

export function unpick() {
  picked.value = [];
}

// Opens the next item of a queue for the current annotator, with the queue and the item in the URL.

/**
 * Begin the next item and return its URL; empty if nothing is left.
 * @param {string} name @param {string} scheme @param {string | undefined} project
 */
export async function nextAddress(name, scheme, project) {
  const { trace_id: id } = await sendJson("POST", `/v1/queues/${part(name)}/next`, {}, { project });
  return id ? link(`/trajectories/${id}`, { project, queue: name, annotate: scheme }) : "";
}

/** Whether a person may annotate a queue: its annotators may, and any person if its mode is `free`. @param {import("./view.js").Queue} queue @param {string} who */
const isOf = (queue, who) => queue.mode === "free" || queue.annotators.includes(who);

/** @param {{queue: import("./view.js").Queue, isMain?: boolean}} props */
export function NextButton({ queue, isMain = false }) {
  const [notice, setNotice] = useState("");
  const project = ownProject(queue.project);
  const open = async () => {
    try {
      const address = await nextAddress(queue.name, queue.scheme, project);
      if (address) location.href = address;
      else setNotice(t(isOf(queue, annotator.peek()) ? "queue.nothing" : "queue.others"));
    } catch (error) {
      setNotice(asError(error).message);
    }
  };
  const who = annotator.value;
  return html`<button class=${isMain ? "main" : ""} disabled=${!who} title=${who ? "" : t("who.first")} onClick=${open}>${t("queue.next")}</button>
    <span role="status" class="quiet">${notice && ` ${notice}`}</span>`;
}
