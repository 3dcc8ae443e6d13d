/** The readable versions of the run: the newest, and those that were kept because they are annotated. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { clock, moment } from "../format.js";
import { t } from "../i18n/index.js";
import { link, place } from "../state/place.js";
import { html, Menu } from "../ui/html.js";
import { runPath, traceId, view } from "./state.js";

/** @typedef {{version: number, is_newest: boolean, stored_at: string}} Version */

/** Fetch the versions, newest first. @returns {Promise<Version[]>} */
export async function keptVersions() {
  const { project } = place.peek().query;
  return (await getJson(`${runPath()}/versions`, { project })).items;
}

export function Versions() {
  const [items, setItems] = useState(/** @type {Version[]} */ ([]));
  const mine = view.value?.o.version ?? 0;
  useEffect(() => {
    if (mine) keptVersions().then(setItems, () => {});
  }, [mine]);
  if (!mine) return "";
  return html`<${Menu} class="versions" label=${`v${mine} ▾`} name=${t("versions")}>
    <ul class="choices">${items.map((one) => html`<${Line} key=${one.version} one=${one} mine=${mine} />`)}</ul>
    ${items.length < 2 && html`<p class="quiet">${t("versions.only")}</p>`}
  <//>`;
}

/** @param {{one: Version, mine: number}} props */
function Line({ one, mine }) {
  const { project, step, view: shown } = place.value.query;
  const at = Number(one.stored_at);
  const here = link(`/trajectories/${traceId()}`, { project, step, view: shown, version: one.is_newest ? null : String(one.version) });
  const note = html`<span class="quiet" title=${moment(at)}>${one.is_newest ? `${t("versions.newest")} · ` : ""}${t(one.is_newest ? "versions.stored" : "versions.kept", { at: clock(at) })}</span>`;
  if (one.version === mine) return html`<li><span><b>v${mine}</b> ${note}</span></li>`;
  const [a, b] = [one.version, mine].sort((x, y) => x - y);
  return html`<li><a href=${here}><b>v${one.version}</b> ${note}</a>
    <a href=${link("/diff", { a: traceId(), b: traceId(), project, av: String(a), bv: String(b) })}>${t("versions.compare", { version: one.version })}</a></li>`;
}
