/** A button that sends the bundled example runs to the service. */
import { useState } from "../vendor/hooks.js";
import { ApiError, getJson, sendFile } from "../api.js";
import { t } from "../i18n/index.js";
import { asError } from "../ui/fetched.js";
import { coded, html } from "../ui/html.js";

/** Send the example runs unless some are stored; return their number. @returns {Promise<number>} */
async function send() {
  const { items: known } = await getJson("/v1/trajectories", { where: 'environment = "examples"', fields: "trace_id", limit: 1 });
  if (known.length) return 0;
  /** @type {{resourceSpans: object[]}[]} */
  const all = (await getJson("/ui/examples")).items;
  const lines = all.map(({ resourceSpans }) => `${JSON.stringify({ resourceSpans })}\n`);
  await sendFile("/v1/imports", new File(lines, "examples.jsonl"), { format: "otlp" }, (line) => {
    if (line.error) throw new ApiError(0, line.error);
  }, new AbortController().signal);
  return all.length;
}

/** The message after the example runs were sent. @param {number} sent */
const outcome = (sent) => (sent ? t("start.examples.loaded", { n: sent }) : t("start.examples.known"));

export function Examples() {
  const [notice, setNotice] = useState("");
  const [isRunning, setRunning] = useState(false);
  const [isSent, setSent] = useState(false);
  const begin = async () => {
    if (isSent) return setNotice(t("start.examples.known"));
    setRunning(true);
    setNotice(t("start.examples.loading"));
    const words = await send().then((sent) => { setSent(true); return outcome(sent); }, (failed) => {
      const { status, message } = asError(failed);
      return status === 403 ? `${message} ${t("start.examples.ingest")}` : message;
    });
    setNotice(words);
    return setRunning(false);
  };
  return html`<p><button type="button" disabled=${isRunning} onClick=${begin}>${t("start.examples")}</button> <span role="status">${coded(notice)}</span></p>
    <p class="quiet">${coded(t("start.examples.about"))}</p>`;
}
