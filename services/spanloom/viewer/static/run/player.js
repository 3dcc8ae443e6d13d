/** The player's toolbar: play, position, speed, and what the timeline omits or marks. */
import { useEffect } from "../vendor/hooks.js";
import { duration } from "../format.js";
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { criticalPath } from "../tree/clock.js";
import { ms } from "../tree/outline.js";
import { html, line } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";
import { cutting, head, isCut, isPlaying, placeAt, score, seek, speed, SPEEDS, step, stop, turnPlaying, whenNoTree } from "./playhead.js";
import { choose, view } from "./state.js";

/** @typedef {import("../tree/view.js").View} View */

export function Player() {
  const there = view.value;
  const made = score.value;
  const { critical, view: on } = place.value.query;
  useEffect(() => { whenNoTree(choose); return stop; }, [there]);
  useKeys([
    { key: "p", says: "key.play", run: turnPlaying },
    { key: ">", says: "key.step", run: () => step(1) },
    { key: "<", says: "key.step.before", run: () => step(-1) },
  ], []);
  if (!there || !made?.rows.length) return "";
  const { o } = there;
  const now = head.value;
  const sums = critical ? described(there) : "";
  const position = made.clock.of(now ?? o.first);
  const says = now === null ? t("play.off") : t("play.at", { at: duration(ms(o, now - o.first)), of: duration(ms(o, o.last - o.first)), name: nameAt(there, now) });
  return html`<div class="player" role="group" aria-label=${t("play.label")}>
    <button aria-label=${t("play.back")} title="<" onClick=${() => step(-1)}>‹</button>
    <button class="play" aria-pressed=${String(isPlaying.value)} title="p" aria-label=${t(isPlaying.value ? "play.pause" : "play.play")} onClick=${turnPlaying}>${isPlaying.value ? "❚❚" : "▶"}</button>
    <button aria-label=${t("play.on")} title=">" onClick=${() => step(1)}>›</button>
    <input type="range" min=${o.first} max=${made.clock.last} step="any" value=${position} aria-label=${t("play.where")} aria-valuetext=${says}
      onInput=${(/** @type {Event} */ event) => seek(made.clock.at(Number(/** @type {HTMLInputElement} */ (event.target).value)))} />
    <select aria-label=${t("play.speed")} value=${speed.value} onChange=${(/** @type {any} */ event) => { speed.value = event.target.value; }}>
      ${SPEEDS.map((one) => html`<option value=${one} selected=${one === speed.value}>${one === "fit" ? t("play.fit") : `${one}×`}</option>`)}</select>
    ${now === null ? "" : html`<span class="quiet at">${duration(ms(o, now - o.first))}</span><button onClick=${stop} aria-label=${t("play.stop")}>×</button>`}
    ${on !== "graph" && html`<span class="room"></span>
      ${made.clock.cut.length > 0 && html`<button aria-pressed=${String(isCut())} onClick=${() => change({ cut: isCut() === cutting.isUsual ? (cutting.isUsual ? "0" : "1") : null })}>${t("flame.cut", { time: duration(made.clock.cut.reduce((sum, [from, to]) => sum + ms(o, to - from), 0)) })}</button>`}
      <button aria-pressed=${String(critical === "1")} onClick=${() => change({ critical: critical ? null : "1" })}>${t("flame.critical")}</button>
      <span class="quiet" role="status" title=${sums}>${sums}</span>
      <span class="quiet">${t("flame.most", { n: made.busy.most })}</span>`}
  </div>`;
}

/** @param {View} there @param {number} now */
function nameAt({ o }, now) {
  const i = score.peek()?.rows[placeAt(now)];
  return i === undefined ? "" : `${o.kinds[o.kind[i]]} ${line(o.names[o.name[i]], 60)}`;
}

/** The shares of the critical path: its rows without visible children. @param {View} there */
function described(there) {
  const { o } = there;
  const isOn = criticalPath(there);
  const sums = new Map(o.kinds.map((kind) => [kind, 0]));
  for (const i of score.peek()?.rows ?? []) if (isOn[i]) sums.set(o.kinds[o.kind[i]], (sums.get(o.kinds[o.kind[i]]) ?? 0) + ms(o, o.dur[i]));
  return [...sums].filter(([, time]) => time > 0).map(([kind, time]) => `${kind} ${duration(time)}`).join(" · ");
}
