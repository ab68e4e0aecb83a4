import type { CallToolResult } from "@modelcontextprotocol/client";
import { isJsonObject, utf8Length, type Json, type JsonObject } from "../../core/base/index.ts";
import type { AdapterResult } from "../../adapter/index.ts";
import { McpFailure, tooLarge } from "./mcp-failure.ts";

export const RESULT_BYTES_MAX = 5 * 1_048_576;
const MEDIA_BYTES_MAX = 1_048_576;

const MIME = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}\/[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

type Completed = Extract<AdapterResult, { status: "completed" }>;
type Part = CallToolResult["content"][number];

interface Parts {
  readonly texts: string[];
  readonly media: JsonObject[];
  /** Notes about parts that are not in the result, with the reason. */
  readonly notes: JsonObject[];
}

/** Converts a tool's answer to a result: text becomes stdout, structured content outputs, images and audio media. */
export function resultOf(answer: CallToolResult, name: string, server: string): Completed {
  const parts = sort(answer.content);
  const text = parts.texts.join("\n");
  if (answer.isError === true) {
    const reason = text === "" ? " without saying why." : `: ${text}`;
    throw new McpFailure("provider_error", `The tool "${name}" failed${reason}`);
  }
  const structured = answer.structuredContent as Json | undefined;
  const outputs = isJsonObject(structured) ? structured : undefined;
  const stdout = text === "" && structured !== undefined && outputs === undefined ? JSON.stringify(structured) : text;
  const result: Completed = {
    status: "completed",
    ...(stdout === "" && outputs !== undefined ? {} : { stdout }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(parts.media.length + parts.notes.length === 0 ? {} : { envelope: envelopeOf(stdout, parts) }),
  };
  if (utf8Length(JSON.stringify(result)) > RESULT_BYTES_MAX) throw tooLarge(server);
  return result;
}

/** Converts a tool's answer to the value that a calling model receives. */
export function answerOf(answer: CallToolResult, name: string, server: string): Json {
  const { stdout, outputs } = resultOf(answer, name, server);
  return outputs ?? stdout ?? "";
}

function envelopeOf(output: string, { media, notes }: Parts): NonNullable<Completed["envelope"]> {
  return {
    kind: media.length === 0 ? "text" : "media",
    artifactKind: media.length === 0 ? "text" : "media",
    output,
    ...(media.length === 0 ? {} : { media }),
    ...(notes.length === 0 ? {} : { metadata: { artifacts: notes } }),
  };
}

function sort(content: readonly Part[]): Parts {
  const parts: Parts = { texts: [], media: [], notes: [] };
  for (const part of content) {
    switch (part.type) {
      case "text":
        parts.texts.push(part.text);
        break;
      case "image":
      case "audio":
        addMedia(parts, part.data, part.mimeType);
        break;
      case "resource":
        if ("text" in part.resource) parts.texts.push(part.resource.text);
        else addMedia(parts, part.resource.blob, part.resource.mimeType);
        break;
      case "resource_link":
        addLink(parts, part.uri, part.mimeType);
        break;
    }
  }
  return parts;
}

function addMedia(parts: Parts, data: string, mimeType: string | undefined): void {
  const mime = safeMime(mimeType);
  const url = `data:${mime};base64,${data}`;
  if (!BASE64.test(data)) parts.notes.push({ mime, note: "Left out: its data is not base64." });
  else if (url.length <= MEDIA_BYTES_MAX) parts.media.push({ url, mime });
  else parts.notes.push({ mime, bytes: Math.floor((data.length * 3) / 4), note: "Left out: larger than 1 MiB." });
}

/** Adds a link to the result. The link is never followed. */
function addLink(parts: Parts, uri: string, mimeType: string | undefined): void {
  const mime = safeMime(mimeType);
  if (/^https?:\/\//i.test(uri)) parts.media.push({ url: uri, mime });
  else parts.notes.push({ mime, uri: uri.slice(0, 2_048), note: "A resource of the server." });
}

export function safeMime(mime: string | undefined): string {
  return mime !== undefined && MIME.test(mime) ? mime : "application/octet-stream";
}
