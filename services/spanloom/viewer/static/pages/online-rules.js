/** Online rules: evaluators that judge runs as they arrive, with their progress and their budgets. */
import { onlineRules as en } from "../i18n/en/online_rules.js";
import { learn, t } from "../i18n/index.js";
import { onlineRules as zh } from "../i18n/zh/online_rules.js";
import { useEffect } from "../vendor/hooks.js";
import { Evaluation, Sheet } from "../evaluation/frame.js";
import { PutForm } from "../evaluation/put_form.js";
import { budgetInWords, Counts, lagInWords, RuleView } from "../evaluation/rule.js";
import { percent } from "../format.js";
import { change, link, ownProject, place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";

learn({ en, zh });

/** @typedef {import("../records.js").OnlineRuleItem} Rule */

const LOOK_MS = 5000;
const EXAMPLES = {
  rules: { where: "", evaluators: [{ name: "limits", kind: "rules", rules: { max_tool_calls: 10, errors: "handled" } }], sample: 1 },
  judge: { where: "outcome = ok", evaluators: [{ name: "polite", kind: "judge", model: "openai-chat:gpt-4o-mini", criteria: "The answer is polite.", values: ["yes", "no"], pass: ["yes"] }], sample: 0.1, budget: { calls: 500 } },
};

export function Page() {
  const { name, project } = place.value.query;
  return html`<${Evaluation} title=${name ? visible(name) : t("evaluation.online-rules")}>
    ${name ? html`<${RuleView} key=${name} name=${name} project=${project} />` : html`<${Rules} project=${project} />`}<//>`;
}

/** @param {{project: string | undefined}} props */
function Rules({ project }) {
  const { data, error, again } = useFetched("/v1/online-rules", { project });
  const isNew = Boolean(place.value.query.new);
  useEffect(() => {
    const timer = setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  /** @type {Rule[]} */
  const rules = data?.items ?? [];
  return html`${error && html`<${Failure} error=${error} again=${again} />`}
    <p class="across"><button class=${isNew ? "" : "main"} aria-expanded=${String(isNew)} onClick=${() => change({ new: isNew ? null : "1" }, true)}>${t("rules.new")}</button>
      <span class="quiet">${t(data && !rules.length ? "rules.none" : "rules.about")}</span></p>
    ${isNew && html`<${PutForm} path="/v1/online-rules" names=${rules.map((one) => one.name)} first=${JSON.stringify(EXAMPLES.rules, null, 2)} examples=${EXAMPLES} project=${project} label=${t("rule.text")}
      done=${(/** @type {string} */ made) => change({ new: null, name: made }, true)} close=${() => change({ new: null })} />`}
    ${rules.length > 0 && html`<${Sheet} label=${t("evaluation.online-rules")} class="rules">
      <thead><tr><th>${t("put.name")}</th><th>${t("rule.where")}</th><th class="number">${t("rule.sample")}</th><th>${t("rule.progress")}</th><th class="number">${t("rule.lag")}</th><th>${t("rule.budget")}</th></tr></thead>
      <tbody>${rules.map((one) => html`<${Row} key=${one.name} of=${one} />`)}</tbody><//>`}`;
}

/** @param {{of: Rule}} props */
function Row({ of: { name, project, where, sample, progress, budget, paused } }) {
  return html`<tr><td><a href=${link("/online-rules", { name, project: ownProject(project) })}><bdi>${line(name, 60)}</bdi></a>${paused && html` <span class="odd">${t("rule.paused")}</span>`}</td>
    <td data-label=${t("rule.where")}>${where ? html`<code>${line(where, 80)}</code>` : t("rule.every")}</td><td class="number" data-label=${t("rule.sample")}>${percent(sample)}</td>
    <td data-label=${t("rule.progress")}><${Counts} of=${progress} /></td><td class="number" data-label=${t("rule.lag")}>${lagInWords(progress.lag_s)}</td><td data-label=${t("rule.budget")}>${budgetInWords(budget)}</td></tr>`;
}
