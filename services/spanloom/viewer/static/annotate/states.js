/** The state of annotations after the run changed: the step has other texts, has moved, or no longer exists. */
import { t } from "../i18n/index.js";
import { html, line, visible } from "../ui/html.js";
import { LongText } from "../step/text.js";
import { confirm } from "./deeds.js";
import { isEmpty } from "./marks.js";
import { useStepTexts } from "./step_texts.js";
import { worded } from "./scheme.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Slot} Slot */

/** @param {{of: Session, at: string}} props */
export function Changed({ of, at }) {
  const slot = of.own.get(at);
  if (!slot?.row || isEmpty(slot.mark)) return "";
  if (slot.state === "moved") return html`<p class="note">${t("states.moved")} <span class="quiet">${visible(slot.row.reason)}</span></p>`;
  return slot.state === "changed" ? html`<${OldAndNew} key=${at} of=${of} turn=${of.turn.value} slot=${slot} />` : "";
}

/** @param {{of: Session, slot: Slot}} props */
function OldAndNew({ of, slot }) {
  const before = useStepTexts(of, slot.step, slot.row.version);
  const now = useStepTexts(of, slot.at);
  const fields = /** @type {const} */ (["input", "output"]).filter((field) => before && now && before[field] !== now[field]);
  return html`<section class="note"><p>${t("states.changed", { version: slot.row.version })} <button class="main" onClick=${() => confirm(of, slot.at)}>${t("states.right")}</button></p>
    ${fields.map((field) => html`<div class="beside"><div><h4>${t(`step.${field}`)}, v${slot.row.version}</h4><${LongText} text=${before?.[field] ?? ""} /></div><div><h4>v${of.context.version}</h4><${LongText} text=${now?.[field] ?? ""} /></div></div>`)}
    ${!fields.length && html`<p class="quiet">${line(slot.row.quote, 200)}</p>`}</section>`;
}

/** Annotations whose step no longer exists; they are kept. @param {{of: Session}} props */
export function Orphans({ of }) {
  if (!of.orphans.length) return "";
  return html`<details class="orphans" open><summary>${t("states.orphans", { n: of.orphans.length })}</summary><ul>${of.orphans.map(({ row, mark }) => html`<li>
    <b>${visible(worded(mark.correctness || "–"))}</b> ${[mark.error_type, mark.severity].filter(Boolean).map(worded).join(", ")} <q>${line(row.quote, 160)}</q>
    <span class="quiet">${visible(row.reason)}</span>${mark.rationale && html`<br />${line(mark.rationale, 300)}`}</li>`)}</ul></details>`;
}
