/** Common field schemas, and the types derived from schemas. */
import { z } from "zod";
import type { Json, JsonObject } from "../core/base/index.ts";

/** Accepts any JSON. Bodies are parsed as JSON before, so nothing is left to check. */
export const json: z.ZodType<Json, Json> = z.custom<Json>();
export const jsonObject = z.record(z.string(), json);
export const count = z.number().int().nonnegative();
export const micros = z.number().int().describe("Millionths of a US dollar");
export const usd = z.string().describe("Amount in US dollars, as decimal text");
export const moment = z.iso.datetime().describe("Time in ISO 8601, UTC");

const NAME_LENGTH_MAX = 200;
/** A name in a request. */
export const word = z.string().min(1).max(NAME_LENGTH_MAX);
/** The number of a version in a request. The maximum is that of the database column. */
export const versionNumber = z.number().int().positive().max(2_147_483_647);

/** An object whose members the core describes. On the wire it is any object, in code it has its type. */
export function objectOf<T>(): z.ZodType<T, T> {
  return jsonObject as unknown as z.ZodType<T, T>;
}

/** The type of sent data: deeply read-only, and a field without a value is absent instead of `undefined`. */
type Plain<T> = Json extends T
  ? T
  : JsonObject extends T
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Plain<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
        : T;

/** The type of a server's answer. */
export type Answered<S extends z.ZodType> = Plain<z.output<S>>;
/** The type of a client's request. */
export type Asked<S extends z.ZodType> = Plain<z.input<S>>;

/** Narrows the type of a schema. The compiler checks that the narrower type fits the declared one. */
export type Narrowed<Declared, Actual extends Declared> = Actual;
