/** The facts in the head of a step: its number among steps of its type, its tokens, the parameters of the call, and why it ended. */
import { clock, duration, moment, money, short } from "../format.js";
import { number, t } from "../i18n/index.js";
import { isStep } from "../tree/outline.js";
import { html, line, visible } from "../ui/html.js";
import { areMessages } from "./messages.js";
import { parsed } from "./json.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("./panel.js").Step} Step */
/** @typedef {[string, unknown]} Fact label and value; facts without a value are not shown */

/** The number `at` of a step among the steps of its type in the run, from 1, and the number `of` these steps. @param {Outline} o @param {number} row */
export function placeOf(o, row) {
  let [at, of] = [0, 0];
  for (let i = 0; i < o.n; i++) {
    if (o.kind[i] !== o.kind[row] || !isStep(o, i)) continue;
    of += 1;
    if (i <= row) at = of;
  }
  return { at, of };
}

/** The number of a step as text: "Model call 3 of 14". @param {{o?: Outline, row: number}} props */
export function Place({ o, row }) {
  if (!o || row < 0 || !isStep(o, row)) return "";
  const kind = o.kinds[o.kind[row]];
  if (!["agent", "model", "tool", "graph"].includes(kind)) return "";
  return html`<b>${t(/** @type {import("../i18n/index.js").Key} */ (`step.at.${kind}`), placeOf(o, row))}</b>`;
}

const PARAMETERS = ["temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "max_output_tokens", "seed", "reasoning_effort", "tool_choice"];

/** The parameters of a model call, keyed by the names that the sender used. @param {Record<string, string>} metadata @returns {Fact[]} */
function parameters(metadata) {
  const all = { .../** @type {object} */ (parsed(metadata.invocation_parameters)), ...metadata };
  return PARAMETERS.flatMap((name) => {
    const value = /** @type {Record<string, unknown>} */ (all)[name];
    return typeof value === "string" || typeof value === "number" ? [/** @type {Fact} */ ([name, line(String(value), 40)])] : [];
  });
}

/** Why a model call ended. @param {Step} step */
function finish({ output, metadata }) {
  const reported = metadata.finish_reasons;
  const list = reported ? (parsed(reported) ?? reported) : parsed(output);
  const reasons = reported || !areMessages(list) ? list : list.map((one) => one.finish_reason);
  return line([reasons].flat().filter((one) => typeof one === "string" && one).join(", "), 60);
}

/** The facts about the steps below a step: their number, and the sum of tokens. @param {Outline} o @param {number} row @returns {Fact[]} */
function below(o, row) {
  let steps = 0;
  for (let i = row + 1; i < o.end[row]; i++) steps += Number(isStep(o, i));
  return steps ? [[t("fact.below"), number(steps)], [t("fact.sum"), o.tokens[row] > 0 && short(o.tokens[row])]] : [];
}

/** @param {{step: Step, o?: Outline, row: number}} props */
export function Facts({ step, o, row }) {
  const { basic_info: basic, model_info: model, metadata } = step;
  const at = Number(basic.started_at);
  const some = (/** @type {unknown} */ value) => Number(value) > 0 && number(Number(value));
  const cost = metadata.cost ? money(Number(metadata.cost)) : "";
  /** @type {Fact[]} */
  const used = [
    [t("fact.time"), duration(Number(basic.duration))],
    [t("fact.input"), model && number(Number(model.input_tokens))], [t("fact.cached"), some(model?.input_read_cached_tokens)],
    [t("fact.output"), model && number(Number(model.output_tokens))], [t("fact.reasoning"), some(model?.reasoning_tokens)],
    [t("column.cost"), cost], [t("fact.first"), model?.latency_first_resp && duration(Number(model.latency_first_resp))],
    ...(o && row >= 0 && !model ? below(o, row) : []),
  ];
  /** @type {Fact[]} */
  const details = [
    [t("fact.model"), metadata.model && visible(metadata.model)], [t("fact.finish"), model && finish(step)], ...(model ? parameters(metadata) : []),
    [t("fact.agent"), !model && o && row >= 0 && o.kinds[o.kind[row]] !== "agent" && o.agents[o.agent[row]] && visible(o.agents[o.agent[row]])],
    [t("fact.started"), html`<time datetime=${new Date(at).toISOString()} title=${moment(at)}>${clock(at)}</time>`],
  ];
  return [used, details].map((facts) => html`<dl class="facts">${facts.filter(([, value]) => value).map(([label, value]) => html`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>`);
}
