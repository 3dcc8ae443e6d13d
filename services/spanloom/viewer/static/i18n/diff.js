/** The texts of two runs side by side, which no other page needs. */
import { diff as en } from "./en/diff.js";
import { learn } from "./index.js";
import { diff as zh } from "./zh/diff.js";

learn({ en, zh });
