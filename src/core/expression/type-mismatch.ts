import { didYouMean } from "../base/index.ts";
import type { Argument, Expression, Lambda, Path } from "./expression.ts";
import { findFunction, parameterAt, type FunctionEntry } from "./function/index.ts";
import { KIND_PHRASES, kindOfValue, nameOperand, type ValueKind } from "./kind.ts";
import {
  ANY,
  BOOLEAN,
  closedObject,
  type DeadEnd,
  followPath,
  type Known,
  NUMBER,
  TEXT,
  valueKindOf,
} from "./known.ts";

type Know = (path: Path) => Known;
type Of<Kind extends Expression["kind"]> = Extract<Expression, { readonly kind: Kind }>;

export interface TypeMismatch {
  readonly code: "type_mismatch" | "unknown_field";
  readonly message: string;
  readonly position: number;
  readonly hint?: string;
}

/** Returns the reason why a condition can never be decided, whatever the values are. */
export function findUndecidable(root: Expression, know: Know): TypeMismatch | undefined {
  const inference = new Inference(know);
  inference.inferTruth(root);
  return inference.found;
}

/** Returns the reason why an expression can never have a value, whatever it reads. Null and missing fit everything but arithmetic. */
export function findTypeMismatch(root: Expression, know: Know): TypeMismatch | undefined {
  const inference = new Inference(know);
  inference.infer(root);
  return inference.found;
}

/** Returns the static type of an expression. */
export function inferKnown(root: Expression, know: Know): Known {
  return new Inference(know).infer(root);
}

const isOneOf = (known: Known, ...kinds: readonly Known["kind"][]): boolean => kinds.includes(known.kind);

/** Visits an expression once and records the first part that can never work. */
class Inference {
  readonly #know: Know;
  readonly #locals: Known[] = [];
  found: TypeMismatch | undefined;

  constructor(know: Know) {
    this.#know = know;
  }

  infer(node: Expression): Known {
    switch (node.kind) {
      case "literal":
        return literalKnown(node.value);
      case "path":
        return this.#know(node.path);
      case "local":
        return this.#follow(this.#locals[node.slot] ?? ANY, node.segments, node);
      case "list":
        return { kind: "list", items: commonOf(node.items.map((item) => this.infer(item))) };
      case "object":
        return closedObject(node.members.map(({ key, value }) => [key, this.infer(value)] as const));
      case "not":
        return this.inferTruth(node.operand);
      case "and":
      case "or":
        return this.#inferChain(node);
      case "coalesce":
        return commonOf([this.infer(node.left), this.infer(node.right)]);
      case "compare":
        return this.#inferComparison(node);
      case "in":
        return this.#inferMembership(node);
      case "choice":
        return this.#inferChoice(node);
      case "negate":
      case "arithmetic":
        return this.#inferArithmetic(node);
      case "index":
        return this.#inferIndex(node);
      case "field":
        return this.#follow(this.infer(node.target), [node.name], node);
      case "slice":
        return this.#inferSlice(node);
      case "call":
        return this.#inferCall(node);
    }
  }

  /** Only true, false, null and missing can be a condition. */
  inferTruth(node: Expression): Known {
    const known = this.infer(node);
    if (isOneOf(known, "any", "boolean")) return BOOLEAN;
    const name = node.kind === "list" ? "a list" : nameOperand(node);
    this.#note(`${name} is neither true nor false`, node.position);
    return BOOLEAN;
  }

