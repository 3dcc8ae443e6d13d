/** The run as a conversation: what was asked, said, called and answered; a sub-agent is indented. */
import { useEffect, useState } from "../vendor/hooks.js";
import { duration } from "../format.js";
import { t } from "../i18n/index.js";
import { place } from "../state/place.js";
import { parsed } from "../step/json.js";
import { Messages, Value, areMessages } from "../step/messages.js";
import { rowOf } from "../tree/outline.js";
import { html } from "../ui/html.js";
import { visible } from "../ui/visible.js";
import { choose, chosen, view, wholeDocument } from "./state.js";

/** @typedef {import("../step/panel.js").Step} Step */
/** @typedef {{step: Step, level: number}} Entry */

const AT_ONCE = 200;
const DEEPEST = 8;
/** Documents of more spans are too much for a browser. */
const LARGE = 20_000;

export function Transcript() {
  const [entries, setEntries] = useState(/** @type {Entry[] | null} */ (null));
  const [most, setMost] = useState(AT_ONCE);
  const there = view.value;
  const { project } = place.value.query;
  useEffect(() => {
    if (!there || there.o.n > LARGE) return;
    wholeDocument().then((told) => setEntries(flat(told)), () => setEntries([]));
  }, [there, project]);
  if (there && there.o.n > LARGE) return html`<p class="quiet pad">${t("transcript.large", { n: LARGE })}</p>`;
  if (!entries) return html`<p class="quiet pad">…</p>`;
  return html`<div class="transcript" tabindex="0" role="region" aria-label=${t("view.transcript")}>
    ${entries.slice(0, most).map((entry) => html`<${Line} key=${entry.step.id} entry=${entry} />`)}
    ${entries.length > most && html`<p class="pad"><button onClick=${() => setMost(most + AT_ONCE)}>${t("json.more", { n: entries.length - most })}</button></p>`}
  </div>`;
}

/** The steps of a document in the order of their starts, each below its agent. @param {any} document @returns {Entry[]} */
export function flat(document) {
  /** @type {Map<string, Step[]>} */
  const owned = new Map(document.agent_steps.map((/** @type {any} */ agent) => [agent.id, agent.steps]));
  const root = document.root_step;
  /** @type {Entry[]} */
  const entries = [{ step: { ...root, type: "agent" }, level: 0 }];
  /** @param {string} id @param {number} level */
  const walk = (id, level) => {
    for (const step of owned.get(id) ?? []) {
      entries.push({ step, level });
      if (step.type === "agent" && step.id !== id) walk(step.id, level + 1);
    }
  };
  walk(root.id, 0);
  return entries;
}

/** @param {{entry: Entry}} props */
function Line({ entry: { step, level } }) {
  const i = rowOf(/** @type {import("../tree/outline.js").Outline} */ (view.peek()?.o), step.id);
  const isOn = chosen.value === i;
  return html`<article class="entry k-${step.type} ${isOn ? "on" : ""}" style=${{ marginInlineStart: `${Math.min(level, DEEPEST) * 20}px` }}>
    <h3><button class="plain" onClick=${() => choose(i)}><b class="kind">${step.type}</b> <bdi>${visible(step.name)}</bdi></button>
      <span class="quiet">${duration(Number(step.basic_info.duration))}</span>
      ${step.basic_info.error && html`<span class="bad">✕ ${visible(step.basic_info.error.msg.slice(0, 200))}</span>`}</h3>
    <${Said} step=${step} />
  </article>`;
}

/** @param {{step: Step}} props */
function Said({ step }) {
  const answer = parsed(step.output);
  if (step.type === "model") return areMessages(answer) ? html`<${Messages} messages=${answer} isAnswer=${true} />` : html`<${Value} text=${step.output} />`;
  if (step.type === "tool") {
    return html`<div class="call"><div class="given"><h5>→ ${t("chat.given")}</h5><${Value} text=${step.input} /></div><div class="result"><h5>← ${t("chat.result")}</h5><${Value} text=${step.output} /></div></div>`;
  }
  return step.input ? html`<div class="asked"><${Value} text=${step.input} /></div>` : "";
}
