/**
 * The only module that calls the service. Responses are JSON or bytes; every failure is an
 * `ApiError` with the message of the service (RFC 9457).
 */
import { signal } from "./vendor/signals.js";
import { t } from "./i18n/index.js";
import { ANNOTATOR_HEADER } from "./service.js";
import { annotator } from "./state/reader.js";

// Tracks whether the service responds; failed requests are repeated when it responds again.

let isAway = false;

/** Incremented whenever the service is, or may be, reachable again. */
export const returns = signal(0);

const notify = () => { returns.value = returns.peek() + 1; };

/** Record the end of a request, with or without a response. @param {boolean} isAnswered */
export function heard(isAnswered) {
  const wasAway = isAway;
  isAway = !isAnswered;
  if (wasAway && isAnswered) notify();
}

/** The number of requests that wait so long that the page reports it. */
export const slow = signal(0);
const SLOW_MS = 3000;

/** The browser may report a connection before requests succeed, so requests that fail again are repeated a little later. */
const AFTER_ONLINE_MS = [0, 500, 3000];

addEventListener("online", () => { for (const ms of AFTER_ONLINE_MS) setTimeout(notify, ms); });

// Requests, and their failures.

/** @typedef {{parameter: string, detail: string, position?: number, length?: number, did_you_mean?: string[]}} InputError */
/** @typedef {Record<string, string | number | boolean | null | undefined | string[]>} Params a list is sent as a repeated parameter */

const KEY = "spanloom.key";
/** Characters of a request that a browser still sends after its page is closed; the browser's limit is 64 KiB in total. */
const MOST_KEPT_ALIVE = 20_000;
/** Milliseconds that the page works before it handles keys and frames, and the number of rows that it reads before it checks the clock. */
const SLICE_MS = 4;
const AT_ONCE = 50;

/** Whether the service demands a key and refused the current key. */
export const isLocked = signal(false);

/** A failed request: `status` 0 means that there was no response. */
export class ApiError extends Error {
  /** @param {number} status @param {string} detail @param {InputError[]} [errors] @param {any[] | null} [current] the current rows, if a write conflicts with them @param {string} [reason] code of the reason why a format cannot represent a run */
  constructor(status, detail, errors = [], current = null, reason = "") {
    super(detail);
    this.status = status;
    this.errors = errors;
    this.current = current;
    this.reason = reason;
  }
}

/** Store a key until the tab is closed; an empty key removes it. @param {string} key */
export function useKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
  isLocked.value = false;
}

export const hasKey = () => sessionStorage.getItem(KEY) !== null;

/**
 * Request JSON.
 * @param {string} path @param {Params} [params] @param {AbortSignal} [until]
 * @returns {Promise<any>} the response, as docs/api.md describes it
 */
export async function getJson(path, params, until) {
  return (await ask(path, params, "application/json", until)).json();
}

/** Request bytes. @param {string} path @param {Params} [params] @param {AbortSignal} [until] */
export async function getBytes(path, params, until) {
  return (await ask(path, params, "*/*", until)).arrayBuffer();
}

/** Request a text, and the header that counts its losses. @param {string} path @param {Params} params @param {AbortSignal} until */
export async function getText(path, params, until) {
  const answer = await ask(path, params, "*/*", until);
  return { text: await answer.text(), losses: answer.headers.get("spanloom-losses") ?? "" };
}

/**
 * Request a response without an end, as a stream of bytes.
 * @param {string} path @param {Params} params @param {AbortSignal} [until] @param {string} [accept]
 */
export async function getStream(path, params, until, accept = "text/event-stream") {
  const answer = await ask(path, params, accept, until);
  return /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (answer.body);
}

/** Split a stream of text at a separator; after each chunk, yield the items that are complete. @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream @param {RegExp} by @returns {AsyncGenerator<string[]>} */
export async function* pieces(stream, by) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const whole = (rest + value).split(by);
    rest = whole.pop() ?? "";
    yield whole;
  }
}

