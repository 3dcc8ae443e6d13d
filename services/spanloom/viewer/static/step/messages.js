/** Renders messages as a chat: role and content, each tool call with its result (docs/messages.md). */
import { useEffect, useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { t } from "../i18n/index.js";
import { bytes } from "../format.js";
import { kept } from "../state/reader.js";
import { html, line, visible } from "../ui/html.js";
import { Copy, foundIn, LongText } from "./text.js";
import { Bytes, dataOf, Json, Media, parsed } from "./json.js";

// A message's text: plain, or rendered as Markdown if the user chose that.

/** The selected view of steps, shared by all steps. */
export const tab = kept("step.tab", /** @type {"said" | "markdown" | "text" | "json" | "raw" | "why"} */ ("said"));

/** Maximum characters that are rendered as Markdown; longer text stays plain. */
const MOST = 150_000;
const FOLDED = 4_000;
/** The renderer, loaded on first use. */
const renderer = signal(/** @type {typeof import("./markdown.js") | null} */ (null));
/** @type {Promise<void> | null} */
let loading = null;

function load() {
  loading ??= import("./markdown.js").then((made) => { renderer.value = made; });
}

/** @param {{text: string}} props */
export function Prose({ text }) {
  const isMarkdown = tab.value === "markdown" && text.length <= MOST;
  useEffect(() => { if (isMarkdown) load(); }, [isMarkdown]);
  return isMarkdown && renderer.value ? html`<${Markdown} text=${text} make=${renderer.value.rendered} />` : html`<${LongText} text=${text} />`;
}

/** @param {{text: string, make: (text: string) => import("../vendor/preact.js").Child}} props */
function Markdown({ text, make }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > FOLDED;
  const shown = isLong && !isOpen ? text.slice(0, Math.max(text.lastIndexOf("\n\n", FOLDED), FOLDED / 2)) : text;
  return html`<div class="md" dir="auto">${make(shown)}</div>
    ${isLong && html`<span class="fold"><button onClick=${() => setOpen(!isOpen)}>${isOpen ? t("text.less") : t("text.more", { size: bytes(text.length - shown.length) })}</button></span>`}`;
}

// Messages as a chat.

/** @typedef {{id?: string, function?: {name?: string, arguments?: string}}} Call */
/** @typedef {{role: string, content?: unknown, reasoning_content?: string, tool_calls?: Call[], tool_call_id?: string, name?: string, status?: string, finish_reason?: string, refusal?: string}} Message */

const TEXTS = ["reasoning_content", "refusal", "name", "finish_reason", "tool_call_id", "status"];

/** Whether a value is a list of messages that can be rendered as a chat; other values are shown as JSON. @param {unknown} value @returns {value is Message[]} */
export function areMessages(value) {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

/** @param {any} one */
function isMessage(one) {
  if (typeof one?.role !== "string") return false;
  const calls = one.tool_calls ?? [];
  return TEXTS.every((key) => typeof (one[key] ?? "") === "string") && Array.isArray(calls) && calls.every(isCall);
}

/** @param {any} call */
const isCall = (call) => typeof (call?.id ?? "") === "string" && typeof (call?.function?.arguments ?? "") === "string" && typeof (call?.function?.name ?? "") === "string";

/**
 * @param {{messages: Message[], before?: number, isAnswer?: boolean}} props
 *   `before`: number of leading messages to fold, because an earlier call had them; `isAnswer`: whether the
 *   messages are a model's answer, whose tool calls have no results here
 */
export function Messages({ messages, before = 0, isAnswer = false }) {
  const isHit = (/** @type {Message} */ one) => foundIn(JSON.stringify(one)) >= 0;
  const [isOpen, setOpen] = useState(() => messages.slice(0, before).some(isHit) && !messages.slice(before).some(isHit));
  const results = new Map(messages.flatMap((one) => (one.tool_call_id ? [[one.tool_call_id, one]] : [])));
  const called = new Set(messages.flatMap((one) => (one.tool_calls ?? []).map((call) => call?.id)));
  const rest = messages.findIndex((one) => !isPrompt(one));
  const prompts = rest < 0 ? [] : messages.slice(0, rest);
  const folded = Math.max(before - prompts.length, 0);
  const shown = messages.slice(prompts.length + (isOpen ? 0 : folded));
  return html`<div class="chat">
    ${prompts.map((one, at) => html`<${Prompt} key=${`prompt${at}`} message=${one} />`)}
    ${folded > 0 && html`<button class="earlier" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${isOpen ? "▾" : "▸"} ${t("chat.earlier", { n: folded })}</button>`}
    ${shown.map((one, at) => (one.tool_call_id && called.has(one.tool_call_id) && shown.some((other) => other.tool_calls?.some((call) => call?.id === one.tool_call_id)) ? "" : html`<${Said} key=${at} message=${one} results=${results} isAnswer=${isAnswer} isOrphan=${Boolean(one.tool_call_id) && !called.has(one.tool_call_id)} />`))}
  </div>`;
}

/** Whether a message has instructions for the model: role `system` or `developer`. @param {Message} message */
const isPrompt = ({ role }) => role === "system" || role === "developer";

/** The texts in a message's content; parts that are not text are left out. @param {unknown} content @returns {string} */
const wordsOf = (content) => (typeof content === "string" ? content : Array.isArray(content) ? content.map((part) => (typeof part?.text === "string" ? part.text : "")).join(" ") : "");

/** A prompt, collapsed to its first words. @param {{message: Message}} props */
function Prompt({ message }) {
  const [isOpen, setOpen] = useState(() => foundIn(wordsOf(message.content)) >= 0);
  return html`<section class="said by-${message.role}"><h4><button class="plain prompt" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${isOpen ? "▾" : "▸"} ${message.role}${!isOpen && html` <bdi>${line(wordsOf(message.content), 200)}</bdi>`}</button></h4>
    ${isOpen && html`<${Content} content=${message.content} />`}</section>`;
}

/** @param {{message: Message, results: Map<string, Message>, isAnswer: boolean, isOrphan: boolean}} props */
function Said({ message, results, isAnswer, isOrphan }) {
  const { role, name, reasoning_content: thoughts, tool_calls: calls, refusal, finish_reason: ended } = message;
  return html`<section class="said by-${/^[a-z]+$/.test(role) ? role : "other"}">
    <h4>${visible(role)}${name && html` <bdi>${visible(name)}</bdi>`}
      ${isOrphan && html` <span class="quiet">${t("chat.orphan")}</span>`}
      ${ended && ended !== "stop" && html` <span class="quiet">${visible(ended)}</span>`}</h4>
    ${thoughts && html`<${Thoughts} text=${thoughts} />`}
    <${Content} content=${message.content} />
    ${refusal && html`<p class="refusal">${t("chat.refusal")} <${LongText} text=${refusal} /></p>`}
    ${(calls ?? []).map((call, at) => html`<${Called} key=${call?.id ?? at} call=${call} result=${results.get(call?.id ?? "")} isAnswer=${isAnswer} />`)}
  </section>`;
}

/** @param {{text: string}} props */
function Thoughts({ text }) {
  const [isOpen, setOpen] = useState(false);
  return html`<div class="thoughts"><button class="plain" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${isOpen ? "▾" : "▸"} ${t("chat.thoughts", { n: text.length })}</button>
    ${isOpen && html`<${LongText} text=${text} />`}</div>`;
}

/** @param {{call: Call, result?: Message, isAnswer: boolean}} props */
function Called({ call, result, isAnswer }) {
  const given = call?.function?.arguments ?? "";
  return html`<div class="call ${result?.status === "error" ? "err" : ""}">
    <div class="given"><div class="titled"><h5>→ <bdi>${visible(call?.function?.name ?? "")}</bdi></h5><${Copy} text=${given} /></div><${Value} text=${given} /></div>
    ${(result || !isAnswer) && html`<div class="result">${result ? html`<h5>← ${t("chat.result")}</h5><${Content} content=${result.content} />` : html`<p class="quiet">${t("chat.noresult")}</p>`}</div>`}
  </div>`;
}

/** @param {{content: unknown}} props */
function Content({ content }) {
  if (typeof content === "string") return content ? html`<${Value} text=${content} />` : "";
  if (!Array.isArray(content)) return content ? html`<${Json} value=${content} />` : "";
  return content.map((part, at) => html`<${Part} key=${at} part=${part} />`);
}

/** @param {{part: any}} props a part of a message, of any type */
function Part({ part }) {
  if (part?.type === "text" && typeof part.text === "string") return html`<${Plain} text=${part.text} />`;
  if (part?.type === "image_url" && typeof part.image_url?.url === "string") return html`<${Media} url=${part.image_url.url} />`;
  if (part?.type === "input_audio" && typeof part.input_audio?.data === "string") return html`<${Bytes} type=${`audio/${part.input_audio.format ?? ""}`} body=${part.input_audio.data} />`;
  const file = part?.type === "file" ? part.file : null;
  const url = file?.file_data ?? file?.file_url;
  return typeof url === "string" ? html`<${Media} url=${url} name=${file.filename} />` : html`<${Json} value=${part} />`;
}

/** A text: JSON as a tree, other text unchanged. @param {{text: string}} props */
export function Value({ text }) {
  const value = parsed(text);
  return value === undefined ? html`<${Plain} text=${text} />` : html`<${Json} value=${value} />`;
}

/** A text: a file's bytes as a media line, other text unchanged. @param {{text: string}} props */
function Plain({ text }) {
  const data = dataOf(text);
  return data ? html`<${Media} url=${data} />` : html`<${Prose} text=${text} />`;
}

// Finds the messages that a model call shares with the previous call.

/** All messages of a model call, those of its input before those of its output. @param {{input: string, output: string}} step @returns {Message[]} */
export function earlier({ input, output }) {
  return [input, output].map(parsed).flatMap((value) => (areMessages(value) ? value : []));
}

/** The fields that identify a message, as JSON: without the finish reason, which only the output of a call has. @param {Message} message */
function essence({ role, content, tool_calls: calls, tool_call_id: id }) {
  const made = (calls ?? []).map((call) => [call?.id, call?.function?.name, call?.function?.arguments]);
  return JSON.stringify([role, content ?? "", made, id ?? ""]);
}

/** The number of leading messages that the previous call had; the last message always counts as new. @param {Message[]} messages @param {Message[]} before */
export function sharedWith(messages, before) {
  const most = Math.min(messages.length - 1, before.length);
  let same = 0;
  while (same < most && essence(messages[same]) === essence(before[same])) same++;
  return same;
}
