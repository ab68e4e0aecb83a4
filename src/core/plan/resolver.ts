import { formatPath } from "../base/index.ts";
import type { ArgField, Step } from "../definition/index.ts";
import type { Path } from "../expression/index.ts";
import type { Origin, Reference } from "./plan.ts";
import type { Variables } from "./variables.ts";

/** The names that the whole definition offers to a path. */
export interface DefinitionNames {
  readonly args: Readonly<Record<string, ArgField>>;
  readonly indexById: ReadonlyMap<string, number>;
  readonly variables: Variables;
  /** Resolves names around a block. Null when there is none. */
  readonly outerNames: OuterNames | null;
}

/** Resolves names around a block for use inside it. Returns undefined when the name is unknown there too. */
export interface OuterNames {
  find(path: Path): Reference | undefined;
  findName(name: string): Reference | undefined;
}

/** Names that are visible to the field of a path, besides steps and variables. */
export interface VisibleNames {
  /** The element and its index, which exist only within an instance. */
  readonly hasElement: boolean;
  /** `outputs.*` of the node itself, which exist only when success criteria are evaluated. */
  readonly hasSelf: boolean;
  /** The bound inputs of the node, used only for a name that nothing else has. */
  readonly hasInputs: boolean;
  /** The field is evaluated once, before the first round. */
  readonly isBeforeRounds?: true;
  /** The failure, as `error`. Visible only where a retry is decided. */
  readonly hasError?: true;
}

/** `ambiguous`: two or more ancestors declare the variable. `unseen`: it is declared only by steps that do not run before. */
export type VariableIssue = "ambiguous" | "unseen";
export type ReportVariable = (name: string, issue: VariableIssue) => void;

type Segments = Path["segments"];
const MISSING: Origin = { kind: "missing" };
const PARTS = ["stdout", "json", "approved"] as const;

/** The parts of a step that affect how names resolve. */
type Reader = Pick<Step, "inputs" | "forEach" | "repeat" | "outcomes"> & {
  /** Set for a field that is evaluated after all steps, including failed ones. */
  readonly isAtEnd?: true;
};

/** Resolves the paths of one step. */
export class Resolver {
  readonly #names: DefinitionNames;
  readonly #step: Reader;
  readonly #node: number;
  readonly #parents: ReadonlySet<number>;

  constructor(names: DefinitionNames, step: Reader, node: number, parents: readonly number[]) {
    this.#names = names;
    this.#step = step;
    this.#node = node;
    this.#parents = new Set(parents);
  }

  resolve(path: Path, visible: VisibleNames, report: ReportVariable): Reference {
    const [head, ...rest] = path.segments;
    if (typeof head !== "string") return { text: path.text, origin: MISSING, rest };
    if (visible.hasSelf && head === "outputs") return { text: path.text, origin: { kind: "self" }, rest };
    const target = this.#names.indexById.get(head);
    if (target !== undefined) return this.#ofNode(path.text, head, target, rest, visible);
    const element = this.#ofElement(path.text, head, rest, visible);
    if (element !== undefined) return element;
    const found = this.#ofVariable(path, head, rest, report) ??
      this.#ofInput(path.text, head, rest, visible, report) ??
      this.#ofRound(path.text, head, rest, visible) ??
      this.#names.outerNames?.find(path) ??
      (visible.hasError === true && head === "error" ? errorOf(path.text, rest) : factOf(path.text, head, rest)) ?? {
        text: path.text,
        origin: MISSING,
        rest,
      };
    const isOptional = visible.hasInputs && this.#isOptionalInput(head);
    this.#noteUnseen(found, head, report);
    return isOptional ? { ...found, isOptional: true } : found;
  }

  #noteUnseen({ origin }: Reference, name: string, report: ReportVariable): void {
    if (origin.kind === "missing" && this.#names.variables.declarers(name).length > 0) report(name, "unseen");
  }

  #isOptionalInput(name: string): boolean {
    return Object.hasOwn(this.#step.inputs, name) && this.#step.inputs[name]?.required === false;
  }

  /** Resolves an input without a source: to the variable with its name, never to a step with that name. */
  resolveName(name: string, visible: VisibleNames, report: ReportVariable): Reference {
    const found = this.#ofElement(name, name, [], visible) ??
      this.#variable(name, name, [], report) ??
      this.#names.outerNames?.findName(name) ?? { text: name, origin: MISSING, rest: [] };
    this.#noteUnseen(found, name, report);
    return found;
  }

