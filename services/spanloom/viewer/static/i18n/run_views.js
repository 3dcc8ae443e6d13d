/** The texts of the graph and the transcript, which are loaded when they are shown. */
import { runViews as en } from "./en/run_views.js";
import { learn } from "./index.js";
import { runViews as zh } from "./zh/run_views.js";

learn({ en, zh });
