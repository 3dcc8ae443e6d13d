/** The texts of a step in a version: the one on the screen, or one that was annotated. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { runPath } from "../run/state.js";

/** @typedef {{id: string, name: string, input: string, output: string}} Step */

const MOST = 16;
/** @type {Map<string, Promise<Step | null>>} */
const requests = new Map();

/** @param {string} id @param {number} version @param {string} project @returns {Promise<Step | null>} null: the version was not kept */
function stepOf(id, version, project) {
  const key = `${runPath()} ${id} ${version}`;
  const known = requests.get(key) ?? getJson(`${runPath()}/steps/${id}`, { version, project }).catch(() => null);
  requests.delete(key);
  requests.set(key, known);
  for (const old of requests.keys()) if (requests.size > MOST) requests.delete(old);
  return known;
}

/** The step of a version, null while it is loading and if it does not exist. @param {import("./session.js").Session} of @param {string} id @param {number} [version] */
export function useStepTexts({ context }, id, version = context.version) {
  const [step, setStep] = useState(/** @type {Step | null} */ (null));
  useEffect(() => {
    let isOver = false;
    setStep(null);
    if (id) void stepOf(id, version, context.project).then((found) => { if (!isOver) setStep(found); });
    return () => { isOver = true; };
  }, [id, version]);
  return step?.id === id ? step : null;
}
