/** The functions of expressions, under the names they have in files. */
import { invoke } from "./invocation.ts";
import type { Condition } from "./operator.ts";
import type { Operand, Plain, Ref, Reference } from "./reference.ts";

/** A list: a reference to one, or an array. */
export type List<T> = Reference<readonly T[]> | readonly Operand<T>[];
type Text = Operand<string>;
type Amount = Operand<number>;
type ObjectOf = Operand<object>;
/** Function that receives an element and its position. */
type Each<T, Result> = (element: Ref<T>, index: Ref<number>) => Result;

export const lower = (text: Text): Ref<string> => invoke("lower", text);
export const upper = (text: Text): Ref<string> => invoke("upper", text);
export const trim = (text: Text): Ref<string> => invoke("trim", text);
export const split = (text: Text, separator: Text): Ref<string[]> => invoke("split", text, separator);
export const join = <T>(list: List<T>, separator?: Text): Ref<string> => invoke("join", list, separator);
export const replace = (text: Text, what: Text, by: Text): Ref<string> => invoke("replace", text, what, by);
export const starts_with = (text: Text, start: Text): Ref<boolean> => invoke("starts_with", text, start);
export const ends_with = (text: Text, end: Text): Ref<boolean> => invoke("ends_with", text, end);
export const matches = (text: Text, pattern: Text): Ref<boolean> => invoke("matches", text, pattern);
export const pad = (text: Text, width: Amount, filler?: Text): Ref<string> => invoke("pad", text, width, filler);
export const substring = (text: Text, from: Amount, to?: Amount): Ref<string> => invoke("substring", text, from, to);

/** Whether a text has the part, or a list the element. */
export function contains(text: Text, part: Text): Ref<boolean>;
export function contains<T>(list: List<T>, element: Operand<NoInfer<T>>): Ref<boolean>;
export function contains(whole: unknown, part: unknown): Ref<boolean> {
  return invoke("contains", whole, part);
}

/** Number of characters of a text, elements of a list, or keys of an object. */
export const length = (value: Text | List<unknown> | ObjectOf): Ref<number> => invoke("length", value);

export const round = (value: Amount, digits?: Amount): Ref<number> => invoke("round", value, digits);
export const floor = (value: Amount): Ref<number> => invoke("floor", value);
export const ceil = (value: Amount): Ref<number> => invoke("ceil", value);
export const abs = (value: Amount): Ref<number> => invoke("abs", value);
export const sum = (list: List<number>): Ref<number> => invoke("sum", list);
export const avg = (list: List<number>): Ref<number | null> => invoke("avg", list);
export const number = (value: Operand<number | string>): Ref<number> => invoke("number", value);

/** The smallest of a list, or of the values. */
export function min<T extends number | string>(list: List<T>): Ref<T>;
export function min<T extends number | string>(...values: readonly [Operand<T>, Operand<T>, ...Operand<T>[]]): Ref<T>;
export function min(...values: readonly unknown[]): Ref<unknown> {
  return invoke("min", ...values);
}

/** The largest of a list, or of the values. */
export function max<T extends number | string>(list: List<T>): Ref<T>;
export function max<T extends number | string>(...values: readonly [Operand<T>, Operand<T>, ...Operand<T>[]]): Ref<T>;
export function max(...values: readonly unknown[]): Ref<unknown> {
  return invoke("max", ...values);
}

export const map = <T, V>(list: List<T>, each: Each<T, V>): Ref<Plain<V>[]> => invoke("map", list, each);
export const filter = <T>(list: List<T>, keeps: Each<T, Condition>): Ref<T[]> => invoke("filter", list, keeps);
export const find = <T>(list: List<T>, wanted: Each<T, Condition>): Ref<T> => invoke("find", list, wanted);
export const any = <T>(list: List<T>, holds: Each<T, Condition>): Ref<boolean> => invoke("any", list, holds);
export const all = <T>(list: List<T>, holds: Each<T, Condition>): Ref<boolean> => invoke("all", list, holds);
export const sort = <T>(list: List<T>): Ref<T[]> => invoke("sort", list);
export const sort_by = <T>(list: List<T>, key: Each<T, unknown>): Ref<T[]> => invoke("sort_by", list, key);
export const unique = <T>(list: List<T>, key?: Each<T, unknown>): Ref<T[]> => invoke("unique", list, key);
export const group_by = <T>(list: List<T>, key: Each<T, unknown>): Ref<Record<string, T[]>> =>
  invoke("group_by", list, key);
