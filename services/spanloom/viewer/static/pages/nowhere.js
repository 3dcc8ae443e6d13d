/** The page for an unknown URL. */
import { nowhere as en } from "../i18n/en/nowhere.js";
import { learn, t } from "../i18n/index.js";
import { nowhere as zh } from "../i18n/zh/nowhere.js";
import { Frame } from "../ui/frame.js";
import { html, line } from "../ui/html.js";

learn({ en, zh });

export const Page = () => html`<${Frame} title=${t("nowhere.title")}><main class="notice"><h1>${t("nowhere.title")}</h1>
  <p><code><bdi>${line(location.pathname, 200)}</bdi></code></p><p>${t("nowhere.do")}</p><p><a class="button" href="/">${t("list.title")}</a></p></main><//>`;
