/**
 * References: the objects that a workflow function receives in place of values.
 *
 * - A reference is a proxy over a path such as `issues.items`, or over a calculated expression.
 * - Any field name can be read from it, except `then`, so that it is not mistaken for a promise.
 * - As text it is `${…}`. As a number it throws, because no value exists while the workflow is built.
 */
import { WorkflowError } from "./workflow-error.ts";

/** Binding strength of the operators in an expression; see the parser of expressions. */
export const LEVEL = {
  choice: 0,
  coalesce: 1,
  or: 2,
  and: 3,
  not: 4,
  compare: 5,
  sum: 6,
  product: 7,
  unary: 8,
  operand: 9,
} as const;
export type Level = (typeof LEVEL)[keyof typeof LEVEL];

export type Segment = string | number;

/** The target of a reference: a path, or the text of an expression. */
export type Source =
  | { readonly kind: "path"; readonly segments: readonly [string, ...Segment[]] }
  | { readonly kind: "calculated"; readonly text: string; readonly level: Level };

declare const VALUE: unique symbol;

/** A reference to a value of type `T`. Only the compiler knows the type. */
export interface Reference<T> {
  readonly [VALUE]: T;
  /** Returns the reference in the form used inside texts. */
  toString(): string;
}

/** A value that is known when the workflow runs. Undeclared values have type `any`, and are not checked. */
// oxlint-disable-next-line typescript/no-explicit-any -- as said above
export type Ref<T> = unknown extends T ? any : Reference<T> & Fields<T>;

/** Fields of objects and elements of lists as references. A text or number has none. */
type Fields<T> = T extends readonly (infer Element)[]
  ? { readonly [index: number]: Ref<Element>; readonly length: Ref<number> }
  : T extends object
    ? string extends keyof T
      ? { readonly [name: string]: Ref<T[keyof T]> }
      : { readonly [Name in keyof T]-?: Ref<Exclude<T[Name], undefined>> }
    : unknown;

/** A literal of a type, or a reference to a value of that type. */
export type Operand<T> = T | Reference<T>;

/** The type of a value after evaluation, with references replaced by the types they refer to. */
export type Plain<V> =
  V extends Reference<infer T>
    ? T
    : V extends string
      ? string
      : V extends number
        ? number
        : V extends boolean
          ? boolean
          : V extends readonly (infer Element)[]
            ? Plain<Element>[]
            : V extends object
              ? { -readonly [Name in keyof V]: Plain<V[Name]> }
              : V;

/** An object without fields. */
export type Nothing = { readonly [Name in never]: unknown };

const SOURCE = Symbol.for("sluice.reference");

export function sourceOf(value: unknown): Source | undefined {
  const isProxy = typeof value === "function" || (typeof value === "object" && value !== null);
  return isProxy ? (value as { readonly [SOURCE]?: Source })[SOURCE] : undefined;
}

export function pathRef<T>(...segments: readonly [string, ...Segment[]]): Ref<T> {
  return proxyOf({ kind: "path", segments }) as Ref<T>;
}

export function calculatedRef<T>(text: string, level: Level): Ref<T> {
  return proxyOf({ kind: "calculated", text, level }) as Ref<T>;
}

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;
const TEXT_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_]*(?:-[\p{L}\p{M}\p{N}_]+)*$/u;

/** Returns the reference as an operand of an expression. */
export function expressionText(source: Source): string {
  if (source.kind === "calculated") return source.text;
  const [head, ...rest] = source.segments;
  return [PLAIN_NAME.test(head) ? head : `\${${head}}`, ...rest.map(segmentText)].join("");
}

function segmentText(segment: Segment): string {
  if (typeof segment === "string" && PLAIN_NAME.test(segment)) return `.${segment}`;
  return `[${typeof segment === "number" ? segment : quoted(segment)}]`;
}

/** Returns the reference as `${…}`, inside a text or as a value of its own. */
export function bracedText(source: Source): string {
  return `\${${pathText(source) ?? expressionText(source)}}`;
}

