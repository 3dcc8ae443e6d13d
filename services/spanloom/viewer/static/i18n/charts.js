/** The texts of charts, which are loaded after the first rows. */
import { charts as en } from "./en/charts.js";
import { learn } from "./index.js";
import { charts as zh } from "./zh/charts.js";

learn({ en, zh });
