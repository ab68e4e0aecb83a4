import { fail, type Json, type Outcome, required, succeed } from "../base/index.ts";
import { compareValues } from "./compare.ts";
import { calculate } from "./arithmetic.ts";
import type { Expression, ExpressionFailure, Lambda, ResolvePath } from "./expression.ts";
import { Fault, kindFault, describeOperand } from "./fault.ts";
import { type Applier, Call, findFunction } from "./function/index.ts";
import { readIndex, readSlice } from "./indexing.ts";
import { isMemberOf } from "./membership.ts";
import { Meter } from "./meter.ts";
import { checkResult } from "./size.ts";
import { walk } from "./walk.ts";

type Found = Json | undefined;

/** Evaluates an expression. `undefined` means missing. */
export function evaluate(root: Expression, resolve: ResolvePath): Outcome<Found, ExpressionFailure> {
  try {
    const evaluation = new Evaluation(resolve);
    const value = evaluation.find(root);
    // A value that is only read by a path existed before, so its size is not checked.
    if (value !== undefined && root.kind !== "path") checkResult(value, evaluation);
    return succeed(value);
  } catch (error) {
    return failureOf(error);
  }
}

/** Evaluates a condition: null and missing count as false, and anything else but a boolean is a failure. */
export function evaluateCondition(root: Expression, resolve: ResolvePath): Outcome<boolean, ExpressionFailure> {
  try {
    return succeed(new Evaluation(resolve).findTruth(root, "a condition"));
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Outcome<never, ExpressionFailure> {
  if (!(error instanceof Fault)) throw error;
  return fail({ code: error.code, message: error.message });
}

type Of<Kind extends Expression["kind"]> = Extract<Expression, { readonly kind: Kind }>;

/** The state of one evaluation: the remaining steps, as a meter, and the values of the parameters of active lambdas. */
class Evaluation extends Meter implements Applier {
  readonly #resolve: ResolvePath;
  /** Values by slot. A lambda runs only inside the call that contains it, so a slot is never used twice at a time. */
  #locals: Found[] | null = null;

  constructor(resolve: ResolvePath) {
    super();
    this.#resolve = resolve;
  }

  find(node: Expression): Found {
    if (node.kind === "literal") return node.value;
    if (node.kind === "path") return this.#resolve(node.path);
    if (node.kind === "local") return walk(this.#locals?.[node.slot], node.segments);
    this.step();
    switch (node.kind) {
      case "list":
        return node.items.map((item) => this.find(item) ?? null);
      case "object":
        return Object.fromEntries(node.members.map(({ key, value }) => [key, this.find(value) ?? null]));
      case "not":
        return !this.findTruth(node.operand, "not");
      case "negate":
      case "arithmetic":
        return this.#calculate(node);
      case "and":
      case "or":
        return this.#findChain(node, node.kind);
      case "coalesce":
        return this.#findFirst(node);
      case "compare":
        return compareValues(node, this.find(node.left), this.find(node.right), this);
      case "in":
        return isMemberOf(node, this.find(node.value), this.find(node.list), this);
      case "choice":
        return this.#choose(node);
      case "index":
        return readIndex(node, this.find(node.target), this.find(node.index));
      case "field":
        return walk(this.find(node.target), [node.name]);
      case "slice":
        return this.#slice(node);
      case "call":
        return this.#call(node);
    }
  }

  findTruth(node: Expression, taker: string): boolean {
    const value = this.find(node);
    if (typeof value === "boolean") return value;
    if (value === undefined || value === null) return false;
    const advice = taker === "not" ? "; to negate a comparison write not (…)" : "; compare it with something";
    throw kindFault(`${taker} takes true or false, but ${describeOperand(node, value)}${advice}`, node.position);
  }

  /** Evaluates left to right and stops as soon as the result is known. Chains nest to the right, so this is a loop. */
  #findChain(chain: Expression, kind: "and" | "or"): boolean {
    let rest = chain;
    while (rest.kind === kind) {
      const truth = this.findTruth(rest.left, kind);
      if (truth === (kind === "or")) return truth;
      rest = rest.right;
    }
    return this.findTruth(rest, kind);
  }

  #findFirst(chain: Expression): Found {
    let rest = chain;
    while (rest.kind === "coalesce") {
      const value = this.find(rest.left);
      if (value !== undefined && value !== null) return value;
      rest = rest.right;
    }
    return this.find(rest);
  }

  #choose(first: Of<"choice">): Found {
    let node: Expression = first;
    while (node.kind === "choice") {
      node = this.findTruth(node.condition, "a choice") ? node.whenTrue : node.otherwise;
    }
    return this.find(node);
  }

  /** Sums and products nest to the left: the first operand is evaluated first, then each operator is applied on the way back. */
  #calculate(root: Of<"arithmetic" | "negate">): Found {
    const pending: Of<"arithmetic" | "negate">[] = [];
    let node: Expression = root;
    while (node.kind === "arithmetic" || node.kind === "negate") {
      pending.push(node);
      node = node.kind === "negate" ? node.operand : node.left;
    }
    let value = this.find(node);
    this.spend(pending.length - 1);
    for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
      const right = step.kind === "negate" ? undefined : this.find(step.right);
      value = calculate(step, value, right, this);
    }
    return value;
  }

  #slice(node: Of<"slice">): Found {
    const target = this.find(node.target);
    const from = node.from === null ? null : this.find(node.from);
    const to = node.to === null ? null : this.find(node.to);
    return readSlice(node, target, from, to, this);
  }

  #call(node: Of<"call">): Found {
    const entry = required(findFunction(node.name), "the parser knows every function");
    const values = node.args.map((argument) => (argument.kind === "lambda" ? null : this.find(argument)));
    return entry.run(new Call(entry, node, values, this));
  }

  apply({ slot, parameters, body }: Lambda, first: Found, second: Found): Found {
    this.#locals ??= [];
    this.#locals[slot] = first;
    if (parameters.length > 1) this.#locals[slot + 1] = second;
    // A lambda body that calculates nothing would otherwise use no steps.
    if (body.kind === "literal" || body.kind === "path" || body.kind === "local") this.step();
    return this.find(body);
  }
}
