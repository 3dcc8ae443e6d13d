/** Who reads and annotates in this browser. Nobody verifies the name; it goes along with every request. */
import { kept } from "./kept.js";

export const HEADER = "x-spanloom-annotator";

/** The name, empty until somebody gave one. */
export const annotator = kept("annotator", "");
