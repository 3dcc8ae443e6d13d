/** The conversations in the URL's project and time range, newest first. */
import { conversations as en } from "../i18n/en/conversations.js";
import { list as enList } from "../i18n/en/list.js";
import { learn, number, t } from "../i18n/index.js";
import { conversations as zh } from "../i18n/zh/conversations.js";
import { list as zhList } from "../i18n/zh/list.js";
import { useEffect } from "../vendor/hooks.js";
import { clock, duration, moment, money, short } from "../format.js";
import { keepOrigin, stateOf } from "../list/run.js";
import { RangeFault } from "../list/range_fault.js";
import { TimeRange } from "../list/time_range.js";
import { change, link, ownProject, place } from "../state/place.js";
import { faultOf, sent } from "../state/range.js";
import { later, useFetched } from "../ui/fetched.js";
import { Failure, Frame } from "../ui/frame.js";
import { Pager } from "../ui/pager.js";
import { html, line, visible } from "../ui/html.js";

learn({ en: { ...enList, ...en }, zh: { ...zhList, ...zh } });

/** A line of `GET /v1/conversations`. @typedef {import("../records.js").ConversationItem} Conversation */

const PAGE = 50;
const ViewMenu = later(async () => (await import("../views/menu.js")).ViewMenu);

export function Page() {
  const { query } = place.value;
  const { project, user, cursor } = query;
  const fault = faultOf(query, Date.now());
  const { data, error, again } = useFetched(fault ? "" : "/v1/conversations", { project, user, cursor, limit: PAGE, ...sent(query) });
  useEffect(() => keepOrigin({ url: location.pathname + location.search, runs: [] }), [query]);
  /** @type {Conversation[]} */
  const items = data?.items ?? [];
  return html`<${Frame} title=${t("section.conversations")} nav=${html`<div class="asking"><${User} /><${TimeRange} /></div>`}>
    <main class="list ${error ? "stale" : ""}"><h1 class="sr">${t("section.conversations")}</h1><div class="tools"><span class="room"></span><${ViewMenu} of="conversations" /></div>
      ${fault ? html`<${RangeFault} />` : html`${error && html`<${Failure} error=${error} again=${again} />`}
      ${data && (items.length ? html`<${Table} items=${items} /><${Pager} at=${Number(query.at ?? 0)} n=${items.length} page=${PAGE} next=${data.next_cursor} />` : html`<section class="notice"><h2>${t("conversations.none")}</h2><p>${t("conversations.none.do")}</p></section>`)}`}
    </main><//>`;
}

/** The filter for the conversations of one user. */
function User() {
  const { user = "" } = place.value.query;
  /** @param {SubmitEvent} event */
  const take = (event) => {
    event.preventDefault();
    change({ user: String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("user") ?? "").trim(), cursor: null, at: null }, true);
  };
  return html`<form class="question" role="search" onSubmit=${take}><label class="sr" for="user">${t("conversations.user")}</label>
    <input id="user" name="user" key=${user} defaultValue=${user} autocomplete="off" placeholder=${t("conversations.user")} /></form>`;
}

/** @param {{items: Conversation[]}} props */
function Table({ items }) {
  const { project, since, until } = place.value.query;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("section.conversations")}><table class="runs">
    <thead><tr><th class="mark"><span class="sr">${t("column.marks")}</span></th><th class="number">${t("conversations.last")}</th><th>${t("column.name")}</th><th class="number">${t("conversations.turns")}</th><th>${t("column.user")}</th>
      <th class="number">${t("column.errors")}</th><th class="number">${t("conversations.last.duration")}</th><th class="number">${t("column.input")}</th><th class="number">${t("column.output")}</th><th class="number">${t("column.cost")}</th></tr></thead>
    <tbody>${items.map((one) => html`<${Row} key=${one.project + one.conversation_id} one=${one} href=${link("/conversation", { id: one.conversation_id, project: project ? one.project : ownProject(one.project), since, until })} />`)}</tbody></table></div>`;
}

/** @param {{one: Conversation, href: string}} props */
function Row({ one, href }) {
  const { state, sign, words } = stateOf(one.last_run);
  const [failed, cost] = [one.failed_runs, one.cost];
  return html`<tr><td class="mark"><span class="state s-${state}" title=${words}><span aria-hidden="true">${sign}</span><span class="sr">${words}</span></span></td>
    <td class="number c-started" title=${moment(Number(one.last_run.started_at))}>${clock(Number(one.last_run.started_at))}</td>
    <td class="c-name" role="rowheader" title=${visible(`${one.question}\n→ ${one.answer}`)}><a href=${href}><bdi>${line(one.conversation_id, 60)}</bdi></a> <span class="about">${line(one.question, 120)}</span>${one.answer && html` <span class="about">→ ${line(one.answer, 120)}</span>`}</td>
    <td data-label=${t("conversations.turns")} class="number">${number(one.runs)}</td>
    <td data-label=${t("column.user")}>${one.user_id ? line(one.user_id, 40) : html`<span class="none">–</span>`}</td>
    <td class="number c-errors" data-label=${t("column.errors")}>${failed ? html`✕ ${number(failed)}` : html`<span class="none">–</span>`}</td>
    <td class="number" data-label=${t("conversations.last.duration")}>${duration(Number(one.last_run.duration))}</td>
    <td class="number" data-label=${t("column.input")}>${short(one.input_tokens)}</td><td class="number" data-label=${t("column.output")}>${short(one.output_tokens)}</td>
    <td class="number" data-label=${t("column.cost")}>${cost ? money(cost) : html`<span class="none">–</span>`}</td></tr>`;
}
