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
const { Page } = await (isPage ? PAGES[/** @type {keyof typeof PAGES} */ (name)]() : import("./pages/nowhere.js"));
render(html`<${Page} />`, /** @type {Element} */ (document.getElementById("app")));
