/** The texts of the pages for judging together, which no other page needs. */
import "./judging_runs.js";
import { judging as en } from "./en/judging.js";
import { learn } from "./index.js";
import { judging as zh } from "./zh/judging.js";

learn({ en, zh });