/** Returns the reference as a path; undefined when it is not a path, or contains a name that a path cannot express. */
export function pathText(source: Source): string | undefined {
  if (source.kind !== "path") return undefined;
  const isSpellable = source.segments.every((segment) => typeof segment === "number" || TEXT_NAME.test(segment));
  if (!isSpellable) return undefined;
  return source.segments.map((one, at) => (typeof one === "number" ? `[${one}]` : at === 0 ? one : `.${one}`)).join("");
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export function quoted(text: string): string {
  return `'${text.replaceAll(/[\\'\n\r\t]/g, (character) => ESCAPES[character] ?? character)}'`;
}

/** What differs for a reference whose fields are known. */
interface KnownFields {
  readonly names: readonly string[];
  readonly member: (name: string) => unknown;
}

/** Returns a reference whose fields are known, so that it can be spread: `{ ...args }`. */
export function knownRef<T>(segments: readonly [string, ...Segment[]], fields: KnownFields): Ref<T> {
  return proxyOf({ kind: "path", segments }, { fields }) as Ref<T>;
}

interface ProxyOptions {
  readonly fields?: KnownFields;
  /** Set for a field that is also a method of every object, such as `toString`. */
  readonly call?: () => string;
}

/** The proxy's target is a function, so that a method call on a reference can throw an error with an explanation. */
function proxyOf(source: Source, { fields, call }: ProxyOptions = {}): object {
  const member = (name: string): unknown =>
    fields === undefined || isMethod(name, fields.names) ? memberOf(source, name) : fields.member(name);
  return new Proxy(() => undefined, {
    // Without `then`, no code mistakes a reference for a promise.
    get: (_target, key) => (typeof key === "symbol" ? symbolOf(source, key) : key === "then" ? undefined : member(key)),
    has: (_target, key) => key === SOURCE,
    ownKeys: () => {
      if (fields !== undefined) return [...fields.names];
      const message = "The fields of a reference cannot be listed: its value is known only when the workflow runs.";
      throw misused(source, message, "Name them, as in { text: draft.text }, or use merge(a, b).");
    },
    getOwnPropertyDescriptor: (_target, key) =>
      typeof key === "string" && fields?.names.includes(key) === true
        ? { value: fields.member(key), enumerable: true, configurable: true }
        : undefined,
    set: () => {
      throw misused(source, "A reference cannot be changed.", "Use set() for a step that calculates values.");
    },
    apply: () => {
      if (call !== undefined) return call();
      const message = "A reference has no methods: its value is known only when the workflow runs.";
      throw misused(
        source,
        message,
        'Use the functions of "sluice/workflow", such as map(list, x => …) or lower(text).',
      );
    },
  });
}

/** Methods by which JavaScript converts an object to text. They are fields as well, because any field name may occur. */
const TEXT_METHODS: ReadonlySet<string> = new Set(["toString", "toJSON", "valueOf"]);

function isMethod(name: string, fields: readonly string[]): boolean {
  return TEXT_METHODS.has(name) && !fields.includes(name);
}

function memberOf(source: Source, key: string): object {
  const options = TEXT_METHODS.has(key) ? { call: () => bracedText(source) } : {};
  const segment = /^(?:0|[1-9]\d{0,14})$/.test(key) ? Number(key) : key;
  if (source.kind === "path") return proxyOf({ kind: "path", segments: [...source.segments, segment] }, options);
  const target = source.level < LEVEL.operand ? `(${source.text})` : source.text;
  return proxyOf({ kind: "calculated", text: `${target}${segmentText(segment)}`, level: LEVEL.operand }, options);
}

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

function symbolOf(source: Source, key: symbol): unknown {
  if (key === SOURCE) return source;
  if (key === INSPECT) return () => bracedText(source);
  if (key === Symbol.toPrimitive) return (hint: string) => primitiveOf(source, hint);
  if (key === Symbol.iterator || key === Symbol.asyncIterator) {
    const message = "A reference cannot be looped over: how many elements there are is known only when it runs.";
    throw misused(source, message, "Use each(id, list, element => …) for steps, or map(list, x => …) for values.");
  }
  return undefined;
}

function primitiveOf(source: Source, hint: string): string {
  if (hint !== "number") return bracedText(source);
  const message = "A reference is no number: its value is known only when the workflow runs.";
  throw misused(source, message, "Use gt(a, b), add(a, b) and the other operators instead of > and +.");
}

function misused(source: Source, message: string, hint: string): WorkflowError {
  const path = expressionText(source);
  return new WorkflowError("bad_reference", path, `${path}: ${message}`, hint);
}
