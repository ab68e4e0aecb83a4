import type { AdapterFiles, AdapterRequest } from "../../adapter/index.ts";
import { type FileValue, getOwn, isFileValue, isJsonArray, isJsonObject, type Json } from "../../core/base/index.ts";
import type { StreamedBody } from "../../outbound/index.ts";

/** Inputs that select what to call. They are not sent in the body. */
const ADDRESSING: ReadonlySet<string> = new Set(["target", "url", "method", "body"]);

export interface Multipart {
  readonly type: string;
  readonly body: StreamedBody;
}

interface Field {
  readonly name: string;
  readonly value: string | FileValue;
}

/**
 * Builds a form with every input file (RFC 7578) under the name of its input, and the other values: those of the input
 * `body` when there is one, otherwise the other inputs. Texts are sent unchanged, all other values as JSON.
 */
export function multipartOf({ inputs, idempotencyKey }: AdapterRequest, files: AdapterFiles): Multipart {
  const boundary = `sluice-${idempotencyKey.replaceAll(/[^A-Za-z0-9]/g, "").slice(-40)}-form`;
  const parts = fieldsOf(inputs).map(({ name, value }) => partOf(boundary, name, value));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const bytes = parts.reduce((sum, { head, size }) => sum + head.byteLength + size + 2, end.byteLength);
  async function* open(): AsyncIterable<Uint8Array> {
    for (const { head, value } of parts) {
      yield head;
      if (typeof value === "string") yield Buffer.from(value, "utf8");
      else yield* files.read(value);
      yield Buffer.from("\r\n");
    }
    yield end;
  }
  return { type: `multipart/form-data; boundary=${boundary}`, body: { bytes, open } };
}

function fieldsOf(inputs: AdapterRequest["inputs"]): readonly Field[] {
  const body = getOwn(inputs, "body");
  const given = body === undefined ? inputs : { ...filesOnly(inputs), ...(isJsonObject(body) ? body : { body }) };
  return Object.entries(given).flatMap(([name, value]): readonly Field[] => {
    if (ADDRESSING.has(name) && body === undefined) return [];
    if (isFileValue(value)) return [{ name, value }];
    if (isJsonArray(value) && value.length > 0 && value.every(isFileValue)) {
      return value.map((file) => ({ name, value: file as FileValue }));
    }
    return [{ name, value: typeof value === "string" ? value : JSON.stringify(value) }];
  });
}

function filesOnly(inputs: AdapterRequest["inputs"]): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => hasFile(value)));
}

function hasFile(value: Json): boolean {
  return isFileValue(value) || (isJsonArray(value) && value.some(isFileValue));
}

function partOf(boundary: string, name: string, value: string | FileValue) {
  const isText = typeof value === "string";
  const file = isText ? "" : `; filename="${quoted(value.name)}"`;
  const type = isText ? "text/plain; charset=utf-8" : value.mime;
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${file}\r\ncontent-type: ${type}\r\n\r\n`,
  );
  return { head, value, size: isText ? Buffer.byteLength(value, "utf8") : value.size };
}

/** Escapes a name in the same way as browsers do in forms. */
function quoted(text: string): string {
  return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
