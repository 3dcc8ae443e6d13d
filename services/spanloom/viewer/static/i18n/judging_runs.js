/** The texts of judging together that the list and a run need too: a run in its queue, annotations of it as a whole, and writing a scheme. */
import { judgingRuns as en } from "./en/judging_runs.js";
import { learn } from "./index.js";
import { judgingRuns as zh } from "./zh/judging_runs.js";

learn({ en, zh });
