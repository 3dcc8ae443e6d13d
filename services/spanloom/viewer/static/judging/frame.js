/** The frame of the pages for team annotation (queues, agreement, schemes): navigation and the annotator's name. */
import "../i18n/judging_runs.js";
import { judging as en } from "../i18n/en/judging.js";
import { learn, t } from "../i18n/index.js";
import { judging as zh } from "../i18n/zh/judging.js";
import { useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { annotator } from "../state/reader.js";
import { link, place } from "../state/place.js";
import { Frame } from "../ui/frame.js";
import { html, visible } from "../ui/html.js";

// Texts that only the pages for team annotation need.

learn({ en, zh });

const PAGES = /** @type {const} */ ([
  ["/queues", "queues"],
  ["/schemes", "schemes"],
  ["/agreement", "agreement"],
  ["/exchange", "exchange"],
]);

/** @param {{title: string, children?: unknown}} props */
export function Judging({ title, children }) {
  const { project } = place.value.query;
  return html`<${Frame} title=${title} nav=${html`<nav class="ways" aria-label=${t("judging")}>
      ${PAGES.map(([path, name]) => html`<a href=${link(path, { project })} aria-current=${location.pathname === path ? "page" : null}>${t(`${name}.title`)}</a>`)}
      <span class="room"></span><${Who} /></nav>`}>
    <main class="judge"><h1>${title}</h1>${children}</main>
  <//>`;
}

/** The annotator of this browser, with a field to change the name; it is not verified. */
export function Who() {
  const [isAsking, setAsking] = useState(false);
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const wasAsking = useRef(false);
  useLayoutEffect(() => {
    if (wasAsking.current) button.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  const who = annotator.value;
  if (!who || isAsking) return html`<${NameForm} done=${() => setAsking(false)} isAsked=${isAsking} />`;
  return html`<span class="who">${t("who.is")} <b><bdi>${visible(who)}</bdi></b>
    <button class="plain" ref=${button} title=${t("who.unverified")} onClick=${() => setAsking(true)}>${t("who.change")}</button></span>`;
}

/** @param {{done: () => void, isAsked?: boolean}} props */
function NameForm({ done, isAsked = false }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useLayoutEffect(() => {
    if (isAsked) input.current?.focus();
  }, []);
  /** @param {SubmitEvent} event */
  const take = (event) => {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name") ?? "").trim();
    if (name) annotator.value = name;
    done();
  };
  const leave = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape" && isAsked) done(); };
  return html`<form class="who" onSubmit=${take} onKeyDown=${leave}><label>${t("who.name")}
    <input name="name" ref=${input} defaultValue=${annotator.peek()} maxlength="100" required autocomplete="nickname" title=${t("who.unverified")} /></label>
    <button class="main">${t("who.use")}</button></form>`;
}
