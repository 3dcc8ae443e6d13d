/** The text of a list without rows, and how to get rows. */
import "../i18n/asking.js";
import { t } from "../i18n/index.js";
import { conditions, joined } from "../state/filters.js";
import { place, show } from "../state/place.js";
import { later } from "../ui/fetched.js";
import { html } from "../ui/html.js";
import { ask } from "./filter_bar.js";
import { goTo } from "./time_range.js";

const NothingYet = later(async () => (await import("./nothing_yet.js")).NothingYet);

/** Shows either that nothing was sent yet, or that no stored run matches the filter. */
export function Empty() {
  const where = place.value.query.where ?? "";
  const { project, since, until } = place.value.query;
  return where || project || since || until ? html`<${NoMatch} where=${where} />` : html`<${NothingYet} />`;
}

const EXAMPLES = [
  "outcome = failed", "duration > 20s and tool_errors > 0", 'has(tool exists then error)', "cost > 0.05", '"rate limit"', "start >= -24h",
];

/** Example queries, shown after a query that cannot be parsed. */
export function Examples() {
  return html`<section class="notice"><h2>${t("empty.wrong")}</h2><p>${t("empty.wrong.do")}</p>
    <ul class="plain">${EXAMPLES.map((one) => html`<li><button onClick=${() => ask(one)}><code>${one}</code></button></li>`)}</ul></section>`;
}

/** Suggested queries for a single typed word, which may be the name of a root step, an agent or any step. @type {((word: string) => string)[]} */
const NAMED = [(word) => `root_name = ${word}`, (word) => `agent = ${word}`, (word) => `has(name = ${word})`];

/** @param {{where: string}} props */
function NoMatch({ where }) {
  const { since, until } = place.value.query;
  const parts = conditions(where);
  const words = parts.filter((part) => /^"(\\.|[^"\\])*"$/.test(part));
  return html`<section class="notice">
    <h2>${t("empty.match")}</h2>
    <p>${t("empty.match.do")}</p>
    <ul class="plain">${parts.map((part, at) => html`<li><button onClick=${() => ask(joined(parts.filter((_, other) => other !== at)))}>
      ${t("empty.without")} <code>${part}</code></button></li>`)}</ul>
    ${words.length > 0 && html`<p>${t("empty.named")}</p><ul class="plain">${words.flatMap((word) => NAMED.map((name) => html`<li><button onClick=${() => ask(joined(parts.map((part) => (part === word ? name(word) : part))))}>
      <code>${name(word)}</code></button></li>`))}</ul>`}
    ${(since || until) && html`<p><button onClick=${() => goTo(null)}>${t("range.all")}</button></p>`}
    ${!parts.length && html`<p><button onClick=${() => show(new URLSearchParams(), true)}>${t("view.all")}</button></p>`}
  </section>`;
}
