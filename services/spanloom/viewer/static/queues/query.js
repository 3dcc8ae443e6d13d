/** The query that fills a queue: entered as in the list, with the number of its runs before the queue is made. */
import { useEffect, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { questionOf } from "../list/columns.js";
import { Refusal } from "../ui/frame.js";
import { place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { html } from "../ui/html.js";

/** @param {{where: string}} props `where`: the filter of the list */
export function Question({ where }) {
  const { project } = place.value.query;
  const [text, setText] = useState(where);
  const [asked, ask] = useState(where);
  const { data, error } = useFetched("/v1/stats", { where: asked, project, metrics: "count" });
  useEffect(() => {
    const calm = setTimeout(() => void questionOf(text).then(ask), 300);
    return () => clearTimeout(calm);
  }, [text]);
  return html`<label class="sr" for="queue-where">${t("filter.label")}</label>
    <input id="queue-where" name="where" class="code" value=${text} placeholder=${t("queue.where.all")} spellcheck=${false} aria-describedby="queue-finds"
      onInput=${(/** @type {Event} */ event) => setText(/** @type {HTMLInputElement} */ (event.target).value)} />
    <div id="queue-finds" class="quiet" role="status">${error ? html`<${Refusal} error=${error} />` : data && t("list.count", { n: data.items[0]?.count ?? 0 })}${asked !== text.trim() && html` <code>${asked}</code>`}</div>`;
}
