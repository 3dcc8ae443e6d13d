/** The score of one annotator's marks: the rule of `core/annotation/marks.py`. */
import { hasScore, isWrong, weightOf } from "./scheme.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {{value: number, isComplete: boolean, unjudged: number, unweighed: number, judged: number}} Score */

/** Counts marks incrementally, so that the score of many marks is cheap to update. */
export class Tally {
  /** @param {import("./scheme.js").Scheme} scheme @param {number} size how many steps are to be judged */
  constructor(scheme, size) {
    this.scheme = scheme;
    this.size = size;
    this.judged = 0;
    /** The number of wrong steps by severity. @type {Map<string, number>} */
    this.wrong = new Map();
  }

  /** Count a mark, or remove it. @param {Mark} mark @param {boolean} isToJudge whether its step is to be judged @param {1 | -1} by */
  add(mark, isToJudge, by = 1) {
    if (!mark.correctness) return;
    if (isToJudge) this.judged += by;
    if (isWrong(this.scheme, mark.correctness)) this.wrong.set(mark.severity, (this.wrong.get(mark.severity) ?? 0) + by);
  }

  /**
   * The maximum score minus the weights of severities, never below 0; partially correct counts like incorrect.
   * It is complete if every step is judged and every wrong one has a severity, if the scheme has any.
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
