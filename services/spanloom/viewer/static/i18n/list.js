/** The texts of the list that the page of a run does not need. */
import { list as en } from "./en/list.js";
import { learn } from "./index.js";
import { list as zh } from "./zh/list.js";

learn({ en, zh });
