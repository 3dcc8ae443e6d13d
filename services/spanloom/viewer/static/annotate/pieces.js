/** Annotations of passages in a step's texts: reads, stores and locates corrections and marked passages. */
import { parsed } from "../step/json.js";
import { areMessages } from "../step/messages.js";
import { visible } from "../ui/html.js";
import { annotateStep } from "./deeds.js";
import { isStepwise } from "./scheme.js";
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { runPath } from "../run/state.js";

// Splits a text of a step into readable parts: the contents and tool calls of its messages, otherwise the whole text.

/** @typedef {{part: string, role: string, text: string}} Part `part`: the path in the messages, `0.content`; empty for the whole text */

/** @param {string} text @returns {Part[]} */
export function partsOf(text) {
  const messages = parsed(text);
  const found = areMessages(messages) ? messages.flatMap(partsOfMessage) : [];
  return found.length ? found : [{ part: "", role: "", text }];
}

/** @param {import("../step/messages.js").Message} message @param {number} at @returns {Part[]} */
function partsOfMessage({ role, content, tool_calls: calls }, at) {
  const contents = typeof content === "string" && content ? [{ part: `${at}.content`, role, text: content }] : [];
  return [...contents, ...(calls ?? []).flatMap((call, k) => (call?.function?.arguments ? [{ part: `${at}.tool_calls.${k}.function.arguments`, role: call.function.name ?? "", text: call.function.arguments }] : []))];
}

// Splits a text at the ends of marked passages, and around each invisible character, which is shown as its code point.

/**
 * @param {string} text @param {{start: number, end: number, isMine: boolean}[]} places they may overlap
 * @returns {{start: number, end: number, mine: number, theirs: number}[]} all of the text, in its order
 */
export function cut(text, places) {
  const edges = new Set([0, text.length]);
  for (const { start, end } of places) for (const one of [start, end]) if (one > 0 && one < text.length) edges.add(one);
  if (visible(text) !== text) {
    let at = 0;
    for (const one of text) {
      if (visible(one) !== one) edges.add(at).add(at + one.length);
      at += one.length;
    }
  }
  const sorted = [...edges].sort((a, b) => a - b);
  return sorted.slice(1).map((end, k) => {
    const start = sorted[k];
    const over = places.filter((one) => one.start < end && one.end > start);
    const mine = over.filter((one) => one.isMine).length;
    return { start, end, mine, theirs: over.length - mine };
  });
}

// Finds marked passages again in a text that may have changed, by their words, as the service does.

/**
 * The position of a marked passage in a text; null if unknown. It is the marked position if the words are
 * still there, otherwise the position of the words if they occur exactly once. If they occur several times,
 * none is chosen, not even the nearest, because text inserted before may have moved them all.
 * @param {{start: number, end: number, text: string}} place @param {string} text
 * @returns {{start: number, end: number} | null} in UTF-16 units
 */
export function relocate({ start, end, text: words }, text) {
  if (!words) return null;
  if (start >= 0 && end - start === words.length && text.startsWith(words, start)) return { start, end };
  const at = text.indexOf(words);
  return at >= 0 && text.indexOf(words, at + 1) < 0 ? { start: at, end: at + words.length } : null;
}

/** The position of a marked passage in the current texts of its step. @param {Place} place @param {{input: string, output: string}} step */
export function relocateIn(place, step) {
  const part = partsOf(step[place.field] ?? "").find((one) => one.part === (place.part ?? ""));
  return part ? relocate(place, part.text) : null;
}

// Corrected texts and marked passages. With a scheme for steps they are members of the step's value; with a
// scheme for the whole run they are members of the run's value, each with the id of its step.

/** @typedef {import("./session.js").Session} Session */
/** @typedef {{step_id?: string, field: "input" | "output", part?: string}} Piece `part`: the path in the messages */
/** @typedef {Piece & {original: string, edited: string, reason?: string}} Correction */
/** @typedef {Piece & {start: number, end: number, text: string, type?: string, subtype?: string, severity?: string}} Place `start`, `end`: offsets in UTF-16 units; `text`: the text between them */

/** The types of scheme that have corrections or marked passages, by the name of that member of the value. */
const NAMES = /** @type {const} */ ({ corrections: ["trajectory_eval", "trajectory_edit"], spans: ["trajectory_eval", "error_span"] });

/** @typedef {keyof typeof NAMES} Name */

/** @param {Session} of @param {Name} name */
export const hasPieces = ({ scheme }, name) => /** @type {readonly string[]} */ (NAMES[name]).includes(scheme.annotation_type);

/** All corrections or marked passages in the value of a step, or of the run if the scheme is for whole runs. @param {Session} of @param {string} at @param {Name} name @returns {any[]} */
function every(of, at, name) {
  const found = of.mark(isStepwise(of.scheme) ? at : "").value[name];
  return Array.isArray(found) ? found : [];
}

/** @param {Session} of @param {string} at @param {Piece} piece */
const isOf = (of, at, piece) => isStepwise(of.scheme) || piece.step_id === at;

/** The corrections or marked passages in a step. @param {Session} of @param {string} at @param {Name} name @returns {any[]} */
export const piecesOf = (of, at, name) => every(of, at, name).filter((one) => isOf(of, at, one));

/** Whether a correction or marked passage is in this part of a text. @param {Piece} piece @param {string} field @param {string} part */
export const isIn = (piece, field, part) => piece?.field === field && (piece.part ?? "") === part;

/** Replace the corrections or marked passages in a step. @param {Session} of @param {string} at @param {Name} name @param {Piece[]} pieces @param {boolean} [isTyping] */
export function putPieces(of, at, name, pieces, isTyping = false) {
  const isOfSteps = isStepwise(of.scheme);
  const kept = every(of, at, name).filter((one) => !isOf(of, at, one));
  const all = [...kept, ...pieces.map((one) => (isOfSteps ? one : { step_id: at, ...one }))];
  annotateStep(of, isOfSteps ? at : "", { value: { [name]: all.length ? all : null } }, { isTyping });
}

// The texts of a step in a version: the displayed version, or an annotated version.

/** @typedef {{id: string, name: string, input: string, output: string}} Step */

const MOST = 16;
/** @type {Map<string, Promise<Step | null>>} */
const requests = new Map();

/** @param {string} id @param {number} version @param {string} project @returns {Promise<Step | null>} null if the version is not stored */
function stepOf(id, version, project) {
  const key = `${runPath()} ${id} ${version}`;
  const known = requests.get(key) ?? getJson(`${runPath()}/steps/${id}`, { version, project }).catch(() => null);
  requests.delete(key);
  requests.set(key, known);
  for (const old of requests.keys()) if (requests.size > MOST) requests.delete(old);
  return known;
}

/** A step in a version of the run; null while it is loading and if it does not exist. @param {import("./session.js").Session} of @param {string} id @param {number} [version] */
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
