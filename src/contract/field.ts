/** The parts that shapes are made of, and the types that follow from a shape. */
import { z } from "zod";
import type { Json, JsonObject } from "../core/base/index.ts";

/** Bodies come out of a reader that knows nothing but JSON, so that there is nothing left to check. */
export const json: z.ZodType<Json, Json> = z.custom<Json>();
export const jsonObject = z.record(z.string(), json);
export const count = z.number().int().nonnegative();
export const micros = z.number().int().describe("Millionths of a US dollar");
export const usd = z.string().describe("US dollars as people write them");
export const moment = z.iso.datetime().describe("ISO 8601, UTC");

const NAME_LENGTH_MAX = 200;
/** A name in a request. */
export const word = z.string().min(1).max(NAME_LENGTH_MAX);
/** The number of a version in a request: what the database can hold. */
export const versionNumber = z.number().int().positive().max(2_147_483_647);

/** An object whose members the core describes: over the wire it is any object, in code it has its type. */
export function objectOf<T>(): z.ZodType<T, T> {
  return jsonObject as unknown as z.ZodType<T, T>;
}

/** What is sent or answered: deeply read-only, and a field without a value is absent instead of `undefined`. */
type Plain<T> = Json extends T
  ? T
  : JsonObject extends T
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Plain<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
        : T;

/** What a server answers. */
export type Answered<S extends z.ZodType> = Plain<z.output<S>>;
/** What a client sends. */
export type Asked<S extends z.ZodType> = Plain<z.input<S>>;

/** A type that says more than a shape can; the compiler checks that it says nothing else. */
export type Narrowed<Declared, Actual extends Declared> = Actual;
