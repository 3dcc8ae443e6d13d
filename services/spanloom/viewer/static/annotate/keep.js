/**
 * Writes kept in the browser until the service has them: they survive a reload, a crash, and hours
 * without a network. Each window keeps its own; those of a window that is gone are taken over.
 */

/** @typedef {import("./writes.js").Write} Write */

const STORE = "writes";
const LOCK = "spanloom.window.";

/** A new id; `crypto.randomUUID` is not there on pages that are not secure. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** This window, for as long as it is open. */
const me = newId();

export class Keep {
  /** @param {IDBDatabase | null} database null: there is none, and writes live as long as the page */
  constructor(database) {
    this.database = database;
    this.order = Date.now() * 1000;
  }

  /** Keep a write, or what it has become. @param {Write} write */
  async put(write) {
    const order = /** @type {any} */ (write).order ?? (this.order += 1);
    Object.assign(write, { order });
    await this.run((store) => store.put({ ...write, owner: me }));
  }

  /** Forget writes: the service has them, or the reader wants none of them. @param {Write[]} writes */
  async drop(writes) {
    if (writes.length) await this.run((store) => { for (const one of writes) store.delete(one.id); });
  }

  /** Take over what windows left that are gone, oldest first. @returns {Promise<Write[]>} */
  async takeOver() {
    const found = (await this.run((store) => store.getAll()))?.result ?? [];
    const gone = new Set();
    for (const owner of new Set(found.map((/** @type {any} */ one) => one.owner))) if (owner !== me && (await isGone(owner))) gone.add(owner);
    const taken = found.filter((/** @type {any} */ one) => gone.has(one.owner));
    taken.sort((/** @type {any} */ a, /** @type {any} */ b) => a.order - b.order);
    for (const one of taken) {
      Object.assign(one, { state: one.state === "held" ? "held" : "waiting", wasSent: true }); // whether it came through nobody knows
      await this.put(one);
    }
    return taken;
  }

  /** @param {(store: IDBObjectStore) => any} act @returns {Promise<any>} the request, once all of it is on disk */
  async run(act) {
    if (!this.database) return null;
    const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
    const request = act(transaction.objectStore(STORE));
    await new Promise((done, fail) => {
      transaction.addEventListener("complete", done);
      transaction.addEventListener("abort", () => fail(transaction.error));
    });
    return request;
  }
}

/** Open the browser's database; a browser that refuses is no reason not to annotate. */
export async function openKeep() {
  void holdLock();
  try {
    return new Keep(await opened());
  } catch {
    return new Keep(null);
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

/** Hold a lock that ends with the window, however it ends. */
function holdLock() {
  return navigator.locks?.request(LOCK + me, () => new Promise(() => {}));
}

/** Whether the window that kept a write is gone. Without locks, on a page that is not secure, nobody knows: it is. @param {string} owner */
async function isGone(owner) {
  if (!navigator.locks) return true;
  return navigator.locks.request(LOCK + owner, { ifAvailable: true }, (lock) => lock !== null);
}
