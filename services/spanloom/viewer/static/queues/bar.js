/** The bar above a run that was opened from a queue: instructions, the number of the item, and its buttons. */
import "../i18n/judging_runs.js";
import { useEffect, useLayoutEffect, useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { annotator, dones } from "../state/reader.js";
import { link, place } from "../state/place.js";
import { html, visible } from "../ui/html.js";
import { nextAddress } from "./next.js";

const CHORD = { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true };

/** Mark a run as done, like the keyboard shortcut; an open annotation panel first stores pending writes. */
const pressDone = () => document.body.dispatchEvent(new KeyboardEvent("keydown", CHORD));

/** @param {{trace: string}} props */
export function QueueBar({ trace }) {
  const { queue = "", project } = place.value.query;
  const [error, setError] = useState("");
  const path = `/v1/queues/${part(queue)}/items/${trace}`;
  const { data, error: failed, again } = useFetched(path, { project });
  useEffect(() => { if (dones.value) again(); }, [dones.value]);
  const who = annotator.value;
  const isDone = data?.item.done_by.includes(who);
  /** @param {() => Promise<string>} act returns the message to show, if any */
  const attempt = (act) => { setError(""); act().then(setError, (refused) => setError(asError(refused).message)); };
  const finish = async () => {
    await sendJson("POST", `${path}/done`, {}, { project });
    const next = await nextAddress(queue, data.scheme, project);
    if (next) location.href = next;
    again();
    return next ? "" : t("queue.nothing");
  };
  const reopen = () => sendJson("POST", `${path}/reopen`, {}, { project }).then(() => { again(); return ""; });
  const begins = Boolean(who && data?.is_mine && !isDone);
  useEffect(() => {
    if (begins) sendJson("POST", `${path}/begin`, {}, { project }).catch(() => {}); // if it fails, only the duration is unknown
  }, [begins, who, path, project]);
  useLayoutEffect(() => { // the button works as soon as it is visible
    /** @param {KeyboardEvent} event */
    const listen = (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !data) return;
      setTimeout(() => { if (!event.defaultPrevented) attempt(finish); }); // after all other listeners
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [data, who]);
  if (failed) return html`<div class="queue-bar" role="alert">${failed.message}</div>`;
  if (!data) return html`<div class="queue-bar"></div>`;
  return html`<div class="queue-bar" role="region" aria-label=${t("queue.bar")}>
    <a href=${link("/queues", { queue, project })}><bdi>${visible(queue)}</bdi></a>
    <span>${data.at ? t("queue.at", { at: data.at, n: data.of }) : t("queue.notmine")}${isDone ? ` · ${t("item.done")} ✓` : ""}</span>
    ${data.instructions && html`<details><summary>${t("queue.instructions")}</summary><p>${visible(data.instructions)}</p></details>`}
    <span class="refusal" role="alert">${error}</span><span class="room"></span>
    ${isDone ? html`<button onClick=${() => attempt(reopen)}>${t("queue.reopen")}</button>` : ""}
    <button class="main" disabled=${!who} title=${who ? "Ctrl+Enter" : t("who.first")} onClick=${pressDone}>${t("queue.done")}</button>
  </div>`;
}
