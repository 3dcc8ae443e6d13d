/** The two runs of a comparison, and links to their own pages. */
import { link, place } from "../state/place.js";

/** @typedef {{trace_id: string, project: string, version: number, status: string, outcome: string, name: string, started_at: string}} Side */

/** The URL of a side's run, with its version if two versions of one run are compared. @param {Side} side @param {string} [step] */
export function sideLink(side, step) {
  const { project, av, bv } = place.value.query;
  const version = [av, bv].find((one) => Number(one) === side.version);
  return link(`/trajectories/${side.trace_id}`, { project, step, version });
}

/** The id of a run in pasted text: the id itself, or a URL that contains it; empty if there is none. @param {string} text */
export function idIn(text) {
  return /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i.exec(text)?.[0].toLowerCase() ?? "";
}
