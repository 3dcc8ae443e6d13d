/** The score of one annotator's marks: the rule of `core/annotation/marks.py`. */
import { hasScore, isWrong, weightOf } from "./scheme.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {{value: number, isComplete: boolean, unjudged: number, unweighed: number, judged: number}} Score */

/** Counts marks as they change, so that a score of very many costs nothing to keep. */
export class Tally {
  /** @param {import("./scheme.js").Scheme} scheme @param {number} size how many steps are to be judged */
  constructor(scheme, size) {
    this.scheme = scheme;
    this.size = size;
    this.judged = 0;
    /** How many wrong steps have each severity. @type {Map<string, number>} */
    this.wrong = new Map();
  }

  /** Count a mark, or take it out again. @param {Mark} mark @param {boolean} isToJudge whether its step is to be judged @param {1 | -1} by */
  add(mark, isToJudge, by = 1) {
    if (!mark.correctness) return;
    if (isToJudge) this.judged += by;
    if (isWrong(this.scheme, mark.correctness)) this.wrong.set(mark.severity, (this.wrong.get(mark.severity) ?? 0) + by);
  }

  /**
   * The highest score less the weights of severities, never below 0; partially correct weighs like incorrect.
   * Complete is it when every step is judged and every wrong one has a severity, if the scheme has any.
   * @returns {Score}
   */
  score() {
    const { scheme, judged } = this;
    const known = new Set(scheme.severities.map((one) => one.name));
    let [unweighed, off] = [0, 0];
    for (const [severity, count] of this.wrong) {
      if (known.size && !known.has(severity)) unweighed += count;
      if (hasScore(scheme)) off += count * weightOf(scheme, severity);
    }
    const unjudged = this.size - judged;
    return { value: Math.max(0, scheme.max_score - off), isComplete: unjudged + unweighed === 0, unjudged, unweighed, judged };
  }
}
