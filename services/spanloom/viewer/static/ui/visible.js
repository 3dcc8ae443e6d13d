/**
 * Makes untrusted texts safe to read: bidirectional controls and invisible characters are shown by their
 * code points.
 */

const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Return a text with hidden characters shown as ⟨U+202E⟩. @param {string} text */
export function visible(text) {
  return text.replace(HIDDEN, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** The same in one line, truncated. @param {string} text @param {number} most characters */
export function line(text, most) {
  const piece = text.slice(0, most + 1).replace(/\s+/g, " ");
  return visible(piece.length > most || text.length > most ? `${piece.slice(0, most)}…` : piece);
}
