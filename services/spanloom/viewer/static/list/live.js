/** Counts runs that arrived since the list was loaded; they are shown only on request. */
import { useEffect } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { follow } from "../state/follow.js";
import { conditions, joined, quoted } from "../state/filters.js";
import { place } from "../state/place.js";
import { html } from "../ui/html.js";
import { load, question, runs } from "./runs.js";

const arrived = signal(/** @type {Set<string>} */ (new Set()));
const changed = signal(/** @type {Set<string>} */ (new Set()));
const isLive = signal(false);
/** Runs that have not been checked against the filter yet. @type {Set<string>} */
const unchecked = new Set();
const PAUSE_MS = 700;
const AT_ONCE = 50;
let asking = 0;

/** The displayed runs that have a newer version. */
export const outdated = changed;

/** @param {import("../state/follow.js").Change} change */
function note(change) {
  const shown = runs.peek()?.find((run) => run.trace_id === change.trace_id && run.project === change.project);
  if (shown && shown.version >= change.version) return;
  if (!shown && place.peek().query.where) checkLater(change.trace_id);
  else add(shown ? changed : arrived, [change.trace_id]);
}

/** @param {import("../vendor/signals.js").Signal<Set<string>>} set @param {string[]} ids */
function add(set, ids) {
  if (ids.some((id) => !set.peek().has(id))) set.value = new Set([...set.peek(), ...ids]);
}

/** Check later whether a run matches the filter: only the service can check that, and it is queried for several runs at once. @param {string} id */
function checkLater(id) {
  unchecked.add(id);
  asking ||= setTimeout(() => void ask(), PAUSE_MS);
}

/** The value of `has_steps` to send explicitly, because the trace ids that are added to `where` would change its default. @param {import("../state/place.js").Query} query */
function filled(query) {
  const isAll = query.duplicate === "any" || /\b(?:has_steps|steps|trace_id)\b/.test(query.where ?? "");
  return query.has_steps ?? (isAll ? "any" : "true");
}

async function ask() {
  const { query } = place.peek();
  const ids = [...unchecked].slice(0, AT_ONCE);
  ids.forEach((id) => unchecked.delete(id));
  const where = joined([...conditions(query.where ?? ""), `trace_id in (${ids.map(quoted).join(", ")})`]);
  try {
    const data = await getJson("/v1/trajectories", { ...question(query), has_steps: filled(query), where, limit: AT_ONCE });
    if (place.peek().query.where === query.where) add(arrived, data.items.map((/** @type {import("./run.js").Run} */ run) => run.trace_id));
  } catch {
    // It is unknown whether these runs match, so they are not counted; each is checked again at its next change.
  }
  asking = unchecked.size ? setTimeout(() => void ask(), PAUSE_MS) : 0;
}

/** Reset the counts of new and changed runs, and reload the list. */
function refresh() {
  arrived.value = new Set();
  changed.value = new Set();
  void load();
}

export function Live() {
  const { where, project } = place.value.query;
  useEffect(() => {
    arrived.value = new Set();
    unchecked.clear();
    return follow({ project }, note, (is) => { isLive.value = is; });
  }, [project, where]);
  const came = arrived.value.size;
  const moved = changed.value.size;
  const words = [came && t("live.new", { n: came }), moved && t("live.changed", { n: moved })];
  const sign = isLive.value ? "on" : "off";
  return html`<span class="live" role="status">
    <i class="dot ${sign}" title=${t(`live.${sign}`)}></i>
    ${came || moved ? html`<button class="news" onClick=${refresh}>${words.filter(Boolean).join(" · ")} ↑</button>` : ""}
  </span>`;
}
