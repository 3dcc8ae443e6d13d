/** The query of the list, as a line of text and as chips, with a builder. */
import { useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { conditions, joined, quoted } from "../state/filters.js";
import { change, place } from "../state/place.js";
import { html, line, Menu } from "../ui/html.js";
import { questionOf } from "./columns.js";
import { later } from "../ui/fetched.js";
import { useKeys } from "../ui/frame.js";
import { remember, useOffers } from "./offers.js";
import { failure } from "./runs.js";
import { TimeRange } from "./time_range.js";

/** @typedef {import("./suggest.js").Subject} Subject */

const Choice = later(async () => (await import("./builder.js")).Choice);

// The query of the list as one line of text, and below it as chips.

/** Apply another filter, and show the first page of its results. @param {string} where */
export function ask(where) {
  change({ where, cursor: null, at: null }, true);
}

/** @param {{of?: Subject}} props */
export function FilterBar({ of = "trajectories" }) {
  const where = place.value.query.where ?? "";
  const [text, setText] = useState(where);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const own = useRef(/** @type {string | null} */ (null)); // applied by this box, which already contains this text or newer input
  const { offers, at, look, take, press } = useOffers(input, setText, of);
  useLayoutEffect(() => { // before the first key, otherwise typed text would be overwritten
    if (where !== own.current) setText(where);
    own.current = null;
  }, [where]);
  useKeys([{ key: "/", label: "key.search", run: () => input.current?.focus() }], []);
  /** @param {SubmitEvent} event */
  const submit = async (event) => {
    event.preventDefault();
    const sent = of === "steps" ? text.trim() : await questionOf(text);
    own.current = sent;
    remember(of, sent);
    ask(sent);
    if (!isSelected(input.current)) setText((typed) => (typed === text ? sent : typed));
  };
  return html`<div class="asking"><form class="question" role="search" onSubmit=${submit}>
    <label class="sr" for="where">${t("filter.label")}</label>
    <span class="combo"><input id="where" ref=${input} value=${text} spellcheck=${false} autocomplete="off" placeholder=${t(of === "steps" ? "filter.example.steps" : "filter.example")}
      role="combobox" aria-autocomplete="list" aria-expanded=${String(offers.length > 0)} aria-controls="offers" aria-activedescendant=${at < 0 ? null : `offer-${at}`}
      aria-invalid=${String(hasFault())} aria-describedby="fault" onKeyDown=${press} onFocus=${look} onBlur=${() => look(null)}
      onInput=${(/** @type {Event} */ event) => { setText(/** @type {HTMLInputElement} */ (event.target).value); look(event); }} />
      <ul id="offers" class="offers" role="listbox" aria-label=${t("filter.offers")} hidden=${!offers.length}>${offers.map((one, i) => html`<li id="offer-${i}" role="option" aria-selected=${String(i === at)}
        onPointerDown=${(/** @type {Event} */ event) => { event.preventDefault(); take(one); }}><code>${line(one.text.trim(), 80)}</code> <span>${one.hint}</span></li>`)}</ul></span>
    <${Menu} label=${t("filter.add")}><${Choice} of=${of} /><//>
  </form><${TimeRange} /></div>
  <${Chips} where=${where} />
  <${Fault} />`;
}

/** Whether text is selected, which the next key replaces. @param {HTMLInputElement | null} box */
const isSelected = (box) => box !== null && box.selectionStart !== box.selectionEnd;

/** @param {{where: string}} props */
function Chips({ where }) {
  const parts = conditions(where);
  if (!parts.length) return "";
  /** @param {number} at */
  const without = (at) => ask(joined(parts.filter((_, other) => other !== at)));
  return html`<ul class="chips" aria-label=${t("filter.chips")}>
    ${parts.map((part, at) => html`<li class="chip"><code>${part}</code>
      <button aria-label=${t("filter.remove", { part })} title=${t("filter.remove", { part })} onClick=${() => without(at)}>×</button></li>`)}
    ${parts.length > 1 && html`<li><button class="plain" onClick=${() => ask("")}>${t("filter.clear")}</button></li>`}
  </ul>`;
}

const faults = () => failure.value?.errors.filter((one) => one.parameter === "where") ?? [];
const hasFault = () => faults().length > 0;

/** Characters of a long query that are shown on each side of its error. */
const AROUND = 100;

/** Errors of the query, with their positions and suggestions. */
function Fault() {
  const where = place.value.query.where ?? "";
  return html`<div id="fault" class="fault" role="alert">${faults().map((one) => {
    const at = one.position ?? 0;
    const end = at + (one.length ?? 0);
    const points = [...where];
    /** @param {string} word */
    const mended = (word) => [...points.slice(0, at), word, ...points.slice(end)].join("");
    const [first, last] = [Math.max(0, at - AROUND), end + AROUND];
    return html`<p><code>${first > 0 && "…"}${points.slice(first, at).join("")}<mark>${points.slice(at, Math.min(end, at + AROUND)).join("") || "␣"}</mark>${points.slice(end, last).join("")}${last < points.length && "…"}</code>
      <span>${one.detail}</span>
      ${(one.did_you_mean ?? []).map((word) => html` <button onClick=${() => questionOf(mended(word)).then(ask)}>${t("filter.meant", { word })}</button>`)}
      ${where.length < 200 && html` <button onClick=${() => ask(quoted(where))}>${t("filter.words")}</button>`}</p>`;
  })}</div>`;
}
