/** Scores of the steps of a run by rules and models. */
import { getJson } from "../api.js";

const EVALUATORS = ["model", "rule", "llm", "code", "api"];
const MOST = 1000;

/** Scores of steps by rules and models; people's marks are known already. @param {string} trace @param {string | undefined} project @returns {Promise<any[]>} */
export async function stepScores(trace, project) {
  const data = await getJson("/v1/scores", { project, trace_id: trace, source: EVALUATORS, target: "step", limit: MOST }).catch(() => null);
  return data?.items ?? [];
}
