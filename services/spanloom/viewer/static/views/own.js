/** The views that this browser stores: the query string of a URL by the name of the view. */
import { MAX_NAME } from "../choices.js";
import { kept } from "../state/reader.js";
import { t } from "../i18n/index.js";
import { allColumns, more } from "../list/columns.js";
import { parametersOf } from "./opening.js";

/** @typedef {import("./opening.js").ListPage} ListPage */
/** @typedef {import("./opening.js").Parameters} Parameters */
/** A value that is not a text was stored by a newer version of the page. @typedef {import("../vendor/signals.js").Signal<Record<string, unknown>>} Own */

/** The error in a name; empty if it is valid. @param {string} name */
export const faultOfName = (name) => ([...name].length > MAX_NAME ? t("views.long", { most: MAX_NAME, n: [...name].length }) : "");

/** @type {Partial<Record<ListPage, Own>>} */
const signals = {};

/** @param {ListPage} of @returns {Own} */
export const ownOf = (of) => (signals[of] ??= kept(of === "runs" ? "views" : `views.${of}`, /** @type {Record<string, unknown>} */ ({})));

/** Store a view, or delete it. @param {ListPage} of @param {string} name @param {Parameters | null} parameters @param {string} [before] its previous name */
export function keep(of, name, parameters, before = name) {
  const { [name]: _, [before]: __, ...others } = ownOf(of).value;
  ownOf(of).value = parameters ? { ...others, [name]: new URLSearchParams(parameters).toString() } : others;
}

/** A view of this browser in the form of the service's views. @param {string} name @param {unknown} text */
export function asView(name, text) {
  const isNewer = typeof text !== "string";
  const faults = isNewer ? [{ parameter: "format", detail: t("views.newer") }] : [];
  return { name, parameters: isNewer ? {} : parametersOf(text), faults, default: false, owner: "" };
}

/** The faults of a view that only the page can find, once it has loaded all columns: unknown columns. @param {ListPage} of @param {Parameters} parameters */
export function faultsHere(of, { columns }) {
  if (of !== "runs" || !columns) return [];
  if (!more.value.length) import("../list/more_columns.js").catch(() => {});
  const gone = more.value.length ? columns.split(",").filter((name) => !allColumns().some((one) => one.name === name)) : [];
  return gone.length ? [{ parameter: "columns", detail: t("views.columns", { names: gone.join(", ") }) }] : [];
}
