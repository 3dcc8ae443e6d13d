/** Queues: runs to judge, their annotators, their progress, and the button for the next item. */
import { t } from "../i18n/index.js";
import { Judging } from "../judging/frame.js";
import { QueueForm } from "../queues/form.js";
import { QueueTable, QueueView } from "../queues/view.js";
import { change, place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, visible } from "../ui/html.js";

export function Page() {
  const { queue, project } = place.value.query;
  const title = queue ? visible(queue) : t("queues.title");
  return html`<${Judging} title=${title}>${queue ? html`<${QueueView} key=${queue} name=${queue} project=${project} />` : html`<${Queues} project=${project} />`}<//>`;
}

/** @param {{project: string | undefined}} props */
function Queues({ project }) {
  const { data, error, again } = useFetched("/v1/queues", { project });
  const isNew = Boolean(place.value.query.new);
  /** @type {import("../queues/view.js").Queue[]} */
  const queues = data?.items ?? [];
  return html`${error && html`<${Failure} error=${error} again=${again} />`}
    <p class="across"><button class=${isNew ? "" : "main"} aria-expanded=${String(isNew)} onClick=${() => change(isNew ? { new: null, where: null } : { new: "1" }, true)}>${t("queue.new")}</button>
      <span class="quiet">${data && queues.length === 0 ? t("queues.none") : t("queues.about")}</span></p>
    ${isNew && html`<${QueueForm} names=${queues.map((one) => one.name)} project=${project} />`}
    ${queues.length > 0 && html`<${QueueTable} queues=${queues} />`}`;
}
