/** Begins: draws the page that the address names. */
import { render } from "./vendor/preact.js";
import { html } from "./ui/html.js";

const PAGES = /** @type {const} */ ({
  trajectories: () => import("./pages/trajectory.js"),
  steps: () => import("./pages/steps.js"),
  conversations: () => import("./pages/conversations.js"),
  settings: () => import("./pages/settings.js"),
  overview: () => import("./pages/overview.js"),
  conversation: () => import("./pages/conversation.js"),
  diff: () => import("./pages/diff.js"),
  queues: () => import("./pages/queues.js"),
  schemes: () => import("./pages/schemes.js"),
  agreement: () => import("./pages/agreement.js"),
  adjudication: () => import("./pages/adjudication.js"),
  exchange: () => import("./pages/exchange.js"),
  "": () => import("./pages/list.js"),
});

const [, name, ...rest] = location.pathname.split("/");
const isPage = Object.hasOwn(PAGES, name) && rest.length === Number(name === "trajectories");
/** The pages with views, by the names that these have for them. */
const OF_VIEWS = /** @type {const} */ ({ "": "runs", steps: "steps", conversations: "conversations", overview: "overview" });
const of = isPage && OF_VIEWS[/** @type {keyof typeof OF_VIEWS} */ (name)];
const isBare = of && /^(\?project=[^&]*)?$/.test(location.search);
const page = isPage ? PAGES[/** @type {keyof typeof PAGES} */ (name)]() : import("./pages/nowhere.js");
const [{ Page }] = await Promise.all([page, isBare && import("./views/opening.js").then((views) => views.openDefault(of)).catch(() => {})]);
render(html`<${Page} />`, /** @type {Element} */ (document.getElementById("app")));