export const flatten = <T>(list: List<T>): Ref<Flat<T>[]> => invoke("flatten", list);
export const first = <T>(list: List<T>): Ref<T> => invoke("first", list);
export const last = <T>(list: List<T>): Ref<T> => invoke("last", list);
export const take = <T>(list: List<T>, count: Amount): Ref<T[]> => invoke("take", list, count);
export const skip = <T>(list: List<T>, count: Amount): Ref<T[]> => invoke("skip", list, count);
export const zip = <T>(list: List<T>, ...others: readonly List<T>[]): Ref<T[][]> => invoke("zip", list, ...others);
export const range = (from: Amount, to?: Amount, step?: Amount): Ref<number[]> => invoke("range", from, to, step);
export const count = <T>(list: List<T>, counts?: Each<T, Condition>): Ref<number> => invoke("count", list, counts);

type Flat<T> = T extends readonly (infer Element)[] ? Element : T;

/** Reverses a list or a text. */
export const reverse = <T extends string | readonly unknown[]>(value: Operand<T>): Ref<T> => invoke("reverse", value);

/** Position where an element or a part is first found; -1 when it is not found. */
export function index_of(text: Text, part: Text): Ref<number>;
export function index_of<T>(list: List<T>, element: Operand<NoInfer<T>>): Ref<number>;
export function index_of(whole: unknown, part: unknown): Ref<number> {
  return invoke("index_of", whole, part);
}

export const keys = (object: ObjectOf): Ref<string[]> => invoke("keys", object);
export const values = <T>(object: Operand<Readonly<Record<string, T>>>): Ref<T[]> => invoke("values", object);
export const entries = <T>(object: Operand<Readonly<Record<string, T>>>): Ref<{ key: string; value: T }[]> =>
  invoke("entries", object);
export const merge = <A extends object, B extends object>(one: Operand<A>, other: Operand<B>): Ref<A & B> =>
  invoke("merge", one, other);
export const pick = <T extends object, K extends keyof T & string>(
  object: Operand<T>,
  ...names: readonly K[]
): Ref<Pick<T, K>> => invoke("pick", object, ...names);
export const omit = <T extends object, K extends keyof T & string>(
  object: Operand<T>,
  ...names: readonly K[]
): Ref<Omit<T, K>> => invoke("omit", object, ...names);
export const has = (object: ObjectOf | Reference<object | null>, key: Text): Ref<boolean> => invoke("has", object, key);
/** The value under a key, an index or a path such as `a.b[0]`; the third argument when there is no such value. */
export const get = <T = unknown>(
  target: Operand<object | null>,
  key: Operand<string | number>,
  otherwise?: Operand<T>,
): Ref<T> => invoke("get", target, key, otherwise);

export const string = (value: unknown): Ref<string> => invoke("string", value);
export const bool = (value: unknown): Ref<boolean> => invoke("bool", value);
export const json = (value: unknown): Ref<string> => invoke("json", value);
export const parse_json = <T = unknown>(text: Text): Ref<T> => invoke("parse_json", text);
export const type = (value: unknown): Ref<string> => invoke("type", value);
export const coalesce = <T>(value: Operand<T>, ...others: readonly Operand<T>[]): Ref<NonNullable<T>> =>
  invoke("coalesce", value, ...others);
export const hash = (value: unknown): Ref<string> => invoke("hash", value);
export const base64 = (text: Text): Ref<string> => invoke("base64", text);
export const url_encode = (value: Operand<string | number | boolean>): Ref<string> => invoke("url_encode", value);

export const date_add = (date: Text, amount: Operand<number | string>, unit?: Text): Ref<string> =>
  invoke("date_add", date, amount, unit);
export const date_diff = (from: Text, to: Text, unit?: Text): Ref<number> => invoke("date_diff", from, to, unit);
export const date_format = (date: Text, format: Text, offset?: Text): Ref<string> =>
  invoke("date_format", date, format, offset);
export const date_parse = (text: Text, format?: Text): Ref<string> => invoke("date_parse", text, format);
