/** A text to search for, and its owner. */
export interface Needle {
  readonly text: string;
  readonly hasLead: boolean;
  readonly owner: number;
}

/**
 * Aho-Corasick automaton over UTF-16 units: one pass finds all needles. The children of a state are a linked list, since nearly
 * all states have one child. The initial state has a table, since nearly all transitions start there.
 */
export interface Automaton {
  /** Returns the state after one more unit. */
  step(state: number, unit: number): number;
  /** Number of units of a needle that the state has matched. A match cannot start earlier than that. */
  depthOf(state: number): number;
  /** Length of the longest needle that ends here, 0 when none does. */
  lengthOf(state: number): number;
  hasLead(state: number): boolean;
  ownerOf(state: number): number;
}

interface Trie {
  readonly units: number[];
  readonly children: number[];
  readonly siblings: number[];
  readonly depths: number[];
  readonly lengths: number[];
  readonly leads: number[];
  readonly owners: number[];
}

export function buildAutomaton(needles: readonly Needle[]): Automaton {
  const trie: Trie = { units: [0], children: [0], siblings: [0], depths: [0], lengths: [0], leads: [0], owners: [0] };
  const first = new Map<number, number>();
  for (const needle of needles) insert(trie, first, needle);
  const fails = linkFails(trie, first);
  const units = Int32Array.from(trie.units);
  const children = Int32Array.from(trie.children);
  const siblings = Int32Array.from(trie.siblings);
  const table = new Int32Array(0x1_0000);
  for (const [unit, state] of first) table[unit] = state;
  return {
    step: (state, unit) => {
      let from = state;
      while (from !== 0) {
        let child = children[from] ?? 0;
        while (child !== 0 && units[child] !== unit) child = siblings[child] ?? 0;
        if (child !== 0) return child;
        from = fails[from] ?? 0;
      }
      return table[unit] ?? 0;
    },
    depthOf: (state) => trie.depths[state] ?? 0,
    lengthOf: (state) => trie.lengths[state] ?? 0,
    hasLead: (state) => trie.leads[state] === 1,
    ownerOf: (state) => trie.owners[state] ?? 0,
  };
}

function insert(trie: Trie, first: Map<number, number>, needle: Needle): void {
  let state = 0;
  for (let index = 0; index < needle.text.length; index += 1) {
    const unit = needle.text.charCodeAt(index);
    const known = state === 0 ? (first.get(unit) ?? 0) : childOf(trie, state, unit);
    state = known === 0 ? grow(trie, first, state, unit) : known;
  }
  // Two secrets may have the same shape. The first one registered owns it.
  if (trie.lengths[state] === 0) trie.owners[state] = needle.owner;
  trie.lengths[state] = needle.text.length;
  if (needle.hasLead) trie.leads[state] = 1;
}

function childOf(trie: Trie, state: number, unit: number): number {
  let child = trie.children[state] ?? 0;
  while (child !== 0 && trie.units[child] !== unit) child = trie.siblings[child] ?? 0;
  return child;
}

function grow(trie: Trie, first: Map<number, number>, parent: number, unit: number): number {
  const state = trie.units.length;
  trie.units.push(unit);
  trie.children.push(0);
  trie.siblings.push(parent === 0 ? 0 : (trie.children[parent] ?? 0));
  trie.depths.push((trie.depths[parent] ?? 0) + 1);
  trie.lengths.push(0);
  trie.leads.push(0);
  trie.owners.push(0);
  if (parent === 0) first.set(unit, state);
  else trie.children[parent] = state;
  return state;
}

/** Breadth first, so that the fallback state is complete before it is read. */
function linkFails(trie: Trie, first: ReadonlyMap<number, number>): Int32Array {
  const fails = new Int32Array(trie.units.length);
  const queue = [...first.values()];
  for (let next = 0; next < queue.length; next += 1) {
    const state = queue[next] ?? 0;
    const fail = fails[state] ?? 0;
    if (trie.lengths[state] === 0) {
      trie.lengths[state] = trie.lengths[fail] ?? 0;
      trie.leads[state] = trie.leads[fail] ?? 0;
      trie.owners[state] = trie.owners[fail] ?? 0;
    }
    for (let child = trie.children[state] ?? 0; child !== 0; child = trie.siblings[child] ?? 0) {
      fails[child] = fallBack(trie, first, fails, fail, trie.units[child] ?? 0);
      queue.push(child);
    }
  }
  return fails;
}

function fallBack(
  trie: Trie,
  first: ReadonlyMap<number, number>,
  fails: Int32Array,
  from: number,
  unit: number,
): number {
  for (let state = from; state !== 0; state = fails[state] ?? 0) {
    const child = childOf(trie, state, unit);
    if (child !== 0) return child;
  }
  return first.get(unit) ?? 0;
}
