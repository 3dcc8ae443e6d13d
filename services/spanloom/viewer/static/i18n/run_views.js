/** The texts of components of a run that are loaded when they are shown: graph, transcript, notes. */
import { runViews as en } from "./en/run_views.js";
import { learn } from "./index.js";
import { runViews as zh } from "./zh/run_views.js";

learn({ en, zh });
