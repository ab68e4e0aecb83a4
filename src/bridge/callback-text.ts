import type { Json } from "../core/base/index.ts";
import { repairText } from "../core/text/index.ts";
import { CALLBACK_BYTES_MAX, type CallbackBody } from "./wire.ts";

/**
 * Returns a callback as text that can be stored and that fits the size limit. The transcript and the logs are left out
 * first. A result that is still too large becomes a failure with that reason, and keeps its usage.
 */
export function callbackText(body: CallbackBody, bytesMax = CALLBACK_BYTES_MAX): string {
  const text = write(body);
  const bytes = text === null ? 0 : Buffer.byteLength(text);
  if (text !== null && bytes <= bytesMax) return text;
  const { messages, logs, ...rest } = body;
  const leftOut = [
    ...(messages === undefined ? [] : ["the transcript"]),
    ...(logs === undefined ? [] : ["the logs"]),
  ].join(" and ");
  if (messages !== undefined) {
    const shorter = write(noted({ ...rest, ...(logs === undefined ? {} : { logs }) }, "the transcript", bytes));
    if (shorter !== null && Buffer.byteLength(shorter) <= bytesMax) return shorter;
  }
  if (logs !== undefined) {
    const shorter = write(noted(rest, leftOut, bytes));
    if (shorter !== null && Buffer.byteLength(shorter) <= bytesMax) return shorter;
  }
  const failure = tooLarge(rest, text === null ? null : bytes, bytesMax);
  return write(failure) ?? JSON.stringify(failure);
}

/** Returns a failure in place of a result that the server refused for its size. Its usage is kept. */
export function refusedForSize(body: CallbackBody): CallbackBody {
  const { outputs: _outputs, stdout: _stdout, envelope: _envelope, artifacts: _artifacts, ...kept } = body;
  const { messages: _messages, logs: _logs, transcript: _transcript, ...rest } = kept;
  const error =
    "The result is larger than the server, or a proxy before it, takes (413). Return less, or a link to it.";
  return { ...rest, status: "failed", errorCode: "body_too_large", error };
}

function noted(body: CallbackBody, leftOut: string, bytes: number): CallbackBody {
  const message = `The report had ${bytes} bytes, so ${leftOut} had to be left out.`;
  return { ...body, logs: [...(body.logs ?? []), { level: "warning", message }] };
}

function tooLarge(body: CallbackBody, bytes: number | null, bytesMax: number): CallbackBody {
  const { outputs: _outputs, stdout: _stdout, envelope: _envelope, artifacts: _artifacts, ...kept } = body;
  const { error, transcript: _transcript, ...rest } = kept;
  const hasResult = body.status === "completed" || body.status === "suspended";
  const size = bytes === null ? "cannot be written as JSON" : `has ${bytes} bytes, and a report at most ${bytesMax}`;
  if (!hasResult && bytes !== null) return { ...rest, error: cut(error ?? "", 16_384) };
  return { ...rest, status: "failed", errorCode: "provider_bad_output", error: `The result ${size}.` };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** Returns the JSON text. Null when the value is nested too deeply to be written. */
function write(body: CallbackBody): string | null {
  try {
    return JSON.stringify(repairText(body as Json).value);
  } catch {
    return null;
  }
}
