/** The run as a transcript of requests, messages, calls and results; sub-agents are indented. */
import { useEffect, useRef } from "../vendor/hooks.js";
import { duration } from "../format.js";
import { t } from "../i18n/index.js";
import { parsed } from "../step/json.js";
import { areMessages, Messages, Value } from "../step/messages.js";
import { ERROR, ms } from "../tree/outline.js";
import { Failure } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { LARGE, Pager, usePage } from "./pages.js";
import { choose, chosen, view } from "./state.js";

/** @typedef {import("../step/panel.js").Step} Step */
/** @typedef {import("./pages.js").Entry} Entry */

const DEEPEST = 8;

export function Transcript() {
  const there = view.value;
  const { entries, first, count, error, again } = usePage(there);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.scrollTo(0, 0), [first]);
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!there || !entries) return html`<p class="quiet pad">…</p>`;
  return html`${there.o.n > LARGE && html`<p class="quiet pad">${t("transcript.short", { n: LARGE })}</p>`}
    <div class="transcript" ref=${box} tabindex="0" role="region" aria-label=${t("view.transcript")}>
      ${entries.map((entry) => html`<${Line} key=${entry.row} entry=${entry} />`)}</div>
    <${Pager} first=${first} shown=${entries.length} count=${count} />`;
}

/** @param {{entry: Entry}} props */
export function Line({ entry: { row, level, step, words } }) {
  const o = /** @type {import("../tree/outline.js").Outline} */ (view.peek()?.o);
  const isKnown = row >= 0;
  const type = step?.type ?? o.kinds[o.kind[row]];
  const name = step?.name ?? o.names[o.name[row]];
  const length = step ? Number(step.basic_info.duration) : ms(o, o.dur[row]);
  const failure = step?.basic_info.error?.msg ?? (!step && o.flags[row] & ERROR ? words : "");
  return html`<article class="entry k-${type} ${isKnown && chosen.value === row ? "on" : ""}" style=${{ marginInlineStart: `${Math.min(level, DEEPEST) * 20}px` }}>
    <h3><button class="plain" disabled=${!isKnown} onClick=${() => choose(row)}><b class="kind">${type}</b> <bdi>${visible(name)}</bdi></button>
      <span class="quiet">${duration(length)}</span>
      ${failure && html`<span class="bad">✕ ${visible(failure.slice(0, 200))}</span>`}</h3>
    ${step ? html`<${Said} step=${step} />` : !failure && words && html`<div class="text">${line(words, 400)}</div>`}
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
