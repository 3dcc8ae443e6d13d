/**
 * Stores writes in the browser until the service has them, across reloads, crashes, and hours
 * without a network. Each window stores its own writes; another window takes over the writes of a closed window.
 */
/** @typedef {import("./writes.js").Write} Write */

const STORE = "writes";
const LOCK = "spanloom.window.";
const SENT_MS = 10_000;

/** A new id; `crypto.randomUUID` does not exist on insecure pages. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The id of this window, until it is closed. */
const me = newId();

export class Keep {
  constructor() {
    void holdLock();
    /** The browser's database; null if the browser refuses it, in which case unsent writes are lost with the page. @type {Promise<IDBDatabase | null>} */
    this.database = opened().catch(() => null);
    this.order = Date.now() * 1000;
  }

  /** Store a write in its current state. @param {Write} write */
  async put(write) {
    const order = /** @type {any} */ (write).order ?? (this.order += 1);
    Object.assign(write, { order });
    const kept = { ...write, owner: me };
    await this.run((store) => store.put(kept));
  }

  /** Remove writes that the service has stored or that the user discarded. @param {Write[]} writes */
  async drop(writes) {
    if (writes.length) await this.run((store) => { for (const one of writes) store.delete(one.id); });
  }

  /** Take over the writes of closed windows, oldest first. @returns {Promise<Write[]>} */
  async takeOver() {
    const found = (await this.run((store) => store.getAll()))?.result ?? [];
    const gone = new Set();
    for (const owner of new Set(found.map((/** @type {any} */ one) => one.owner))) {
      const newest = Math.max(...found.filter((/** @type {any} */ one) => one.owner === owner).map((/** @type {any} */ one) => one.order / 1000));
      if (owner !== me && (await isGone(owner, newest))) gone.add(owner);
    }
    const taken = found.filter((/** @type {any} */ one) => gone.has(one.owner));
    taken.sort((/** @type {any} */ a, /** @type {any} */ b) => a.order - b.order);
    for (const one of taken) {
      Object.assign(one, { state: one.state === "held" ? "held" : "waiting", wasSent: true }); // it is unknown whether the write arrived
      await this.put(one);
    }
    return taken;
  }

  /** @param {(store: IDBObjectStore) => any} act @returns {Promise<any>} the request, once its transaction is on the disk */
  async run(act) {
    const database = await this.database;
    if (!database) return null;
    const transaction = database.transaction(STORE, "readwrite", { durability: "strict" });
    const request = act(transaction.objectStore(STORE));
    await new Promise((done, fail) => {
      transaction.addEventListener("complete", done);
      transaction.addEventListener("abort", () => fail(transaction.error));
    });
    return request;
  }
}

/** @returns {Promise<IDBDatabase>} */
function opened() {
  return new Promise((done, fail) => {
    const request = indexedDB.open("spanloom", 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore(STORE, { keyPath: "id" }));
    request.addEventListener("success", () => done(request.result));
    for (const trouble of ["error", "blocked"]) request.addEventListener(trouble, () => fail(request.error));
  });
}

/** Hold a lock that the browser releases when the window ends for any reason. */
function holdLock() {
  return navigator.locks?.request(LOCK + me, () => new Promise(() => {}));
}

/**
 * Whether the window that owns the stored writes is closed. On an insecure page there are no locks to test, so a
 * window counts as closed if it has written nothing for longer than sending takes.
 * @param {string} owner @param {number} newest the time of its last write, in milliseconds since the epoch
 */
async function isGone(owner, newest) {
  if (!navigator.locks) return Date.now() - newest > SENT_MS;
  return navigator.locks.request(LOCK + owner, { ifAvailable: true }, (lock) => lock !== null);
}
