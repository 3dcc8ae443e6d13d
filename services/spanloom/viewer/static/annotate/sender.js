/** Sends writes half a second after the last change and when the page is hidden, and again until they are stored. */
import { signal } from "../vendor/signals.js";
import { ApiError, sendJson } from "../api.js";
import { Writes } from "./writes.js";

// Converts writes to requests to the service, and its errors to reasons per write.

/** @typedef {import("./writes.js").Write} Write */

/** A batch as a request: path, body, query, and the annotator. @param {Write[]} batch @returns {[string, object, import("../api.js").Params, string]} */
export function request(batch) {
  const [{ kind, id, group, edit, context }] = batch;
  const { trace, project, scheme, annotator, version } = context;
  const path = `/v1/trajectories/${trace}/annotations`;
  if (kind === "undo") return [`${path}/undo`, { scheme, write_id: id, group }, { project }, annotator];
  if (kind === "branch") return [`${path}/bulk`, { scheme, write_id: id, version, below: group, correctness: edit.correctness }, { project }, annotator];
  const items = batch.map((one) => ({ write_id: one.id, step_id: one.step, base_revision: one.base, ...one.edit }));
  return [path, { scheme, version, items }, { project }, annotator];
}

/** The reasons why writes of a batch were refused, keyed by the write's position in the batch. @param {ApiError} error @param {number} count */
export function reasons(error, count) {
  const named = error.errors.flatMap(({ parameter, detail }) => {
    const [, place] = /^items\[(\d+)\]/.exec(parameter) ?? [];
    return place === undefined ? [] : [/** @type {const} */ ([Number(place), `${parameter.replace(/^items\[\d+\]\.?/, "")}: ${detail}`])];
  });
  return new Map(named.length ? named : Array.from({ length: count }, (_, place) => [place, error.message]));
}

/** @typedef {{stored: (batch: Write[], answer: any) => void, changed: () => void, scheme: (name: string) => import("./scheme.js").Scheme}} Listener */

const PAUSE_MS = 500;
const AT_LATEST_MS = 2000;
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];

export class Sender {
  /** @param {import("./keep.js").Keep} keep @param {Listener} listener */
  constructor(keep, listener) {
    this.writes = new Writes();
    this.keep = keep;
    this.listener = listener;
    /** The number of writes that the service has not confirmed, and the error that delays them, if any. */
    this.waiting = signal(0);
    this.trouble = signal(/** @type {ApiError | null} */ (null));
    this.timer = 0;
    this.since = 0;
    this.failures = 0;
    this.isBusy = false;
    addEventListener("online", () => void this.send());
    addEventListener("pagehide", () => void this.send(true));
    document.addEventListener("visibilitychange", () => { if (document.hidden) void this.send(true); });
  }

  /** Take over the writes that other windows left, and put them before the writes of this window; return their number. */
  async begin() {
    const left = await this.keep.takeOver().catch(() => []);
    this.writes.list.unshift(...left);
    if (left.length) void this.send();
    this.notify();
    return left.length;
  }

  /** @param {import("./writes.js").NewWrite} wanted @returns {Write} */
  add(wanted) {
    const write = this.writes.add(wanted);
    void this.keep.put(write).catch(() => {}); // the disk may be full; the write is sent anyway
    this.notify();
    this.later();
    return write;
  }

  /** Send after a pause, but not much later even if changes continue. */
  later() {
    this.since ||= Date.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.send(), Math.max(0, Math.min(PAUSE_MS, this.since + AT_LATEST_MS - Date.now())));
  }

  /** Send all pending writes, one request after the other. @param {boolean} [isLeaving] whether the page may be closed before the response */
  async send(isLeaving = false) {
    clearTimeout(this.timer);
    this.since = 0;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      for (let batch = this.writes.next(); batch.length; batch = this.writes.next()) {
        if (!(await this.sendOne(batch, isLeaving))) break;
      }
    } finally {
      this.isBusy = false;
    }
    this.notify();
  }

  /** @param {Write[]} batch @param {boolean} isLeaving @returns {Promise<boolean>} whether to continue */
  async sendOne(batch, isLeaving) {
    this.writes.sent(batch);
    const scheme = this.listener.scheme(batch[0].context.scheme);
    for (const one of batch) void this.keep.put(one).catch(() => {});
    let answer;
    try {
      answer = await sendJson("POST", ...request(batch), isLeaving);
    } catch (error) {
      return this.failed(batch, error instanceof ApiError ? error : new ApiError(0, String(error)), scheme);
    }
    this.writes.stored(batch, answer.items, scheme);
    await this.keep.drop(batch).catch(() => {});
    this.failures = 0;
    this.trouble.value = null;
    this.listener.stored(batch, answer);
    this.notify();
    return true;
  }

  /** @param {Write[]} batch @param {ApiError} error @param {import("./scheme.js").Scheme} scheme */
  failed(batch, error, scheme) {
    const { status } = error;
    this.trouble.value = null;
    if (status === 409 && error.current) this.writes.clashed(batch, error.current, scheme);
    else if ([400, 404, 409, 413, 422].includes(status)) this.writes.refused(batch, reasons(error, batch.length));
    else {
      this.writes.failed(batch);
      this.trouble.value = error;
      this.timer = setTimeout(() => void this.send(), RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]);
    }
    for (const one of batch) void this.keep.put(one).catch(() => {});
    this.notify();
    return this.trouble.value === null;
  }

  /** Apply the user's choice between conflicting values. @param {Write} write @param {boolean} isMine */
  settle(write, isMine) {
    if (this.writes.settle(write, isMine)) void this.keep.put(write);
    else void this.keep.drop([write]);
    this.notify();
    void this.send();
  }

  /** Send a refused write again. @param {Write} write */
  again(write) {
    this.writes.again(write);
    void this.keep.put(write).catch(() => {});
    this.notify();
    void this.send();
  }

  /** Discard a write that the service refuses. @param {Write} write */
  discard(write) {
    this.writes.drop(write);
    void this.keep.drop([write]);
    this.notify();
  }

  /** Send now; resolves once everything is stored, or nothing more can be. */
  async flush() {
    while (this.isBusy) await new Promise((done) => setTimeout(done, 20));
    await this.send();
    return this.writes.waiting === 0;
  }

  notify() {
    this.waiting.value = this.writes.waiting;
    this.listener.changed();
  }
}
