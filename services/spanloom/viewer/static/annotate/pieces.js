/**
 * Annotations of pieces of steps: corrected texts, and places in a text. Of a scheme of steps they are
 * members of the step's value; of a scheme of the whole run they are members of the run's, each naming its step.
 */
import { say } from "./deeds.js";
import { isStepwise } from "./scheme.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {{step_id?: string, field: "input" | "output", part?: string}} Piece `part`: of messages, where in them */
/** @typedef {Piece & {original: string, edited: string, reason?: string}} Correction */
/** @typedef {Piece & {start: number, end: number, text: string, type?: string, subtype?: string, severity?: string}} Place UTF-16 units of the text, and the text between them */

/** The pieces of a scheme by their name in the value; none for a type of scheme without pieces. */
const NAMES = /** @type {const} */ ({ corrections: ["trajectory_eval", "trajectory_edit"], spans: ["trajectory_eval", "error_span"] });

/** @typedef {keyof typeof NAMES} Name */

/** @param {Session} of @param {Name} name */
export const hasPieces = ({ scheme }, name) => /** @type {readonly string[]} */ (NAMES[name]).includes(scheme.annotation_type);

/** All pieces where those of a step are kept. @param {Session} of @param {string} at @param {Name} name @returns {any[]} */
function every(of, at, name) {
  const found = of.mark(isStepwise(of.scheme) ? at : "").value[name];
  return Array.isArray(found) ? found : [];
}

/** @param {Session} of @param {string} at @param {Piece} piece */
const isOf = (of, at, piece) => isStepwise(of.scheme) || piece.step_id === at;

/** The pieces of a step. @param {Session} of @param {string} at @param {Name} name @returns {any[]} */
export const piecesOf = (of, at, name) => every(of, at, name).filter((one) => isOf(of, at, one));

/** Whether a piece is of this part of a text. @param {Piece} piece @param {string} field @param {string} part */
export const isIn = (piece, field, part) => piece?.field === field && (piece.part ?? "") === part;

/** Replace the pieces. @param {Session} of @param {string} at @param {Name} name @param {Piece[]} pieces @param {boolean} [isTyping] */
export function putPieces(of, at, name, pieces, isTyping = false) {
  const isOfSteps = isStepwise(of.scheme);
  const kept = every(of, at, name).filter((one) => !isOf(of, at, one));
  const all = [...kept, ...pieces.map((one) => (isOfSteps ? one : { step_id: at, ...one }))];
  say(of, isOfSteps ? at : "", { value: { [name]: all.length ? all : null } }, { isTyping });
}
