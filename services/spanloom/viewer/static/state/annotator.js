/** The name of the person who reads and annotates in this browser. It is not verified, and is sent with every request. */
import { kept } from "./kept.js";

export const HEADER = "x-spanloom-annotator";

/** The name, empty until it was entered. */
export const annotator = kept("annotator", "");
