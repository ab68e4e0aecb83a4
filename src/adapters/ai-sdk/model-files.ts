import type { FilePart, TextPart } from "ai";
import type { MadeFile } from "./turn-messages.ts";
import type { AdapterFiles, AdapterRequest } from "../../adapter/index.ts";
import { filesIn, type FileValue, type Json, type JsonObject } from "../../core/base/index.ts";
import { fileOutputs, withoutFiles } from "../../core/outputs/index.ts";

/** Maximum total size of the files of one request. Models accept no more, and all files are held in memory. */
const BYTES_MAX = 20 * 1_048_576;
/** File types that are sent as text: not every vendor accepts them as files, but every model reads text. */
const TEXTS = /^(?:text\/|application\/(?:json|xml|yaml|x-ndjson)\b)/;
const EXTENSIONS: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

/** An error of reading or writing a file, separate from errors of the model call. */
export class ModelFileError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const { code = "file_store_unavailable", message = String(thrown) } = (thrown ?? {}) as {
      code?: string;
      message?: string;
    };
    throw new ModelFileError(code, message, { cause: thrown });
  }
}

/** Returns the input files as parts of the prompt: text files as text, all others unchanged. */
export async function fileParts(
  { inputs }: AdapterRequest,
  files: AdapterFiles | undefined,
): Promise<readonly (TextPart | FilePart)[]> {
  const given = filesIn(inputs);
  if (given.length === 0) return [];
  if (files === undefined) throw new ModelFileError("file_store_unavailable", "no files can be had here.");
  const total = given.reduce((sum, [, { size }]) => sum + size, 0);
  if (total > BYTES_MAX) {
    throw new ModelFileError(
      "file_too_large",
      `a model takes at most ${BYTES_MAX} bytes of files, and these are ${total}.`,
    );
  }
  const parts: (TextPart | FilePart)[] = [];
  for (const [, file] of given) parts.push(partOf(file, await gather(files, file)));
  return parts;
}

function partOf({ name, mime }: FileValue, data: Uint8Array): TextPart | FilePart {
  if (TEXTS.test(mime)) return { type: "text", text: `File ${name}:\n${new TextDecoder().decode(data)}` };
  return { type: "file", data, mediaType: mime, filename: name };
}

/** Reads a whole file into memory, for uses that cannot stream it. */
export function gather(files: AdapterFiles, file: FileValue): Promise<Uint8Array> {
  const read = async (): Promise<Uint8Array> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of files.read(file)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  return named(read());
}

/** Removes file outputs from the contract given to the model. A step with only file outputs requests text. */
export function withoutFileOutputs(request: AdapterRequest): AdapterRequest {
  if (fileOutputs(request.outputSchema).length === 0) return request;
  const { outputSchema, ...rest } = request;
  const left = withoutFiles(outputSchema);
  return left === undefined ? { ...rest, outputStrategy: "text" } : { ...rest, outputSchema: { ...left } };
}

/** Stores the files that a model made: one for each file output in order, and the rest in a list output if one is declared. */
export async function keepGenerated(
  { outputSchema }: AdapterRequest,
  generated: readonly MadeFile[],
  files: AdapterFiles | undefined,
): Promise<JsonObject> {
  const wanted = fileOutputs(outputSchema);
  if (wanted.length === 0 || generated.length === 0 || files === undefined) return {};
  const left = [...generated];
  const outputs: Record<string, Json> = {};
  const keep = async (output: string, { mediaType, uint8Array }: MadeFile, number: string): Promise<Json> => {
    const name = `${output}${number}.${EXTENSIONS[mediaType] ?? "bin"}`;
    const file = { name, mime: mediaType, size: uint8Array.byteLength };
    return { ...(await named(files.write(file, once(uint8Array)))) };
  };
  for (const { name, isList } of wanted) {
    const one = isList ? undefined : left.shift();
    if (one !== undefined) outputs[name] = await keep(name, one, "");
  }
  const list = wanted.find(({ isList }) => isList);
  if (list === undefined) return outputs;
  const kept: Json[] = [];
  for (const [index, one] of left.entries()) kept.push(await keep(list.name, one, `-${index + 1}`));
  return { ...outputs, [list.name]: kept };
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