/**
 * Request rows of JSON, and pass them to `take` as they arrive, in batches, so that the page stays responsive.
 * @param {string} path @param {Params} params @param {(row: any) => void} take
 * @returns {Promise<any>} the last line of the response, after the rows
 */
export async function getRows(path, params, take) {
  const stream = await getStream(path, params, undefined, "application/x-ndjson");
  let [data, since] = [null, performance.now()];
  for await (const lines of pieces(stream, /\n/)) {
    for (const [at, line] of lines.entries()) {
      const row = JSON.parse(line);
      if (row.end) data = row; // read on to the end, otherwise the response stays open
      else if (!row.error) take(row); // an error: the service failed midway, and sends no last line
      if (at % AT_ONCE || performance.now() - since < SLICE_MS) continue;
      await new Promise((done) => setTimeout(done, 2 * SLICE_MS));
      since = performance.now();
    }
  }
  if (data) return data;
  throw new ApiError(0, `${path}: the answer was cut off`);
}

/**
 * Send JSON, and return the JSON in the response.
 * @param {"POST" | "PUT" | "DELETE"} method @param {string} path @param {object | string} body a text is sent
 * unchanged @param {Params} [params]
 * @param {string} [who] the annotator, if not the current one @param {boolean} [keepalive] whether it outlives the page
 * @returns {Promise<any>}
 */
export async function sendJson(method, path, body, params, who, keepalive = false) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const sent = { "content-type": "application/json", ...(who ? { [ANNOTATOR_HEADER]: encodeURIComponent(who) } : {}) };
  const isShort = text.length < MOST_KEPT_ALIVE;
  return (await ask(path, params, "application/json", undefined, { method, body: text, headers: sent, keepalive: keepalive && isShort })).json();
}

/**
 * Send a file, and pass each line of JSON in the response to `take` as it arrives.
 * @param {string} path @param {Blob} file @param {Params} params @param {(line: any) => void} take @param {AbortSignal} until
 */
export async function sendFile(path, file, params, take, until) {
  const more = { method: "POST", body: file, headers: { "content-type": "application/octet-stream" } };
  const answer = await ask(path, params, "application/x-ndjson", until, more);
  const stream = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (answer.body);
  for await (const lines of pieces(stream, /\n/)) for (const line of lines) take(JSON.parse(line));
}

/** @param {string} path @param {Params} [params] */
export function address(path, params = {}) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null && one !== undefined && one !== "") url.searchParams.append(name, String(one));
  }
  return url;
}

/** @param {string} path @param {Params | undefined} params @param {string} accept @param {AbortSignal} [until] @param {RequestInit} [more] */
async function ask(path, params, accept, until, more = {}) {
  let answer;
  let isSlow = false;
  const timer = setTimeout(() => { isSlow = true; slow.value += 1; }, SLOW_MS);
  try {
    answer = await fetch(address(path, params), { ...more, headers: { ...headers(accept), ...more.headers }, signal: until, redirect: "error" });
  } catch (error) {
    if (until?.aborted) throw error;
    heard(false);
    throw new ApiError(0, t("error.unreachable"));
  } finally {
    clearTimeout(timer);
    if (isSlow) slow.value -= 1;
  }
  heard(true);
  if (answer.ok) return answer;
  if (answer.status === 401) isLocked.value = true;
  throw await failure(answer);
}

/** Headers of every request: the key, and the user's name. @param {string} accept */
function headers(accept) {
  const key = sessionStorage.getItem(KEY);
  const who = annotator.peek();
  return { accept, ...(key ? { authorization: `Bearer ${key}` } : {}), ...(who ? { [ANNOTATOR_HEADER]: encodeURIComponent(who) } : {}) };
}

/** @param {Response} answer */
async function failure(answer) {
  const data = await answer.json().catch(() => ({}));
  return new ApiError(answer.status, data.detail ?? answer.statusText, data.errors ?? [], data.current ?? null, data.reason ?? "");
}
