/** Texts of judging together that the list and a run also need: a run in its queue, annotations of the whole run, and writing a scheme. */
import { judgingRuns as en } from "./en/judging_runs.js";
import { learn } from "./index.js";
import { judgingRuns as zh } from "./zh/judging_runs.js";

learn({ en, zh });
