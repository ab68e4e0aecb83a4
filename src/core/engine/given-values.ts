/** Values a person gave in place of what a node would read. */
import type { Json, JsonObject } from "../base/index.ts";
import { type Path, walk } from "../expression/index.ts";
import type { ForEachPlan, Origin, Reference, StepBody } from "../plan/index.ts";
import { isExpression, isSingleReference, pathsOfTemplate, pathsOfValue } from "../template/index.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** What was given for the step holds for each of its instances, unless something else was given for one. */
export function givenValues(state: RunState, node: NodeState): JsonObject {
  if (node.instance === null) return node.values;
  const { values } = nodeAt(state, node.instance.parent);
  return Object.keys(values).length === 0 ? node.values : { ...values, ...node.values };
}

/** What a step reads and a person may change: its inputs by name, and every other reference by its text. */
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

/** An input written as one reference, `${a}`, is another name of that value, as one written with `from` is. */
function sourceOf({ scope }: StepBody, from: Reference): Reference {
  if (from.origin.kind !== "value" || from.origin.value.kind !== "template") return from;
  const single = isSingleReference(from.origin.value.template);
  return single === undefined || isExpression(single) ? from : (scope.get(single.text) ?? from);
}

/** `${ a.b }` and `$a.b` are read as `a.b`. */
function bareText(text: string): string {
  const braced = /^\$\{(.*)\}$/su.exec(text)?.[1];
  return (braced ?? text.replace(/^\$/u, "")).trim();
}

function* pathsOf({ command, stdin, with: values }: StepBody): Generator<Path> {
  for (const template of [command, stdin]) if (template !== null) yield* pathsOfTemplate(template);
  for (const value of Object.values(values)) for (const { path } of pathsOfValue(value)) yield path;
}

/** Finds what was given for a reference; null when nothing was given at all, as for nearly every node. */
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

  /** What stands for the reference: a given value, or a part of one. */
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

  /** Another name of the same value: the nearest one that was given counts. */
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

/** The reference names the other's value, or a part of it. */
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
