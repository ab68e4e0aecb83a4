import type { AdapterFiles, AdapterRequest, AdapterResult } from "../../adapter/index.ts";
import { fileMimeProblem, fileNameProblem } from "../../core/base/index.ts";
import { type FileOutput, fileOutputs } from "../../core/outputs/index.ts";
import type { GuardedReply } from "../../outbound/index.ts";

/** Maximum size of an answer that becomes a file, because it is held in memory as a whole. */
export const FILE_ANSWER_BYTES_MAX = 64 * 1_048_576;

const UNKNOWN_TYPE = "application/octet-stream";

/** Returns the output in which the body of an answer is stored: the first file output. */
export function fileOutputOf({ outputSchema }: AdapterRequest): FileOutput | undefined {
  return fileOutputs(outputSchema)[0];
}

/** True when the answer is a file. A JSON answer contains the outputs themselves. */
export function isFileAnswer({ status, headers }: GuardedReply): boolean {
  const encoding = headers["content-encoding"] ?? "identity";
  return (
    status >= 200 && status <= 299 && status !== 202 && encoding === "identity" && !/\bjson\b/i.test(typeOf(headers))
  );
}

export async function keepAnswer(
  { headers, bytes }: GuardedReply,
  { name: output, isList }: FileOutput,
  files: AdapterFiles,
): Promise<AdapterResult> {
  if (bytes.byteLength === 0) {
    const message = `The service answered with nothing, and the output ${output} is a file.`;
    return { status: "failed", failure: "provider_bad_output", message };
  }
  const mime = typeOf(headers);
  const about = { name: nameIn(headers) ?? output, mime, size: bytes.byteLength };
  const file = { ...(await files.write(about, once(bytes))) };
  return { status: "completed", stdout: "", outputs: { [output]: isList ? [file] : file } };
}

function typeOf(headers: GuardedReply["headers"]): string {
  const type = (headers["content-type"] ?? UNKNOWN_TYPE).split(";", 1)[0]?.trim().toLowerCase() ?? UNKNOWN_TYPE;
  return fileMimeProblem(type) === null ? type : UNKNOWN_TYPE;
}

/** Returns the file name from the headers if it is valid. A path is ignored, because it could lead outside the folder. */
function nameIn(headers: GuardedReply["headers"]): string | undefined {
  const [, quoted, bare] = /\bfilename\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(headers["content-disposition"] ?? "") ?? [];
  const name = quoted ?? bare;
  return name === undefined || fileNameProblem(name) !== null ? undefined : name;
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
