/** Writes as requests to the service, and its reasons for refusing them. */
/** @typedef {import("./writes.js").Write} Write */
/** @typedef {import("../api.js").ApiError} ApiError */

/** A batch as a request: path, body, query, and the annotator. @param {Write[]} batch @returns {[string, object, import("../api.js").Params, string]} */
export function request(batch) {
  const [{ kind, id, group, edit, context }] = batch;
  const { trace, project, scheme, annotator, version } = context;
  const path = `/v1/trajectories/${trace}/annotations`;
  if (kind === "undo") return [`${path}/undo`, { scheme, write_id: id, group }, { project }, annotator];
  if (kind === "branch") return [`${path}/bulk`, { scheme, write_id: id, version, below: group, correctness: edit.correctness }, { project }, annotator];
  const items = batch.map((one) => ({ write_id: one.id, step_id: one.step, base_revision: one.base, ...one.edit }));
  return [path, { scheme, version, items }, { project }, annotator];
}

/** Why each write of a batch is refused, by its place. @param {ApiError} error @param {number} count */
export function reasons(error, count) {
  const named = error.errors.flatMap(({ parameter, detail }) => {
    const [, place] = /^items\[(\d+)\]/.exec(parameter) ?? [];
    return place === undefined ? [] : [/** @type {const} */ ([Number(place), `${parameter}: ${detail}`])];
  });
  return new Map(named.length ? named : Array.from({ length: count }, (_, place) => [place, error.message]));
}
