/** Values that a person gave in place of those a node would read. */
import type { Json, JsonObject } from "../base/index.ts";
import { type Path, walk } from "../expression/index.ts";
import type { ForEachPlan, Origin, Reference, StepBody } from "../plan/index.ts";
import { isExpression, isSingleReference, pathsOfTemplate, pathsOfValue } from "../template/index.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** A value given for a step applies to all its instances, unless another one was given for an instance. */
export function givenValues(state: RunState, node: NodeState): JsonObject {
  if (node.instance === null) return node.values;
  const { values } = nodeAt(state, node.instance.parent);
  return Object.keys(values).length === 0 ? node.values : { ...values, ...node.values };
}

/** Returns the values a step reads and a person may change: inputs by name, and other references by their text. */
export function readsOf(body: StepBody, forEach: ForEachPlan | null): ReadonlyMap<string, Reference> {
  const reads = new Map<string, Reference>();
  for (const path of pathsOf(body)) {
    const reference = body.scope.get(path.text);
    if (reference !== undefined) reads.set(bareText(path.text), reference);
  }
  if (forEach !== null) reads.set(bareText(forEach.list.text), forEach.list);
  for (const { name, from } of body.inputs) reads.set(name, sourceOf(body, from));
  return reads;
}

/** An input written as a single reference, `${a}`, is another name for that value, like an input written with `from`. */
function sourceOf({ scope }: StepBody, from: Reference): Reference {
  if (from.origin.kind !== "value" || from.origin.value.kind !== "template") return from;
  const single = isSingleReference(from.origin.value.template);
  return single === undefined || isExpression(single) ? from : (scope.get(single.text) ?? from);
}

/** Removes the reference syntax: `${ a.b }` and `$a.b` become `a.b`. */
function bareText(text: string): string {
  const braced = /^\$\{(.*)\}$/su.exec(text)?.[1];
  return (braced ?? text.replace(/^\$/u, "")).trim();
}

function* pathsOf({ command, stdin, with: values }: StepBody): Generator<Path> {
  for (const template of [command, stdin]) if (template !== null) yield* pathsOfTemplate(template);
  for (const value of Object.values(values)) for (const { path } of pathsOfValue(value)) yield path;
}

/** Returns a reader for given values. Null when none were given, which is the case for nearly every node. */
export function givenReader(state: RunState, node: NodeState, body: StepBody): GivenReader | null {
  const values = givenValues(state, node);
  if (Object.keys(values).length === 0) return null;
  return new GivenReader(values, body, planNodeOf(state, node).forEach);
}

export class GivenReader {
  readonly #values: JsonObject;
  readonly #body: StepBody;
  readonly #reads: ReadonlyMap<string, Reference>;

  constructor(values: JsonObject, body: StepBody, forEach: ForEachPlan | null) {
    this.#values = values;
    this.#body = body;
    this.#reads = readsOf(body, forEach);
  }

  /** Returns the given value for a reference, or the part of one that it reads. */
  find(reference: Reference, path?: Path): Json | undefined {
    const head = path?.segments[0];
    const input = this.#body.inputs.find(({ name }) => name === head);
    if (input !== undefined && path !== undefined && this.#isInput(reference, input.from)) {
      const given = Object.hasOwn(this.#values, input.name) ? this.#values[input.name] : undefined;
      return given === undefined ? undefined : walk(given, path.segments.slice(1));
    }
    return this.#findSource(reference);
  }

  #isInput(reference: Reference, from: Reference): boolean {
    return reference.origin.kind === "missing" || isWithin(reference, from);
  }

  /** Finds the value under another name. When several given values contain it, the most specific one applies. */
  #findSource(reference: Reference): Json | undefined {
    let found: Json | undefined;
    let depth = -1;
    for (const [name, value] of Object.entries(this.#values)) {
      const read = this.#reads.get(name);
      if (read === undefined || read.rest.length <= depth || !isWithin(reference, read)) continue;
      const part = walk(value, reference.rest.slice(read.rest.length));
      if (part === undefined) continue;
      found = part;
      depth = read.rest.length;
    }
    return found;
  }
}

/** Checks whether the reference reads the other's value or a part of it. */
function isWithin(reference: Reference, other: Reference): boolean {
  return (
    isSameOrigin(reference.origin, other.origin) &&
    other.rest.every((segment, index) => segment === reference.rest[index])
  );
}

function isSameOrigin(left: Origin, right: Origin): boolean {
  if (left.kind === "arg") return right.kind === "arg" && left.name === right.name;
  if (left.kind === "node") return right.kind === "node" && left.node === right.node && left.part === right.part;
  if (left.kind === "value") return right.kind === "value" && left.value === right.value;
  if (left.kind === "previous") return right.kind === "previous" && left.part === right.part;
  return SAME_BY_KIND.has(left.kind) && left.kind === right.kind;
}

const SAME_BY_KIND: ReadonlySet<Origin["kind"]> = new Set(["element", "index", "round", "run", "attempt"]);
