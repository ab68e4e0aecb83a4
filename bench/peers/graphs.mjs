/** The graphs that are run, node by node: the same ten of the diamond, the same chain and fan-out as ours. */
const node = (id, parents = []) => ({ id, parents });

export const DIAMOND = [
  node("a"),
  ...["b", "c", "d", "e"].map((id) => node(id, ["a"])),
  ...[
    ["f", "b"],
    ["g", "c"],
    ["h", "d"],
    ["i", "e"],
  ].map(([id, parent]) => node(id, [parent])),
  node("j", ["f", "g", "h", "i"]),
];

export const DIAMOND_NODES = DIAMOND.length;

export function chainOf(length) {
  return Array.from({ length }, (_, index) => node(`n${index}`, index === 0 ? [] : [`n${index - 1}`]));
}

export function fanOutOf(size) {
  return Array.from({ length: size }, (_, index) => node(`n${index}`, index === 0 ? [] : ["n0"]));
}
