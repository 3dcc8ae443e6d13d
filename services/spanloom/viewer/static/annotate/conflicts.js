/** Writes that could not be stored: another window changed the same field, or the service refuses the write. */
import { t } from "../i18n/index.js";
import { html, line, visible } from "../ui/html.js";
import { reload } from "./current.js";
import { fieldName, worded } from "./scheme.js";
import { go } from "./walk.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./writes.js").Write} Write */

/** @param {{of: Session}} props */
export function Unsettled({ of }) {
  const { list } = of.sender.writes;
  return html`${list.filter((one) => one.state === "held").map((write) => html`<${Clashing} key=${write.id} of=${of} turn=${of.turn.value} write=${write} />`)}
    ${list.filter((one) => one.state === "refused").map((write) => html`<${Refused} key=${write.id} of=${of} turn=${of.turn.value} write=${write} />`)}`;
}

/** @param {{of: Session, write: Write}} props */
function Clashing({ of, write }) {
  const settle = (/** @type {boolean} */ isMine) => () => {
    of.sender.settle(write, isMine);
    void reload();
  };
  return html`<section class="clash" role="alert"><p>${t("clash.title")} <${StepLink} of=${of} turn=${of.turn.value} write=${write} /></p>
    <table><thead><tr><th></th><th>${t("clash.mine")}</th><th>${t("clash.theirs")}</th></tr></thead><tbody>
      ${write.clashes.map(({ field, mine, theirs }) => html`<tr><th>${fieldName(field.replace("value.", ""))}</th><td>${shown(mine)}</td><td>${shown(theirs)}</td></tr>`)}</tbody></table>
    <p><button onClick=${settle(true)}>${t("clash.keep.mine")}</button> <button onClick=${settle(false)}>${t("clash.keep.theirs")}</button></p></section>`;
}

/** @param {{of: Session, write: Write}} props */
function Refused({ of, write }) {
  const discard = () => {
    of.sender.discard(write);
    void reload();
  };
  return html`<section class="clash" role="alert"><p>${t("refused.title")} <${StepLink} of=${of} turn=${of.turn.value} write=${write} /></p><p>${visible(write.why)}</p>
    <p><button onClick=${discard}>${t("refused.discard")}</button></p></section>`;
}

/** @param {{of: Session, write: Write}} props */
function StepLink({ of, write }) {
  const i = of.steps.row(write.step);
  if (i < 0) return write.step ? html`<code>${write.step}</code>` : "";
  return html`<button class="plain" onClick=${() => go(i)}>${line(of.view.o.names[of.view.o.name[i]], 40)}</button>`;
}

/** @param {unknown} value */
const shown = (value) => (value ? line(typeof value === "string" ? worded(value) : JSON.stringify(value), 300) : "–");
