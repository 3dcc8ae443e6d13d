/** Templates of elements: `html` with tagged text in place of JSX, so that nothing is compiled. */
import htm from "../vendor/htm.js";
import { h } from "../vendor/preact.js";

export const html = htm.bind(h);
