import { createHash } from "node:crypto";
import { digestText, type Json, type JsonObject, LIMITS } from "../core/base/index.ts";
import type { ArgField } from "../core/definition/index.ts";
import { BODY_BYTES_MAX, type BodyRule, readBody } from "./body.ts";
import { asProblem } from "./file-reply.ts";
import { argOfInput, filesWanted } from "./form-field.ts";
import { FORM_TYPE, readForm, valuesOf } from "./hook-body.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";

const MULTIPART_TYPE = "multipart/form-data";
const OCTETS = "application/octet-stream";
const FILES_MAX = 20;

type Args = Readonly<Record<string, ArgField>>;

/** A submitted form page: its fields, and the chosen files by the name of their arg. */
export interface SentForm {
  readonly fields: JsonObject;
  readonly files: readonly (readonly [arg: string, file: File])[];
}

/** Reads a submitted form. Only a form with inputs for files may contain files: one part's worth of them in all. */
export async function readSentForm(request: Request, args: Args): Promise<SentForm> {
  const hasFiles = Object.values(args).some((field) => filesWanted(field) !== "none");
  const plain = { bytesMax: BODY_BYTES_MAX.other, types: [FORM_TYPE], isOptional: false };
  const rule: BodyRule = hasFiles
    ? { ...plain, bytesMax: LIMITS.filePartBytes + BODY_BYTES_MAX.other, types: [FORM_TYPE, MULTIPART_TYPE] }
    : plain;
  const { type, bytes } = await readBody(request, rule);
  if (type === FORM_TYPE) return { fields: readForm(bytes), files: [] };
  return readMultipart(request.headers.get("content-type") ?? "", bytes, args);
}

async function readMultipart(type: string, bytes: Uint8Array, args: Args): Promise<SentForm> {
  const sent = await new Response(bytes, { headers: { "content-type": type } }).formData().catch(() => {
    throw new Refused("invalid_request", "The form cannot be read.");
  });
  const fields = new URLSearchParams();
  const files: (readonly [string, File])[] = [];
  for (const [name, value] of sent) {
    if (typeof value === "string") fields.append(name, value);
    // A browser sends an empty file without a name when none was chosen.
    else if (value.name !== "" || value.size > 0) files.push([requireFileArg(name, args), value]);
  }
  if (files.length > FILES_MAX) throw new Refused("invalid_request", `There are more than ${FILES_MAX} files.`);
  return { fields: valuesOf(fields), files };
}

function requireFileArg(input: string, args: Args): string {
  const arg = argOfInput(input);
  const field = Object.hasOwn(args, arg) ? args[arg] : undefined;
  if (field === undefined || filesWanted(field) === "none") {
    throw new Refused("invalid_request", `The form has no input for a file "${input}".`);
  }
  return arg;
}

/** Returns an id for the delivery of a page with files. Other files are another delivery, so that they count for the rate limit. */
export async function deliveryWithFiles(deliveryId: string, { files }: SentForm): Promise<string> {
  if (files.length === 0) return deliveryId;
  const hashes = await Promise.all(
    files.map(
      async ([arg, file]) =>
        `${arg} ${createHash("sha256")
          .update(await bytesOf(file))
          .digest("hex")}`,
    ),
  );
  return `form_${digestText([deliveryId, ...hashes].join("\n"))}`;
}

/** Stores the files, and returns them as values of their args. */
export async function storeFormFiles(
  { files: store }: Pick<Services, "files">,
  orgId: string,
  createdBy: string,
  { files }: SentForm,
  args: Args,
): Promise<JsonObject> {
  const given: Record<string, Json> = {};
  for (const [arg, file] of files) {
    const described = { name: file.name, mime: file.type === "" ? OCTETS : file.type, size: file.size };
    const stored = await asProblem(store.put(orgId, createdBy, described, once(await bytesOf(file))));
    const field = args[arg];
    const isList = field !== undefined && filesWanted(field) === "many";
    const before = given[arg];
    given[arg] = isList ? [...(Array.isArray(before) ? before : []), { ...stored }] : { ...stored };
  }
  return given;
}

async function bytesOf(file: File): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
