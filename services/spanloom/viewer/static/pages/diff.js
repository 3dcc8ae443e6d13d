/** Two runs side by side: the differences that the service reports (docs/api.md, Diff). */
import { diff as en } from "../i18n/en/diff.js";
import { learn, t } from "../i18n/index.js";
import { diff as zh } from "../i18n/zh/diff.js";
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { DiffForm, Steps, Sums } from "../diff/steps.js";
import { listAddress } from "../run/neighbours.js";
import { change, link, place } from "../state/place.js";
import { Failure, Frame } from "../ui/frame.js";
import { html } from "../ui/html.js";

learn({ en, zh });

export function Page() {
  const { a = "", b = "" } = place.value.query;
  return html`<${Frame} title=${t("diff.title")} nav=${html`<div class="neighbours"><a href=${listAddress()}>‹ ${t("list.title")}</a><h1 class="crumb">${t("diff.title")}</h1></div>`}>
    <main class="diff">${a && b ? html`<${Diff} a=${a} b=${b} />` : html`<${DiffForm} a=${a} b=${b} />`}</main>
  <//>`;
}

/** @param {{a: string, b: string}} props */
function Diff({ a, b }) {
  const { av, bv, project, every, texts, order } = place.value.query;
  const [diff, setDiff] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const load = () => {
    const until = new AbortController();
    const params = { project, version: av, other_version: bv, every: every ? "true" : "", whole_texts: texts ? "true" : "" };
    getJson(`/v1/trajectories/${encodeURIComponent(a)}/diff/${encodeURIComponent(b)}`, params, until.signal).then(
      (data) => (!order && isNewerFirst(data) ? change({ a: b, b: a, av: bv, bv: av }) : (setDiff(data), setError(null))), (failed) => { if (!until.signal.aborted) setError(failed); });
    return () => until.abort();
  };
  useEffect(load, [a, b, av, bv, project, every, texts, order]);
  if (error) return html`<${Failure} error=${error} again=${load} /><${DiffForm} a=${a} b=${b} />`;
  return diff && html`<${Sums} diff=${diff} />
    <h2>${t("diff.steps")}</h2>
    <p class="switched"><${Switch} name="every" on=${every} label=${t("diff.every")} /> <${Switch} name="texts" on=${texts} label=${t("diff.texts")} />
      <a href=${link("/diff", { ...place.value.query, a: b, b: a, av: bv, bv: av, order: "given" })}>⇄ ${t("diff.swap")}</a></p>
    ${diff.same && html`<p>${t("diff.same")}</p>`}
    <${Steps} diff=${diff} />`;
}

/** Whether the newer run or version would be on the left. @param {{a: import("../diff/steps.js").Side, b: import("../diff/steps.js").Side}} diff */
function isNewerFirst({ a, b }) {
  const apart = Number(a.started_at) - Number(b.started_at);
  return apart > 0 || (apart === 0 && a.trace_id === b.trace_id && a.version > b.version);
}

/** @param {{name: string, on: string | undefined, label: string}} props */
function Switch({ name, on, label }) {
  return html`<label class="check"><input type="checkbox" checked=${Boolean(on)} onChange=${() => change({ [name]: on ? null : "1" })} /> ${label}</label>`;
}
