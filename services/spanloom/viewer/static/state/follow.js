/**
 * Reads the change feed. Uses fetch instead of EventSource, which cannot send an API key. Nothing is
 * requested while the page is hidden: a browser has few connections for all of its tabs.
 */
import { ApiError, getJson, getStream, pieces } from "../api.js";

/** @typedef {import("../records.js").Change} Change */

const PATH = "/v1/trajectories/changes";
const RETRY_MS = 3000;
const GONE = 410;

/**
 * Call `report` with each change until the returned function is called.
 * @param {import("../api.js").Params} params @param {(change: Change) => void} report
 * @param {(isLive: boolean) => void} connected
 */
export function follow(params, report, connected) {
  let ending = new AbortController();
  let last = "";
  const run = async () => {
    const mine = (ending = new AbortController());
    while (!mine.signal.aborted && !document.hidden) {
      try {
        last ||= (await getJson(PATH, params, mine.signal)).next; // the feed starts here, even while the page is hidden
        const stream = await getStream(PATH, { ...params, after: last }, mine.signal);
        connected(true);
        for await (const event of events(stream)) {
          last = event.id || last;
          if (event.data) report(JSON.parse(event.data));
        }
      } catch (error) {
        if (mine.signal.aborted) return;
        if (error instanceof ApiError && error.status === GONE) last = "";
        connected(false);
      }
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  };
  const turn = () => {
    ending.abort();
    if (!document.hidden) void run();
  };
  document.addEventListener("visibilitychange", turn);
  void run();
  return () => {
    document.removeEventListener("visibilitychange", turn);
    ending.abort();
  };
}

/** Yield the events in a stream of server-sent events. @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream */
export async function* events(stream) {
  for await (const some of pieces(stream, /\r?\n\r?\n/)) for (const piece of some) yield read(piece);
}

/** @param {string} piece */
function read(piece) {
  const parsed = { id: "", data: "" };
  for (const line of piece.split(/\r?\n/)) {
    const [, name, value] = /^(id|data): ?(.*)$/.exec(line) ?? [];
    if (name === "id") parsed.id = value;
    else if (name === "data") parsed.data += (parsed.data ? "\n" : "") + value;
  }
  return parsed;
}
