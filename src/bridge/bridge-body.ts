import { z } from "zod";
import { isJsonArray, isJsonObject, type Json } from "../core/base/index.ts";
import { originOf } from "./address-origin.ts";
import { BridgeRefusal } from "./bridge-problem.ts";
import { dispatchSchema, type BridgeProblem } from "./wire.ts";

/** Maximum nesting of a body. The engine's values are never deeper, and recursion is safe up to this depth. */
export const BODY_DEPTH_MAX = 128;
const NAME_LENGTH_MAX = 400;
const PROBLEMS_MAX = 50;

const name = z.string().min(1).max(NAME_LENGTH_MAX);
const address = z
  .string()
  .max(2_048)
  .refine((url) => originOf(url) !== null, { error: "must be an http or https URL without user name or password" });

/** The dispatch schema with limits on the ids and addresses that the Bridge uses in its reports. */
export const sentDispatchSchema = dispatchSchema.extend({
  dispatchId: name,
  runId: name,
  stepId: name,
  callbackUrl: address.optional(),
  streamUrl: address.optional(),
  filesUrl: address.optional(),
});

/** Reads a JSON body. Checks the headers before the first byte, and the size again while reading. */
export async function readJsonBody(request: Request, bytesMax: number): Promise<Json> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > bytesMax) throw tooLarge(bytesMax);
  requireJsonType(request);
  // The HTTP parser enforces a declared length. Reading the whole body at once is then cheaper than streaming it.
  return parseBody(declared === null ? await readAll(request, bytesMax) : await readWhole(request, bytesMax));
}

async function readWhole(request: Request, bytesMax: number): Promise<Uint8Array> {
  const bytes = await request.arrayBuffer().catch(() => {
    throw cutShort();
  });
  if (bytes.byteLength > bytesMax) throw tooLarge(bytesMax);
  return new Uint8Array(bytes);
}

function requireJsonType({ headers }: Request): void {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const [type, ...parameters] = (headers.get("content-type") ?? "").split(";").map((part) => part.trim().toLowerCase());
  const isUtf8 = parameters.every((part) => !part.startsWith("charset=") || /^charset="?utf-?8"?$/.test(part));
  if (encoding === "identity" && type === "application/json" && isUtf8) return;
  throw new BridgeRefusal("unsupported_media_type", "Send application/json in UTF-8, not compressed.", {
    headers: { accept: "application/json" },
  });
}

async function readAll(request: Request, bytesMax: number): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw cutShort();
    });
    if (done) break;
    size += value.byteLength;
    if (size > bytesMax) {
      await reader.cancel();
      throw tooLarge(bytesMax);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

function tooLarge(bytesMax: number): BridgeRefusal {
  const detail = `The body has more than the ${bytesMax} bytes allowed here.`;
  return new BridgeRefusal("body_too_large", detail, { headers: { connection: "close" } });
}

function cutShort(): BridgeRefusal {
  return badJson("The body ended before it was whole.");
}

function badJson(detail: string): BridgeRefusal {
  return new BridgeRefusal("bad_json", detail);
}

function parseBody(bytes: Uint8Array): Json {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Json;
  } catch (error) {
    const why = bytes.length === 0 ? "it is empty" : error instanceof Error ? error.message : "it cannot be read";
    throw badJson(`The body is not JSON in UTF-8: ${why}.`);
  }
  const trouble = troubleIn(value);
  if (trouble !== null) throw badJson(trouble);
  return value;
}

function troubleIn(value: Json): string | null {
  const stack: { readonly value: Json; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (!isJsonArray(next.value) && !isJsonObject(next.value)) continue;
    if (next.depth > BODY_DEPTH_MAX) return `The body is nested more than ${BODY_DEPTH_MAX} levels deep.`;
    if (Object.hasOwn(next.value, "__proto__")) return 'The body has a key "__proto__", which is not taken.';
    const depth = next.depth + 1;
    for (const item of Object.values(next.value)) stack.push({ value: item, depth });
  }
  return null;
}

/** Returns the value parsed by the schema. Throws a refusal that names every wrong field. */
export function readShape<T>(schema: z.ZodType<T>, value: Json): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, PROBLEMS_MAX).map((issue) => ({
    code: issue.code === "unrecognized_keys" ? "unknown_key" : "invalid_value",
    message: issue.message,
    path: issue.path.map(String).join("."),
  }));
  throw invalid(problems);
}

export function invalid(problems: NonNullable<BridgeProblem["problems"]>): BridgeRefusal {
  const [first] = problems;
  const place = first === undefined || first.path === "" ? "The body" : `"${first.path}"`;
  return new BridgeRefusal("invalid_request", `${place} is not valid: ${first?.message ?? "see problems"}.`, {
    problems,
  });
}
