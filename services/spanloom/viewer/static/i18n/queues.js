/** The texts of the pages for judging together, which no other page needs. */
import { queues as en } from "./en/queues.js";
import { learn } from "./index.js";
import { queues as zh } from "./zh/queues.js";

learn({ en, zh });