  #note(message: string, position: number): Known {
    this.found ??= { code: "type_mismatch", message, position };
    return ANY;
  }

  /** A chain may be as long as the text, so this is a loop. */
  #inferChain(chain: Of<"and" | "or">): Known {
    let rest: Expression = chain;
    while (rest.kind === "and" || rest.kind === "or") {
      this.inferTruth(rest.left);
      rest = rest.right;
    }
    return this.inferTruth(rest);
  }

  #follow(start: Known, segments: readonly (string | number)[], node: Of<"local" | "field">): Known {
    const followed = followPath(start, segments);
    if (followed.ok) return followed.known;
    this.found ??= unknownField(nameOperand(node), followed.deadEnd, node.position);
    return ANY;
  }

  #inferComparison(node: Of<"compare">): Known {
    const left = valueKindOf(this.infer(node.left));
    const right = valueKindOf(this.infer(node.right));
    if (left === undefined || right === undefined) return BOOLEAN;
    const { operator } = node;
    const first = `${nameOperand(node.left)} is ${KIND_PHRASES[left]}`;
    const position = placeOf(node, node.left, node.right);
    if (left !== right) {
      const sides = `${first} and ${nameOperand(node.right)} is ${KIND_PHRASES[right]}`;
      this.#note(`${sides}: ${operator} compares values of one kind`, position);
    } else if (operator !== "==" && operator !== "!=" && left !== "number" && left !== "text") {
      this.#note(`${operator} orders numbers or texts, but ${first}`, position);
    }
    return BOOLEAN;
  }

  #inferMembership(node: Of<"in">): Known {
    this.infer(node.value);
    const kind = valueKindOf(this.infer(node.list));
    if (kind === undefined || kind === "list") return BOOLEAN;
    const message = `in looks into a list, but ${nameOperand(node.list)} is ${KIND_PHRASES[kind]}`;
    this.#note(message, placeOf(node, node.list, node.value));
    return BOOLEAN;
  }

  #inferChoice(node: Of<"choice">): Known {
    const kind = valueKindOf(this.infer(node.condition));
    if (kind !== undefined && kind !== "boolean") {
      const message = `a choice takes true or false, but ${nameOperand(node.condition)} is ${KIND_PHRASES[kind]}`;
      this.#note(message, node.condition.position);
    }
    return commonOf([this.infer(node.whenTrue), this.infer(node.otherwise)]);
  }

  #inferArithmetic(node: Of<"arithmetic" | "negate">): Known {
    if (node.kind === "negate") {
      const operand = this.infer(node.operand);
      if (isOneOf(operand, "any", "number")) return NUMBER;
      return this.#note(`- takes a number, but ${phrase(node.operand, operand)}`, node.position);
    }
    const { operator } = node;
    const left = this.infer(node.left);
    const right = this.infer(node.right);
    const kinds = operator === "+" ? (["any", "number", "text"] as const) : (["any", "number"] as const);
    const isMixed = left.kind !== "any" && right.kind !== "any" && left.kind !== right.kind;
    if (isMixed || !isOneOf(left, ...kinds) || !isOneOf(right, ...kinds)) {
      const sides = [phraseOrNothing(node.left, left), phraseOrNothing(node.right, right)].flat().join(" and ");
      const takes = operator === "+" ? "two numbers or two texts" : "two numbers";
      return this.#note(`${sides}: ${operator} takes ${takes}`, placeOf(node, node.left, node.right));
    }
    if (operator !== "+") return NUMBER;
    const known = left.kind === "any" ? right : left;
    return known.kind === "text" ? TEXT : known;
  }

  #inferIndex(node: Of<"index">): Known {
    const target = this.infer(node.target);
    const index = this.infer(node.index);
    if (target.kind === "any") return ANY;
    const wanted = target.kind === "list" ? "number" : target.kind === "object" ? "text" : undefined;
    if (wanted === undefined || !isOneOf(index, "any", wanted)) {
      const sides = [phrase(node.target, target), ...phraseOrNothing(node.index, index)].join(" and ");
      return this.#note(`${sides}: a list is indexed by a number, an object by text`, node.position);
    }
    return target.kind === "list" ? target.items : ANY;
  }

  #inferSlice(node: Of<"slice">): Known {
    const target = this.infer(node.target);
    for (const bound of [node.from, node.to]) {
      const known = bound === null ? NUMBER : this.infer(bound);
      if (bound === null || isOneOf(known, "any", "number")) continue;
      this.#note(`a slice goes from one number to another, but ${phrase(bound, known)}`, node.position);
    }
    if (isOneOf(target, "any", "list", "text")) return target.kind === "text" ? TEXT : target;
    return this.#note(`a slice is taken of a list or text, but ${phrase(node.target, target)}`, node.position);
  }

  #inferCall(node: Of<"call">): Known {
    const entry = findFunction(node.name);
    if (entry === undefined) return ANY;
    const known: Known[] = [];
    for (const [index, argument] of node.args.entries()) {
      known.push(argument.kind === "lambda" ? this.#inferLambda(argument, known[0] ?? ANY) : this.infer(argument));
      this.#checkArgument(entry, index, argument, known[index] ?? ANY);
    }
    return typeof entry.result === "function" ? entry.result(known) : entry.result;
  }

  #inferLambda({ slot, body }: Lambda, list: Known): Known {
    this.#locals[slot] = list.kind === "list" ? list.items : ANY;
    this.#locals[slot + 1] = NUMBER;
    return this.infer(body);
  }

  #checkArgument(entry: FunctionEntry, index: number, argument: Argument, known: Known): void {
    const parameter = parameterAt(entry, index);
    if (parameter === undefined || known.kind === "any") return;
    if (argument.kind === "lambda") {
      if (parameter.isTruth !== true || known.kind === "boolean") return;
      const given = KIND_PHRASES[known.kind];
      this.#note(`the lambda of ${entry.name} says true or false, but it gives ${given}`, argument.position);
      return;
    }
    if (parameter.kinds.length === 0 || parameter.kinds.includes(known.kind)) return;
    const wanted = parameter.kinds.map((kind) => KIND_PHRASES[kind]).join(" or ");
    this.#note(`${entry.name} takes ${wanted}, but ${phrase(argument, known)}`, argument.position);
  }
}

function literalKnown(value: null | boolean | number | string): Known {
  if (value === null) return ANY;
  const kind: ValueKind = kindOfValue(value);
  return kind === "number" ? NUMBER : kind === "boolean" ? BOOLEAN : TEXT;
}

/** Returns the type that covers all given types. */
function commonOf(known: readonly Known[]): Known {
  const [first] = known;
  if (first === undefined || known.some(({ kind }) => kind !== first.kind)) return ANY;
  if (known.length === 1 || first.kind === "number" || first.kind === "boolean") return first;
  if (first.kind === "text") return TEXT;
  return first.kind === "list" ? { kind: "list", items: ANY } : { kind: "object", fields: new Map(), isOpen: true };
}

function phrase(node: Expression, known: Known): string {
  return known.kind === "any" ? nameOperand(node) : `${nameOperand(node)} is ${KIND_PHRASES[known.kind]}`;
}

function phraseOrNothing(node: Expression, known: Known): readonly string[] {
  return known.kind === "any" ? [] : [phrase(node, known)];
}

/** Returns the position of a problem: that of the first path among the operands, else that of the operator. */
function placeOf(node: Expression, ...operands: readonly Expression[]): number {
  return operands.find(({ kind }) => kind === "path" || kind === "local")?.position ?? node.position;
}

function unknownField(text: string, { segment, owner }: DeadEnd, position: number): TypeMismatch {
  const missing = typeof segment === "number" ? `element [${segment}]` : `field "${segment}"`;
  const hint = owner.kind === "object" ? didYouMean(String(segment), owner.fields.keys()) : undefined;
  return {
    code: "unknown_field",
    message: `${text}: ${KIND_PHRASES[owner.kind]} here has no ${missing}`,
    position,
    ...(hint === undefined ? {} : { hint }),
  };
}
