/** The texts of empty lists and of menus for queries, which are loaded when they are shown. */
import { asking as en } from "./en/asking.js";
import { learn } from "./index.js";
import { asking as zh } from "./zh/asking.js";

learn({ en, zh });
