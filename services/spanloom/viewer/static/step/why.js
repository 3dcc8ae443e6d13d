/** Why a step is classified as it is: the rule that decided, the spans it was made of, its parent. */
import { t } from "../i18n/index.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, visible } from "../ui/html.js";
import { Json } from "./json.js";
import { Attributes } from "./raw.js";

/** @typedef {import("../records.js").SpanVerdict} Verdict */

/** @param {{path: string, id: string, project?: string, isMoved: boolean}} props */
export function Why({ path, id, project, isMoved }) {
  const asStep = useFetched(`${path}/steps/${id}`, { project, with: "spans" });
  const isNone = asStep.error?.status === 404; // a span that is no step has its verdict in the list of all
  const asSpan = useFetched(isNone ? `${path}/spans` : "", { project });
  const { data, error, again } = isNone ? asSpan : asStep;
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!data) return html`<p class="quiet">…</p>`;
  const own = data.spans.find((/** @type {Verdict} */ one) => one.span_id === id);
  const merged = isNone ? [] : data.spans.filter((/** @type {Verdict} */ one) => one.span_id !== id);
  return html`${own ? html`<${Decided} own=${own} above=${isMoved ? data.parent_id : ""} />` : html`<p>${t("why.unknown")}</p>`}
    ${merged.length > 0 && html`<${Merged} spans=${merged} count=${data.span_count - 1} />`}
    ${data.metadata && html`<h4>${t("why.read")}</h4><${Json} value=${{ ...data.metadata, ...data.model_info }} />`}
    <${Sent} data=${data} />`;
}

/** @param {{own: Verdict, above?: string}} props `above`: its parent step, if its span reports another one */
function Decided({ own, above }) {
  const counts = own.step_id === own.span_id ? t("why.self") : own.step_id ? html`<code>${own.step_id}</code>` : t("why.none");
  return html`<dl class="attributes"><dt>${t("why.dialect")}</dt><dd><code>${own.dialect}</code></dd><dt>${t("why.rule")}</dt><dd><code>${own.rule}</code></dd>
    <dt>${t("why.counts")}</dt><dd>${counts}</dd>
    ${above && html`<dt>${t("why.moved")}</dt><dd><code>${above}</code> <span class="quiet">${t("why.moved.from")} <code>${own.parent_span_id || "–"}</code></span></dd>`}</dl>`;
}

/** @param {{spans: Verdict[], count: number}} props */
function Merged({ spans, count }) {
  return html`<h4>${t("why.merged", { n: count })}</h4>
    <ul>${spans.map((one) => html`<li><code>${one.span_id}</code> <bdi>${visible(one.name)}</bdi> <span class="quiet">${one.rule}</span></li>`)}</ul>
    ${count > spans.length && html`<p class="quiet">${t("why.more", { n: spans.length, of: count })}</p>`}`;
}

/** The attributes of the spans that the fields were read from. @param {{data: any}} props */
function Sent({ data }) {
  const spans = (data.resourceSpans ?? []).flatMap((/** @type {any} */ one) => one.scopeSpans ?? []).flatMap((/** @type {any} */ one) => one.spans ?? []);
  if (!spans.length) return "";
  return html`<p class="quiet">${t("why.fields")}</p>${spans.map((/** @type {any} */ one) => html`<${Attributes} title=${visible(one.name ?? "")} list=${one.attributes} />`)}`;
}
