/** The navigation of every page: links to the sections, with the current section marked. */
import { useLayoutEffect, useRef } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { place } from "../state/place.js";
import { shared } from "../state/range.js";
import { html } from "./html.js";

/** A section: its path, its name, and the paths of all its pages. @typedef {{path: string, name: import("../i18n/index.js").Key, of: RegExp}} Section */

/** @type {Section[]} */
const SECTIONS = [
  { path: "/overview", name: "section.overview", of: /^\/overview$/ },
  { path: "/", name: "list.title", of: /^\/($|trajectories\/|diff$)/ },
  { path: "/steps", name: "section.steps", of: /^\/steps$/ },
  { path: "/conversations", name: "section.conversations", of: /^\/conversations?$/ },
  { path: "/queues", name: "section.annotation", of: /^\/(queues|schemes|agreement|adjudication|exchange)$/ },
  { path: "/datasets", name: "section.evaluation", of: /^\/(datasets|compare|experiments|online-rules|alerts)$/ },
  { path: "/settings", name: "section.settings", of: /^\/settings$/ },
];

/** Pages whose `where` is about runs; links between these pages pass it on. */
const OF_RUNS = new Set(["/", "/overview"]);

/** Links to the sections, with the same project, time range and query. */
export function Navigation() {
  const { path: here, query } = place.value;
  const isOfRuns = OF_RUNS.has(here);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => { // on a phone the current section may be beyond the edge
    const present = /** @type {HTMLElement | null | undefined} */ (box.current?.querySelector("[aria-current]"));
    if (present) box.current?.scrollTo(present.offsetLeft, 0);
  }, [here]);
  return html`<nav class="sections" ref=${box} aria-label=${t("section.label")}>
    ${SECTIONS.map(({ path, name, of }) => html`<a href=${shared(path, query, isOfRuns && (OF_RUNS.has(path) || path === "/queues") ? { where: query.where } : {})} aria-current=${here === path ? "page" : of.test(here) ? "true" : null}>${t(name)}</a>`)}</nav>`;
}
