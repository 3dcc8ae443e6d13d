/** A run as a list shows it, and how it went. */
import { t } from "../i18n/index.js";
import { link } from "../state/place.js";

/**
 * A line of `GET /v1/trajectories`.
 * @typedef {{trace_id: string, project: string, version: number, status: string, outcome: string, root_name: string,
 *   root_type: string, started_at: string, duration: string, model_time: string, tool_time: string, failures: number, agent_names: string[],
 *   step_counts: Record<string, number>, span_count: number, input_tokens: number, output_tokens: number,
 *   cost: number | null, conversation_id: string | null, question: string, answer: string, models: string[],
 *   services: string[], environment: string | null, user_id: string | null, tags: string[]}} Run
 */

/** The page of a run. @param {{trace_id: string, project: string}} run @param {Record<string, string | undefined>} [query] */
export const pageOf = (run, query = {}) => link(`/trajectories/${run.trace_id}`, { project: run.project === "default" ? null : run.project, ...query });

/** Say in words how a run stands. @param {{status: string, outcome: string}} run */
export function stateOf(run) {
  const state = run.status === "settled" ? run.outcome : run.status;
  const signs = /** @type {Record<string, string>} */ ({ ok: "✓", recovered: "↻", paused: "❚❚", cancelled: "⊘", failed: "✕", live: "●", partial: "◌" });
  return { state, sign: signs[state] ?? "·", words: t(/** @type {import("../i18n/index.js").Key} */ (`state.${state}`)) };
}
