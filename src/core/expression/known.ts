import type { ValueKind } from "./kind.ts";

/**
 * The static type of a value. A closed object has exactly the listed fields; an open object may have more, and lists those
 * of
 * known type. Code that checks names builds such a type for the first name of a path, and follows the path from there.
 */
export type Known =
  | { readonly kind: "any" }
  | { readonly kind: "number" | "boolean" }
  | { readonly kind: "text"; readonly enum?: readonly (string | number | boolean)[] }
  | { readonly kind: "list"; readonly items: Known }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Known>; readonly isOpen: boolean };

type KnownObject = Extract<Known, { readonly kind: "object" }>;

export const ANY: Known = { kind: "any" };
export const ANY_OBJECT: Known = { kind: "object", fields: new Map(), isOpen: true };
export const NUMBER: Known = { kind: "number" };
export const BOOLEAN: Known = { kind: "boolean" };
export const TEXT: Known = { kind: "text" };

export function closedObject(fields: Iterable<readonly [string, Known]>): KnownObject {
  return { kind: "object", fields: new Map(fields), isOpen: false };
}

/** A path segment that cannot exist, whatever the values are. */
export interface DeadEnd {
  /** Index of the segment, counted from the first one followed. */
  readonly index: number;
  readonly segment: string | number;
  /** The type in which the segment was looked up. */
  readonly owner: Exclude<Known, { readonly kind: "any" }>;
}

export type Followed = { readonly ok: true; readonly known: Known } | { readonly ok: false; readonly deadEnd: DeadEnd };

/** Returns the type that `walk` would reach, as far as it is known. */
export function followPath(start: Known, segments: readonly (string | number)[]): Followed {
  let here = start;
  for (const [index, segment] of segments.entries()) {
    if (here.kind === "any") return { ok: true, known: ANY };
    const next = stepInto(here, segment);
    if (next === undefined) return { ok: false, deadEnd: { index, segment, owner: here } };
    here = next;
  }
  return { ok: true, known: here };
}

function stepInto(owner: DeadEnd["owner"], segment: string | number): Known | undefined {
  switch (owner.kind) {
    case "number":
    case "boolean":
      return undefined;
    case "text":
      return segment === "length" ? NUMBER : undefined;
    case "list":
      if (typeof segment === "number") return owner.items;
      return segment === "length" ? NUMBER : undefined;
    case "object":
      if (typeof segment === "number") return undefined;
      return owner.fields.get(segment) ?? (owner.isOpen ? ANY : undefined);
  }
}

/** Returns the kind used in comparisons. Undefined when any kind is possible. */
export function valueKindOf(known: Known): ValueKind | undefined {
  return known.kind === "any" ? undefined : known.kind;
}
