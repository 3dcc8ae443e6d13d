/** The metrics over all runs, in a row. */
import { duration, money, percent, short } from "../format.js";
import { number, t } from "../i18n/index.js";
import { narrowed } from "../state/filters.js";
import { place } from "../state/place.js";
import { shared } from "../state/range.js";
import { html } from "../ui/html.js";
import { firstToken, totals } from "./numbers.js";

export function Tiles() {
  const all = totals.value ?? {};
  const { query } = place.value;
  const { where } = query;
  const failed = narrowed(where, "has_error");
  return html`<dl class="tiles">
    <${Tile} name=${t("overview.runs")} value=${all.count} format=${number} href=${shared("/", query, { where })} />
    <${Tile} name=${t("overview.failed")} value=${all["rate(has_error)"]} format=${percent} href=${shared("/", query, { where: failed })} />
    <${Tile} name=${t("overview.cost")} value=${all["sum(cost)"]} format=${money} />
    <${Tile} name=${t("overview.tokens")} value=${all["sum(input_tokens)"]} format=${short} />
    <${Tile} name=${t("overview.tokens.out")} value=${all["sum(output_tokens)"]} format=${short} />
    <${Tile} name=${t("overview.p50")} value=${all["p50(duration)"]} format=${duration} />
    <${Tile} name=${t("overview.p95")} value=${all["p95(duration)"]} format=${duration} />
    <${Tile} name=${t("overview.first")} value=${firstToken.value} format=${duration} />
  </dl>`;
}

/** @param {{name: string, value: number | null | undefined, format: (value: number) => string, href?: string}} props */
function Tile({ name, value, format, href }) {
  const shown = value === null || value === undefined ? html`<span class="none">–</span>` : format(value);
  const exact = typeof value === "number" ? String(value) : "";
  return html`<div><dt>${name}</dt><dd title=${exact} data-value=${exact}>${href ? html`<a href=${href}>${shown}</a>` : shown}</dd></div>`;
}
