import { z } from "zod";
import { isSecretReference, type Json, type JsonObject, type ProblemCode, secretNameOf } from "../core/base/index.ts";
import { webUrlFlaw } from "./web-url.ts";

/** The properties of a failed custom check besides its message. */
export interface FieldFlaw {
  readonly code: ProblemCode;
  readonly hint?: string;
  /** The message does not repeat the value, because it is a secret. */
  readonly isHidden?: true;
}

export function isField(
  params: Readonly<Record<string, unknown>>,
): params is Readonly<FieldFlaw & Record<string, unknown>> {
  return typeof params["code"] === "string";
}

/** Adds a check whose message reads `must be …` and whose problem has its own code. */
export function checked<S extends z.ZodType<string | number>>(
  schema: S,
  fits: (value: z.output<S>) => boolean,
  error: string,
  { code, hint, isHidden }: FieldFlaw,
): S {
  const more = { ...(hint === undefined ? {} : { hint }), ...(isHidden === undefined ? {} : { isHidden }) };
  return schema.refine(fits, { error, params: { code, ...more } });
}

const NAME_LENGTH_MAX = 256;
const TEXT_LENGTH_MAX = 65_536;
const NAMES_MAX = 1_000;

/** A name given by a person: an agent, a role, a model. It must not be blank or contain control characters. */
export const name = checked(
  z.string(),
  (text) => text.trim() !== "" && text.length <= NAME_LENGTH_MAX && !/\p{Cc}/u.test(text),
  `must be a name of 1 to ${NAME_LENGTH_MAX} printable characters`,
  { code: "bad_name" },
);
export const names = z.array(name).max(NAMES_MAX);
export const text = z.string().max(TEXT_LENGTH_MAX);

/** The name of a workflow. */
export const workflowName = checked(
  z.string(),
  (word) => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(word) && word.length <= 64,
  "must be the name of a workflow: kebab-case, at most 64 characters",
  { code: "bad_name" },
);

const USD_MAX = 1_000_000_000;
const MICROS_PER_USD = 1_000_000;

export function microsOf(usd: number): number {
  return Math.round(usd * MICROS_PER_USD);
}

/** US dollars as people write them. The smallest amount is one micro-dollar. */
export const usd = checked(
  z.number().min(0).max(USD_MAX),
  (amount) => microsOf(amount) / MICROS_PER_USD === amount,
  "must have at most six decimals",
  { code: "bad_number", hint: "A millionth of a dollar is the smallest amount." },
).describe("US dollars, with at most six decimals");

const WHOLE_MAX = 2_147_483_647;

export function whole(min: number, max: number = WHOLE_MAX) {
  return z.number().int().min(min).max(max);
}

const instantForms = [z.iso.datetime({ offset: true }), z.iso.datetime({ local: true }), z.iso.date()];

/** A moment as ISO 8601: UTC when it has no zone, midnight when it has no time. */
export const instant = checked(
  z.string(),
  (moment) => instantForms.some((form) => form.safeParse(moment).success),
  "must be a moment such as 2031-05-04T10:00:00Z",
  { code: "wrong_type" },
).describe("Time in ISO 8601");

export function epochMsOf(moment: string): number {
  const isZoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(moment) || !moment.includes("T");
  return Date.parse(isZoned ? moment : `${moment}Z`);
}

export const webUrl = z
  .string()
  .max(2_000)
  .superRefine((written, context) => {
    const flaw = webUrlFlaw(written);
    if (flaw === null) return;
    const params: FieldFlaw = { code: "wrong_type", hint: "Write it out: https://example.com/path." };
    context.addIssue({ code: "custom", message: flaw, input: written, params: { ...params } });
  });

const SECRET_LENGTH_MAX = 500;

const printable = checked(
  z.string().min(8).max(SECRET_LENGTH_MAX),
  (value) => /^[\x20-\x7e]*$/.test(value),
  "must be printable ASCII",
  { code: "wrong_type", isHidden: true },
);

/** A write-only value that is never shown: the secret itself, or `secret://NAME` for a registered secret. */
export const secret = checked(
  printable,
  (value) => !isSecretReference(value) || secretNameOf(value) !== null,
  "must be secret:// and the name of a secret",
  { code: "bad_name" },
);

/** The same for fields where a registered secret is not allowed. */
export const token = checked(printable, (value) => !isSecretReference(value), "must be the token itself", {
  code: "wrong_type",
  isHidden: true,
  hint: "A token of a gateway cannot be a registered secret.",
});

export const anyJson: z.ZodType<Json> = z.custom<Json>();
export const anyMap = z.record(z.string(), anyJson);

/** A closed map. Null values count as absent. */
export function spec<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape).transform(withoutNulls);
}

type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

function withoutNulls<T extends object>(value: T): WithoutNulls<T> {
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members) as WithoutNulls<T>;
}

/** Reads a stored body again. Unknown keys of a newer version are ignored, so that both versions can run side by side. */
export function readBody<S extends z.ZodType>(schema: S, body: JsonObject): z.output<S> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const unknownKeys = read.error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
  );
  return schema.parse(Object.fromEntries(Object.entries(body).filter(([key]) => !unknownKeys.includes(key))));
}

/** Returns the output of a spec schema as plain data. */
export function asBody(value: object): JsonObject {
  return value as JsonObject;
}
