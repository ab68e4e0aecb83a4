import type { Json, Problem } from "../core/base/index.ts";
import { readSource, type SourceTree } from "../core/text/index.ts";
import { Refused } from "./problem.ts";

/** Maximum sizes of bodies by content. */
export const BODY_BYTES_MAX = { definition: 8_388_608, other: 1_048_576 } as const;

export const JSON_TYPE = "application/json";
export const YAML_TYPES = ["text/yaml", "application/yaml", "application/x-yaml"] as const;

export interface BodyRule {
  readonly bytesMax: number;
  readonly types: readonly string[];
  /** A missing body is read as `{}`. */
  readonly isOptional: boolean;
  /** Receives a body that is too large piece by piece, up to this many bytes, before it is refused. */
  readonly overflow?: { readonly bytesMax: number; readonly take: (piece: Uint8Array) => void };
}

export interface SentBody {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Reads a body within its limits. The size is checked by the headers before a byte is read, and again while reading. */
export async function readBody(request: Request, rule: BodyRule): Promise<SentBody> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > (rule.overflow?.bytesMax ?? rule.bytesMax)) throw tooLarge(rule);
  // The HTTP parser enforces the declared length. Reading the whole body at once costs far less than streaming it.
  const isShort = declared !== null && Number(declared) <= rule.bytesMax;
  const isEmpty = isShort ? Number(declared) === 0 : request.body === null;
  const type = mediaTypeOf(request, rule, isEmpty);
  if (isEmpty) return { type, bytes: new Uint8Array() };
  const bytes = isShort ? new Uint8Array(await request.arrayBuffer()) : await readAll(request, rule);
  if (bytes.byteLength > rule.bytesMax || (declared !== null && !isShort)) throw tooLarge(rule);
  return { type, bytes };
}

function mediaTypeOf(request: Request, rule: BodyRule, isEmpty: boolean): string {
  const written = request.headers.get("content-type");
  if (written === null && isEmpty && rule.isOptional) return JSON_TYPE;
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity") {
    throw unsupported(rule, `Content-Encoding ${encoding} is not read here; send the body as it is.`);
  }
  const [type = "", ...parameters] = (written ?? "").split(";").map((part) => part.trim().toLowerCase());
  const isUtf8 = parameters.every((part) => !part.startsWith("charset=") || /^charset="?utf-?8"?$/.test(part));
  if (rule.types.includes(type) && isUtf8) return type;
  const sent = written === null ? "There is no Content-Type" : `The Content-Type is ${written}`;
  throw unsupported(rule, `${sent}; send ${rule.types.join(" or ")} in UTF-8.`);
}

function unsupported(rule: BodyRule, detail: string): Refused {
  return new Refused("unsupported_media_type", detail, { headers: { accept: rule.types.join(", ") } });
}

async function readAll(request: Request, rule: BodyRule): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const { bytesMax, overflow } = rule;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > (overflow?.bytesMax ?? bytesMax)) {
      await reader.cancel();
      throw tooLarge(rule);
    }
    chunks.push(value);
    if (size > bytesMax) for (const piece of chunks.splice(0)) overflow?.take(piece);
  }
  if (size > bytesMax) throw tooLarge(rule);
  return Buffer.concat(chunks);
}

function tooLarge({ bytesMax }: BodyRule): Refused {
  return new Refused("body_too_large", `The body has more than the ${bytesMax} bytes allowed here.`, {
    headers: { connection: "close" },
  });
}

/** Reads JSON strictly: no duplicate or forbidden keys, no inexact numbers, no deep nesting. */
export function parseJson(bytes: Uint8Array): SourceTree {
  requireJson(bytes);
  const { tree, problems } = readSource(bytes);
  if (tree !== null && problems.length === 0) return tree;
  const isOnlyUnstorable = problems.every(({ code }) => code === "text_unstorable");
  const code = isOnlyUnstorable && problems.length > 0 ? "text_unstorable" : "bad_json";
  throw new Refused(code, firstMessage(problems), { problems });
}

function firstMessage(problems: readonly Problem[]): string {
  return problems[0]?.message ?? "The body cannot be read.";
}

/** The reader of files accepts YAML too, but a body declared as JSON must be JSON. */
function requireJson(bytes: Uint8Array): void {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badJson("The body is not valid UTF-8.", 1, 1);
  }
  try {
    JSON.parse(text) as Json;
  } catch (error) {
    const offset = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    const before = text.slice(0, offset === undefined ? text.length : Number(offset));
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    const what =
      text.trim() === "" ? "The body is empty" : `The body is not JSON from line ${line}, column ${column} on`;
    throw badJson(`${what}.`, line, column);
  }
}

function badJson(message: string, line: number, column: number): Refused {
  const problem = { code: "yaml_syntax", message, path: "", line, column, hint: "Send one JSON object." };
  return new Refused("bad_json", message, { problems: [problem] });
}
