/** Element templates: `html` with tagged templates instead of JSX, so that no build is needed. */
import htm from "../vendor/htm.js";
import { h } from "../vendor/preact.js";

export const html = htm.bind(h);
