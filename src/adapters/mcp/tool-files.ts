import type { CallToolResult } from "@modelcontextprotocol/client";
import type { AdapterFiles, AdapterRequest } from "../../adapter/index.ts";
import {
  filesWithin,
  type FileValue,
  isFileValue,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../core/base/index.ts";
import { fileOutputs } from "../../core/outputs/index.ts";
import { gather, keepGenerated, ModelFileError } from "../ai-sdk/model-files.ts";
import type { MadeFile } from "../ai-sdk/turn-messages.ts";
import { safeMime } from "./tool-result.ts";

/** Maximum total size of the files of one call. MCP sends them inside one message, where they are a third larger. */
const BYTES_MAX = 16 * 1_048_576;
const TEXTS = /^(?:text\/|application\/(?:json|xml|yaml|x-ndjson)\b)/;

/** Returns the args with each file replaced by an embedded MCP resource. */
export async function withResources(args: JsonObject, files: AdapterFiles | undefined): Promise<JsonObject> {
  const given = filesWithin(args);
  if (given.length === 0) return args;
  if (files === undefined) throw new ModelFileError("file_store_unavailable", "no files can be had here.");
  const total = given.reduce((sum, { size }) => sum + size, 0);
  if (total > BYTES_MAX) {
    const message = `a tool takes at most ${BYTES_MAX} bytes of files, and these are ${total}.`;
    throw new ModelFileError("file_too_large", message);
  }
  const resources = new Map<string, JsonObject>();
  for (const file of given) resources.set(keyOf(file), resourceOf(file, await gather(files, file)));
  return replaced(args, resources) as JsonObject;
}

function keyOf({ sha256, name, mime }: FileValue): string {
  return `${sha256} ${mime} ${name}`;
}

function resourceOf({ sha256, name, mime }: FileValue, bytes: Uint8Array): JsonObject {
  const about = { uri: `sluice://files/${sha256}/${encodeURIComponent(name)}`, mimeType: mime };
  const buffer = Buffer.from(bytes);
  const content = TEXTS.test(mime) ? { text: buffer.toString("utf8") } : { blob: buffer.toString("base64") };
  return { type: "resource", resource: { ...about, ...content } };
}

function replaced(value: Json, resources: ReadonlyMap<string, JsonObject>): Json {
  if (isFileValue(value)) return resources.get(keyOf(value)) ?? value;
  if (isJsonArray(value)) return value.map((one) => replaced(one, resources));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, resources)]));
}

/** Stores the images, audio and resources of an answer as the step's declared files. Returns the answer without them. */
export async function keepResources(
  request: AdapterRequest,
  answer: CallToolResult,
  files: AdapterFiles | undefined,
): Promise<{ readonly answer: CallToolResult; readonly outputs: JsonObject }> {
  if (fileOutputs(request.outputSchema).length === 0 || answer.isError === true) return { answer, outputs: {} };
  const made = answer.content.map(madeFileOf);
  const found = made.filter((file) => file !== undefined);
  if (found.length === 0) return { answer, outputs: {} };
  const outputs = await keepGenerated(request, found, files);
  return { answer: { ...answer, content: answer.content.filter((_, index) => made[index] === undefined) }, outputs };
}

function madeFileOf(part: CallToolResult["content"][number]): MadeFile | undefined {
  switch (part.type) {
    case "image":
    case "audio":
      return { mediaType: safeMime(part.mimeType), uint8Array: Buffer.from(part.data, "base64") };
    case "resource": {
      const bytes =
        "text" in part.resource ? Buffer.from(part.resource.text) : Buffer.from(part.resource.blob, "base64");
      return { mediaType: safeMime(part.resource.mimeType), uint8Array: bytes };
    }
    default:
      return undefined;
  }
}
