/** Requests of the pages for judging together. */
import { useFetched } from "../ui/fetched.js";

/** A name as part of a path. @param {string} name */
export const part = (name) => encodeURIComponent(name);

/**
 * Stored runs by their ids.
 * @param {string[]} ids up to 50 @param {string | undefined} project
 * @returns {Record<string, import("../list/run.js").Run>}
 */
export function useRuns(ids, project) {
  const where = ids.length ? `trace_id in (${ids.map((id) => `"${id}"`).join(", ")})` : "";
  const { data } = useFetched(where && "/v1/trajectories", { where, project, duplicate: "any", limit: ids.length || 1 });
  /** @type {import("../list/run.js").Run[]} */
  const runs = data?.items ?? [];
  return Object.fromEntries(runs.map((run) => [run.trace_id, run]));
}
