/** The operators of expressions as functions, because operators of JavaScript cannot be redefined. */
import { operand } from "./operand.ts";
import { calculatedRef, LEVEL, type Level, type Operand, type Ref, type Reference } from "./reference.ts";

/** A boolean, or a reference to one that is known when the workflow runs. */
export type Condition = Operand<boolean> | Reference<boolean | null>;

function binary<T>(left: unknown, operator: string, right: unknown, level: Level, rightLevel: Level): Ref<T> {
  return calculatedRef(`${operand(left, level)} ${operator} ${operand(right, rightLevel)}`, level);
}

function comparison(left: unknown, operator: string, right: unknown): Ref<boolean> {
  return calculatedRef(`${operand(left, LEVEL.sum)} ${operator} ${operand(right, LEVEL.sum)}`, LEVEL.compare);
}

function chain<T>(operator: string, level: Level, operands: readonly unknown[]): Ref<T> {
  return calculatedRef(operands.map((one) => operand(one, level)).join(` ${operator} `), level);
}

/** `left == right` */
export function eq<T>(left: Operand<T>, right: Operand<NoInfer<T>> | null): Ref<boolean> {
  return comparison(left, "==", right);
}

/** `left != right` */
export function ne<T>(left: Operand<T>, right: Operand<NoInfer<T>> | null): Ref<boolean> {
  return comparison(left, "!=", right);
}

type Ordered = number | string;
/** Numbers can be compared only with numbers, texts only with texts. */
type SameKind<T extends Ordered> = T extends number ? number : string;

/** `left > right` */
export function gt<T extends Ordered>(left: Operand<T>, right: Operand<SameKind<NoInfer<T>>>): Ref<boolean> {
  return comparison(left, ">", right);
}

/** `left >= right` */
export function gte<T extends Ordered>(left: Operand<T>, right: Operand<SameKind<NoInfer<T>>>): Ref<boolean> {
  return comparison(left, ">=", right);
}

/** `left < right` */
export function lt<T extends Ordered>(left: Operand<T>, right: Operand<SameKind<NoInfer<T>>>): Ref<boolean> {
  return comparison(left, "<", right);
}

/** `left <= right` */
export function lte<T extends Ordered>(left: Operand<T>, right: Operand<SameKind<NoInfer<T>>>): Ref<boolean> {
  return comparison(left, "<=", right);
}

/** `value in list` */
export function isIn<T>(
  value: Operand<T>,
  list: readonly Operand<NoInfer<T>>[] | Reference<readonly T[]>,
): Ref<boolean> {
  return comparison(value, "in", list);
}

export function and(...conditions: readonly [Condition, ...Condition[]]): Ref<boolean> {
  return chain("and", LEVEL.and, conditions);
}

export function or(...conditions: readonly [Condition, ...Condition[]]): Ref<boolean> {
  return chain("or", LEVEL.or, conditions);
}

export function not(condition: Condition): Ref<boolean> {
  return calculatedRef(`not ${operand(condition, LEVEL.not)}`, LEVEL.not);
}

/** `left + right`, of two numbers or two texts. */
export function add(left: Operand<number>, right: Operand<number>): Ref<number>;
export function add(left: Operand<string>, right: Operand<string>): Ref<string>;
export function add(left: unknown, right: unknown): Ref<unknown> {
  return binary(left, "+", right, LEVEL.sum, LEVEL.product);
}

export function subtract(left: Operand<number>, right: Operand<number>): Ref<number> {
  return binary(left, "-", right, LEVEL.sum, LEVEL.product);
}

export function multiply(left: Operand<number>, right: Operand<number>): Ref<number> {
  return binary(left, "*", right, LEVEL.product, LEVEL.unary);
}

export function divide(left: Operand<number>, right: Operand<number>): Ref<number> {
  return binary(left, "/", right, LEVEL.product, LEVEL.unary);
}

/** `left % right` */
export function modulo(left: Operand<number>, right: Operand<number>): Ref<number> {
  return binary(left, "%", right, LEVEL.product, LEVEL.unary);
}

export function negate(value: Operand<number>): Ref<number> {
  return calculatedRef(`-${operand(value, LEVEL.operand)}`, LEVEL.unary);
}

/** `value ?? other`: the first one that is neither null nor missing. */
export function orElse<T, Other = T>(value: Operand<T>, other: Operand<Other>): Ref<NonNullable<T> | Other> {
  return chain("??", LEVEL.coalesce, [value, other]);
}

/** `condition ? whenTrue : otherwise` */
export function ifElse<T, Other = T>(
  condition: Condition,
  whenTrue: Operand<T>,
  otherwise: Operand<Other>,
): Ref<T | Other> {
  const [first, second, third] = [
    operand(condition, LEVEL.coalesce),
    operand(whenTrue, LEVEL.coalesce),
    operand(otherwise, LEVEL.choice),
  ];
  return calculatedRef(`${first} ? ${second} : ${third}`, LEVEL.choice);
}

/** `target[key]`: an element by its position, or a value by its key; a negative position counts from the end. */
export function at<T>(target: Reference<readonly T[]>, index: Operand<number>): Ref<T>;
export function at<T>(target: Reference<Readonly<Record<string, T>>>, key: Operand<string>): Ref<T>;
export function at(target: unknown, key: unknown): Ref<unknown> {
  return calculatedRef(`${operand(target, LEVEL.operand)}[${operand(key, LEVEL.choice)}]`, LEVEL.operand);
}

/** `target[from:to]` of a list or a text. */
export function slice<T extends string | readonly unknown[]>(
  target: Reference<T>,
  from: Operand<number>,
  to?: Operand<number>,
): Ref<T> {
  const end = to === undefined ? "" : operand(to, LEVEL.coalesce);
  return calculatedRef(`${operand(target, LEVEL.operand)}[${operand(from, LEVEL.coalesce)}:${end}]`, LEVEL.operand);
}
