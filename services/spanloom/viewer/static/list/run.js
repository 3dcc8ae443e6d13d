/** A run as a list shows it, and its outcome. */
import { t } from "../i18n/index.js";
import { link } from "../state/place.js";

/** A line of `GET /v1/trajectories`. @typedef {import("../records.js").Run} Run */

/** The page of a run. @param {{trace_id: string, project: string}} run @param {Record<string, string | undefined>} [query] */
export const pageOf = (run, query = {}) => link(`/trajectories/${run.trace_id}`, { project: run.project === "default" ? null : run.project, ...query });

/** Return the state of a run in words. @param {{status: string, outcome: string}} run */
export function stateOf(run) {
  const state = run.status === "settled" ? run.outcome : run.status;
  const signs = /** @type {Record<string, string>} */ ({ ok: "✓", recovered: "↻", paused: "❚❚", cancelled: "⊘", unfinished: "…", failed: "✕", live: "●", partial: "◌" });
  return { state, sign: signs[state] ?? "·", words: t(/** @type {import("../i18n/index.js").Key} */ (`state.${state}`)) };
}
