/** Compiles the blocks of a step and the args that they receive from their surroundings. */
import { required, type TreePath } from "../base/index.ts";
import type { Block, Step, Value, Values } from "../definition/index.ts";
import type { Path } from "../expression/index.ts";
import type { BranchPlan, ChildCall, Origin, Reference, Scope } from "./plan.ts";
import type { OuterNames, Resolver, VisibleNames } from "./resolver.ts";
import { admitExpression, BINDING } from "./scope.ts";

/** The bound blocks of a step. */
export interface BoundBlocks {
  readonly child: ChildCall | null;
  readonly choose: readonly BranchPlan[] | null;
  /** Args of the block. */
  readonly with: Values;
  /** The scope of the step, extended by the paths that the blocks read. */
  readonly scope: Scope;
}

/** Compiles one block. The outside names it reads are recorded in `outerNames`. */
export type CompileBlock = (block: Block, name: string, outerNames: FreeNames, at: TreePath) => string;

/** A block reads names where the instances of its step run: it sees their element, but not the inputs of the step. */
const INSIDE: VisibleNames = { hasElement: true, hasSelf: false, hasInputs: false };

export function bindBlocks(
  step: Step,
  bound: Scope,
  resolver: Resolver,
  ids: readonly string[],
  compile: CompileBlock,
): BoundBlocks {
  if (step.block === null && step.choose === null) return { child: null, choose: null, with: {}, scope: bound };
  const scope = new Map(bound);
  if (step.block !== null) {
    const names = new FreeNames(resolver, ids, step.forEach?.as ?? null);
    const block = compile(step.block, step.id, names, ["steps"]);
    return { child: { block }, choose: null, with: names.addToScope(scope), scope };
  }
  const choose = (step.choose ?? []).map(({ name, when, block }, index): BranchPlan => {
    const names = new FreeNames(resolver, ids, step.forEach?.as ?? null);
    const at = ["choose", index, when === null ? "else" : "steps"];
    const path = compile(block, `${step.id}.${index}`, names, at);
    return {
      name,
      when:
        when === null
          ? null
          : admitExpression(scope, when, "of a branch", (read) => resolver.resolve(read, BINDING, () => undefined)),
      block: path,
      with: names.addToScope(scope),
    };
  });
  return { child: null, choose, with: {}, scope };
}

/**
 * The outside names that a block uses. Each becomes an arg of the block: the result of a step around it, an arg of the document
 * or of the enclosing block, the element, or a fact of the run.
 */
export class FreeNames implements OuterNames {
  readonly #resolver: Resolver;
  readonly #ids: readonly string[];
  readonly #element: string | null;
  /** The outside reference of each arg, by name of the arg. */
  readonly #given = new Map<string, Reference>();

  /** `ids` are the nodes around the block; `element` is the name of the element in the step that contains the block. */
  constructor(resolver: Resolver, ids: readonly string[], element: string | null) {
    this.#resolver = resolver;
    this.#ids = ids;
    this.#element = element;
  }

  get names(): readonly string[] {
    return [...this.#given.keys()];
  }

  find(path: Path): Reference | undefined {
    return this.#take(this.#resolver.resolve(path, INSIDE, () => undefined));
  }

  findName(name: string): Reference | undefined {
    return this.#take(this.#resolver.resolveName(name, INSIDE, () => undefined));
  }

  /** Returns the values of the args, and adds the references they read to `scope`. */
  addToScope(scope: Map<string, Reference>): Values {
    const values = [...this.#given].map(([name, reference]): [string, Value] => {
      const text = `${name} (for its steps)`;
      scope.set(text, { ...reference, text });
      return [name, { kind: "reference", path: { text, segments: [name], position: 0 } }];
    });
    return Object.fromEntries(values);
  }

  #take({ text, origin, rest, isOptional }: Reference): Reference | undefined {
    const whole = this.#wholeOf(origin, rest);
    if (whole === undefined) return undefined;
    const name = this.#nameFor(whole);
    const isStep = origin.kind === "node" || (origin.kind === "arg" && origin.isStep === true);
    const isNullable =
      origin.kind === "previous" || isErrorOfRun(origin, rest) || (origin.kind === "arg" && origin.isNullable === true);
    return {
      text,
      origin: { kind: "arg", name, ...(isStep ? { isStep } : {}), ...(isNullable ? { isNullable } : {}) },
      rest: rest.slice(whole.rest.length),
      ...(isOptional === true ? { isOptional } : {}),
    };
  }

  #wholeOf(origin: Origin, rest: Reference["rest"]): Whole | undefined {
    switch (origin.kind) {
      case "arg":
        return { name: origin.name, origin, rest: [] };
      case "node": {
        const id = required(this.#ids[origin.node], "a node around the block");
        return { name: origin.part === "outputs" ? id : `${id}.${origin.part}`, origin, rest: [] };
      }
      case "element":
        return { name: this.#element ?? "item", origin, rest: [] };
      case "index":
        return { name: "index", origin, rest: [] };
      case "previous":
        return { name: origin.part === "outputs" ? "previous" : `previous.${origin.part}`, origin, rest: [] };
      case "round":
        return { name: "round", origin, rest: [] };
      case "run":
        return { name: ["run", ...rest.slice(0, 1)].join("."), origin, rest: rest.slice(0, 1) };
      case "self":
      case "attempt":
      case "value":
      case "error":
      case "missing":
        return undefined;
    }
  }

  /** Returns a free name for an arg, since a step and an arg may have the same name. */
  #nameFor({ name, origin, rest }: Whole): string {
    const before = this.#given.get(name);
    const isOther = before !== undefined && JSON.stringify(before.origin) !== JSON.stringify(origin);
    if (isOther) return this.#nameFor({ name: `${name}.outputs`, origin, rest });
    this.#given.set(name, { text: name, origin, rest });
    return name;
  }
}

function isErrorOfRun({ kind }: Origin, [fact]: Reference["rest"]): boolean {
  return kind === "run" && fact === "error";
}

/** The complete value that the block receives when it reads a part of it, and the name of its arg. */
interface Whole {
  readonly name: string;
  readonly origin: Origin;
  readonly rest: Reference["rest"];
}
