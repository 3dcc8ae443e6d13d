/** How many runs came since the list was asked for: told, and shown only when somebody asks. */
import { useEffect } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { t } from "../i18n/index.js";
import { follow } from "../state/follow.js";
import { place } from "../state/place.js";
import { html } from "../ui/html.js";
import { load, runs } from "./runs.js";

const arrived = signal(/** @type {Set<string>} */ (new Set()));
const changed = signal(/** @type {Set<string>} */ (new Set()));
const isLive = signal(false);

/** Which of the runs on show have a newer version meanwhile. */
export const outdated = changed;

/** @param {import("../state/follow.js").Change} change */
function note(change) {
  const shown = runs.peek()?.find((run) => run.trace_id === change.trace_id && run.project === change.project);
  if (shown && shown.version >= change.version) return;
  const set = shown ? changed : arrived;
  if (!set.peek().has(change.trace_id)) set.value = new Set(set.peek()).add(change.trace_id);
}

/** The newest runs as they are now. */
function refresh() {
  arrived.value = new Set();
  changed.value = new Set();
  void load();
}

export function Live() {
  const { where, project } = place.value.query;
  useEffect(() => {
    arrived.value = new Set();
    return follow({ project }, note, (is) => { isLive.value = is; });
  }, [project]);
  const came = arrived.value.size;
  const moved = changed.value.size;
  const words = [came && t(where ? "live.arrived" : "live.new", { n: came }), moved && t("live.changed", { n: moved })];
  const sign = isLive.value ? "on" : "off";
  return html`<span class="live" role="status">
    <i class="dot ${sign}" title=${t(`live.${sign}`)}></i>
    ${came || moved ? html`<button class="news" onClick=${refresh}>${words.filter(Boolean).join(" · ")} ↑</button>` : ""}
  </span>`;
}
