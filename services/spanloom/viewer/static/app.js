/** Entry point: renders the page for the URL. */
import { render } from "./vendor/preact.js";
import { html } from "./ui/html.js";

/** The first segment of the path of each page; with two exceptions it is also the name of the module. */
const PAGES = ["", "overview", "trajectories", "steps", "conversations", "conversation", "diff", "settings", "queues", "schemes", "agreement", "adjudication", "exchange", "datasets", "compare", "experiments", "online-rules", "alerts"];
const NAMED = { "": "list", trajectories: "trajectory" };

const [, name, ...rest] = location.pathname.split("/");
const isPage = PAGES.includes(name) && rest.length === Number(name === "trajectories");
/** The pages with saved views, and the name of each in the API. */
const OF_VIEWS = /** @type {const} */ ({ "": "runs", steps: "steps", conversations: "conversations", overview: "overview" });
const of = isPage && OF_VIEWS[/** @type {keyof typeof OF_VIEWS} */ (name)];
const isBare = of && /^(\?project=[^&]*)?$/.test(location.search);
const page = import(`./pages/${isPage ? (NAMED[/** @type {keyof typeof NAMED} */ (name)] ?? name) : "nowhere"}.js`);
const [{ Page }] = await Promise.all([page, isBare && import("./views/opening.js").then((views) => views.openDefault(of)).catch(() => {})]);
render(html`<${Page} />`, /** @type {Element} */ (document.getElementById("app")));
