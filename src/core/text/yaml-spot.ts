import { isCollection, isMap, isSeq, type ParsedNode } from "yaml";
import type { PathSegment, TreePath } from "../base/index.ts";
import type { Member, Spot } from "./source-tree.ts";
import { keyTextOf, type YamlList, type YamlMap } from "./yaml-value.ts";

/** Finds places among composed nodes. The members of a list or map are indexed on first use. */
export class YamlSpot implements Spot {
  readonly start: number;
  readonly #node: ParsedNode | null;
  #members: ReadonlyMap<PathSegment, Member> | null = null;

  /** A key without a value has no node, so the place of its value is that of the key. */
  constructor(node: ParsedNode | null, start: number) {
    this.#node = node;
    this.start = start;
  }

  child(segment: PathSegment): Member | undefined {
    this.#members ??= membersOf(this.#node);
    return this.#members.get(segment);
  }
}

function membersOf(node: ParsedNode | null): ReadonlyMap<PathSegment, Member> {
  if (isMap(node)) return membersOfMap(node);
  return isSeq(node) ? membersOfList(node) : new Map();
}

function membersOfMap(map: YamlMap): ReadonlyMap<PathSegment, Member> {
  const members = new Map<PathSegment, Member>();
  for (const { key, value } of map.items) {
    const text = keyTextOf(key);
    const keyStart = key.range[0];
    // For a duplicate key the last value counts, as when the value is built.
    if (text !== null) members.set(text, { keyStart, spot: new YamlSpot(value, value?.range[0] ?? keyStart) });
  }
  return members;
}

function membersOfList(list: YamlList): ReadonlyMap<PathSegment, Member> {
  const members = new Map<PathSegment, Member>();
  for (const [index, item] of list.items.entries()) {
    members.set(index, { keyStart: item.range[0], spot: new YamlSpot(item, item.range[0]) });
  }
  return members;
}

/** Returns the path at an offset, for YAML syntax that precedes the value it belongs to. */
export function pathAt(root: ParsedNode, offset: number): TreePath {
  const path: PathSegment[] = [];
  let node: ParsedNode | null = root;
  while (node !== null && isCollection(node) && node.range[0] <= offset) {
    const step: Step | null = isMap(node) ? stepInMap(node, offset) : isSeq(node) ? stepInList(node, offset) : null;
    if (step === null) break;
    path.push(step.segment);
    node = step.node;
  }
  return path;
}

interface Step {
  readonly segment: PathSegment;
  readonly node: ParsedNode | null;
}

function stepInMap(map: YamlMap, offset: number): Step | null {
  const pair = map.items.find(({ key, value }) => (value ?? key).range[2] > offset);
  const segment = pair === undefined ? null : keyTextOf(pair.key);
  return pair === undefined || segment === null ? null : { segment, node: pair.value };
}

function stepInList(list: YamlList, offset: number): Step | null {
  const index = list.items.findIndex((item) => item.range[2] > offset);
  return index === -1 ? null : { segment: index, node: list.items[index] ?? null };
}
