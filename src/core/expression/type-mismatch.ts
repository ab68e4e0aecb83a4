import type { Expression, Path } from "./expression.ts";
import { KIND_PHRASES, kindOfValue, nameOperand, type ValueKind } from "./kind.ts";

type TypeOf = (path: Path) => ValueKind | undefined;

export interface TypeMismatch {
  readonly message: string;
  readonly position?: number;
}

/** Why a condition can never be decided, whatever the values are. */
export function findUndecidable(root: Expression, typeOf: TypeOf): TypeMismatch | undefined {
  return findTypeMismatch(root, typeOf) ?? findNonBoolean(root, typeOf);
}

/** Only true, false, null and missing decide anything. */
function findNonBoolean(node: Expression, typeOf: TypeOf): TypeMismatch | undefined {
  switch (node.kind) {
    case "and":
    case "or":
      return findNonBoolean(node.left, typeOf) ?? findNonBoolean(node.right, typeOf);
    case "not":
      return findNonBoolean(node.operand, typeOf);
    case "path": {
      const kind = typeOf(node.path);
      if (kind === undefined || kind === "boolean") return undefined;
      return { message: `${node.path.text} is neither true nor false`, position: node.path.position };
    }
    case "literal":
      if (node.value === null || typeof node.value === "boolean") return undefined;
      return { message: `${JSON.stringify(node.value)} is neither true nor false` };
    case "list":
      return { message: "a list is neither true nor false" };
    case "compare":
    case "in":
      return undefined;
  }
}

/**
 * The first comparison that must fail whatever the values are: both kinds are known and differ, an ordering of what
 * has no order, or `in` on what is not a list. Null fits everything.
 */
export function findTypeMismatch(root: Expression, typeOf: TypeOf): TypeMismatch | undefined {
  let node = root;
  while (node.kind === "and" || node.kind === "or") {
    const found = findTypeMismatch(node.left, typeOf);
    if (found !== undefined) return found;
    node = node.right;
  }
  switch (node.kind) {
    case "literal":
    case "path":
      return undefined;
    case "not":
      return findTypeMismatch(node.operand, typeOf);
    case "list":
      return firstOf(node.items, typeOf);
    case "compare":
      return firstOf([node.left, node.right], typeOf) ?? checkComparison(node, typeOf);
    case "in":
      return firstOf([node.value, node.list], typeOf) ?? checkMembership(node, typeOf);
  }
}

function firstOf(nodes: readonly Expression[], typeOf: TypeOf): TypeMismatch | undefined {
  for (const node of nodes) {
    const found = findTypeMismatch(node, typeOf);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkComparison(node: Extract<Expression, { kind: "compare" }>, typeOf: TypeOf): TypeMismatch | undefined {
  const left = kindOf(node.left, typeOf);
  const right = kindOf(node.right, typeOf);
  if (left === undefined || right === undefined) return undefined;
  const { operator } = node;
  const first = `${nameOperand(node.left)} is ${KIND_PHRASES[left]}`;
  if (left !== right) {
    const sides = `${first} and ${nameOperand(node.right)} is ${KIND_PHRASES[right]}`;
    return place(`${sides}: ${operator} compares values of one kind`, node.left, node.right);
  }
  const isOrdered = left === "number" || left === "text";
  if (operator === "==" || operator === "!=" || isOrdered) return undefined;
  return place(`${operator} orders numbers or texts, but ${first}`, node.left, node.right);
}

function checkMembership(node: Extract<Expression, { kind: "in" }>, typeOf: TypeOf): TypeMismatch | undefined {
  const kind = kindOf(node.list, typeOf);
  if (kind === undefined || kind === "list") return undefined;
  return place(`in looks into a list, but ${nameOperand(node.list)} is ${KIND_PHRASES[kind]}`, node.list, node.value);
}

function kindOf(node: Expression, typeOf: TypeOf): ValueKind | undefined {
  switch (node.kind) {
    case "path":
      return typeOf(node.path);
    case "list":
      return "list";
    case "literal":
      return node.value === null ? undefined : kindOfValue(node.value);
    case "not":
    case "and":
    case "or":
    case "compare":
    case "in":
      return "boolean";
  }
}

/** Literals carry no place, so the first path among the operands stands for the comparison. */
function place(message: string, ...operands: readonly Expression[]): TypeMismatch {
  for (const operand of operands) {
    if (operand.kind === "path") return { message, position: operand.path.position };
  }
  return { message };
}