  #ofNode(text: string, id: string, target: number, rest: Segments, visible: VisibleNames): Reference {
    const [second, ...deeper] = rest;
    const part = PARTS.find((name) => name === second);
    if (target === this.#node) {
      const isVisible = visible.hasSelf && part === undefined;
      return {
        text,
        origin: isVisible ? { kind: "self" } : MISSING,
        rest: second === "outputs" ? deeper : rest,
      };
    }
    if (!this.#parents.has(target) && !this.#names.variables.isAncestor(this.#node, target)) {
      return { text, origin: MISSING, rest };
    }
    if (part !== undefined) return { text, origin: { kind: "node", node: target, part }, rest: deeper };
    if (second === "error" && this.#seesErrorOf(id, target)) {
      return { text, origin: { kind: "node", node: target, part: "error" }, rest: deeper };
    }
    return {
      text,
      origin: { kind: "node", node: target, part: "outputs" },
      rest: second === "outputs" ? deeper : rest,
    };
  }

  /** Returns whether `error` of a step means its failure. It does not when the step declares an output with that name. */
  #seesErrorOf(id: string, target: number): boolean {
    const { outcomes = {}, isAtEnd = false } = this.#step;
    return (isAtEnd || Object.hasOwn(outcomes, id)) && !this.#names.variables.declarers("error").includes(target);
  }

  #ofElement(text: string, head: string, rest: Segments, visible: VisibleNames): Reference | undefined {
    const forEach = this.#step.forEach;
    if (forEach === null || !visible.hasElement) return undefined;
    if (head === forEach.as) return { text, origin: { kind: "element" }, rest };
    if (head === "index") return { text, origin: { kind: "index" }, rest };
    return undefined;
  }

  /** Resolves `previous` and `round`. As with a step, `outputs` may be omitted. */
  #ofRound(text: string, head: string, rest: Segments, visible: VisibleNames): Reference | undefined {
    if (this.#step.repeat === null || !visible.hasElement || visible.isBeforeRounds === true) return undefined;
    if (head === "round") return { text, origin: { kind: "round" }, rest };
    if (head !== "previous") return undefined;
    const [second, ...deeper] = rest;
    if (second === "stdout" || second === "json")
      return { text, origin: { kind: "previous", part: second }, rest: deeper };
    return { text, origin: { kind: "previous", part: "outputs" }, rest: second === "outputs" ? deeper : rest };
  }

  /** Resolves a variable whose name is the whole path, else a path into the variable named by its head. */
  #ofVariable(path: Path, head: string, rest: Segments, report: ReportVariable): Reference | undefined {
    if (rest.length > 0) {
      const exact = this.#variable(path.text, formatPath(path.segments), [], report);
      if (exact !== undefined) return exact;
    }
    return this.#variable(path.text, head, rest, report);
  }

  #variable(text: string, name: string, rest: Segments, report: ReportVariable): Reference | undefined {
    const declaration = this.#names.variables.find(this.#node, name);
    if (declaration !== undefined) {
      if (declaration.isAmbiguous) report(name, "ambiguous");
      return { text, origin: { kind: "node", node: declaration.node, part: "outputs" }, rest: [name, ...rest] };
    }
    return Object.hasOwn(this.#names.args, name) ? { text, origin: { kind: "arg", name }, rest } : undefined;
  }

  #ofInput(
    text: string,
    head: string,
    rest: Segments,
    visible: VisibleNames,
    report: ReportVariable,
  ): Reference | undefined {
    if (!visible.hasInputs || !Object.hasOwn(this.#step.inputs, head)) return undefined;
    const source = this.#step.inputs[head]?.from ?? null;
    if (source === null) return undefined;
    if (source.kind !== "reference") return { text, origin: { kind: "value", value: source }, rest };
    const reference = this.resolve(source.path, { ...visible, hasInputs: false }, report);
    return { text, origin: reference.origin, rest: [...reference.rest, ...rest] };
  }
}

function errorOf(text: string, rest: Segments): Reference {
  return { text, origin: { kind: "error" }, rest };
}

/** Returns a resolver for the end of a run, when every node has settled. Of several declarations, the last in plan order is used. */
export function resolverAtEnd(names: DefinitionNames): Resolver {
  const { variables } = names;
  const end = names.indexById.size;
  const last: Variables = {
    ...variables,
    isAncestor: () => true,
    find: (_, name) => {
      const declarers = variables.declarers(name);
      const node = declarers.at(-1);
      return node === undefined ? undefined : { node, isAmbiguous: declarers.length > 1 };
    },
  };
  return new Resolver(
    { ...names, variables: last },
    { inputs: {}, forEach: null, repeat: null, isAtEnd: true },
    end,
    [],
  );
}

/** Resolves facts of the run and of the node. Names defined in the file take precedence over them. */
function factOf(text: string, head: string, rest: Segments): Reference | undefined {
  const [second, third, ...deeper] = rest;
  if (head === "node")
    return second === "attempt" ? { text, origin: { kind: "attempt" }, rest: rest.slice(1) } : undefined;
  if (head !== "run") return undefined;
  // `run.args.x` resolves to the arg `x`, so that the reads of a node have one form.
  if (second === "args" && typeof third === "string")
    return { text, origin: { kind: "arg", name: third }, rest: deeper };
  return { text, origin: { kind: "run" }, rest };
}
