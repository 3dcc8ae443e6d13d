/** Finds the rows that match a search: by the dictionaries, not row by row. */
/** @typedef {{kinds: Set<string>, text: string, found: Iterable<number> | null, only?: Uint8Array | null}} Wanted
 *    `found`: rows in whose texts the service found it; `only`: restricts hits to these rows */

/**
 * Return the rows that are hits, the kept rows (hits and their ancestors), and the ancestors.
 * @param {import("./outline.js").Outline} o @param {Wanted} wanted @param {Uint8Array} hidden
 */
export function find(o, { kinds, text, found, only }, hidden) {
  const needle = text.toLowerCase();
  const [hits, kept, above, matched] = [0, 1, 2, 3].map(() => new Uint8Array(o.n));
  for (const i of found ?? []) matched[i] = 1;
  const names = o.names.map((name) => name.toLowerCase().includes(needle));
  const agents = o.agents.map((name, at) => at > 0 && name.toLowerCase().includes(needle));
  const isWanted = o.kinds.map((kind) => kinds.size === 0 || kinds.has(kind));
  let count = 0;
  for (let i = 0; i < o.n; i++) {
    const isMeant = matched[i] || !needle || names[o.name[i]] || agents[o.agent[i]];
    if (!isMeant || (only && !only[i]) || !isWanted[o.kind[i]] || (hidden[i] && !matched[i])) continue;
    hits[i] = kept[i] = 1;
    count++;
    for (let up = o.parent[i]; up >= 0 && !above[up]; up = o.parent[up]) kept[up] = above[up] = 1;
  }
  return { hits, kept, above, count };
}
