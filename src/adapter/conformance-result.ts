import { utf8Length } from "../core/base/index.ts";
import { adapterResultSchema, type AdapterResult, type LogLine, type StreamPart } from "./adapter.ts";
import type { Call, TrialOutcome } from "./conformance-call.ts";
import { broken, kept, untested, type Finding } from "./conformance-report.ts";

const RESULT_BYTES_MAX = 5 * 1_048_576;

const USAGE = ["inputTokens", "outputTokens", "thinkingTokens", "cachedTokens", "costUsd", "extraCalls", "duplicates"];

/** Returns the result as it would arrive after it was sent as JSON. Undefined when it cannot be sent. */
export function wireResult(outcome: TrialOutcome): unknown {
  if (outcome.kind !== "result") return undefined;
  try {
    const text = JSON.stringify(outcome.result) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Returns a result without its usage figures, which have their own check. Undefined when the result breaks the interface. */
export function readResult(outcome: TrialOutcome): AdapterResult | undefined {
  const parsed = adapterResultSchema.safeParse(withoutUsage(wireResult(outcome)));
  return parsed.success ? parsed.data : undefined;
}

function withoutUsage(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !USAGE.includes(key)));
}

/** Checks the form of the result. `mustSucceed`: the caller provided a request that works. */
export function judgeShape(outcome: TrialOutcome, mustSucceed: boolean): Finding {
  if (outcome.kind === "rejected") return broken(`execute rejected instead of resolving: ${outcome.reason}`);
  if (outcome.kind === "pending") return broken("execute did not answer in time.");
  const value = wireResult(outcome);
  if (value === undefined) return untested("The result is not JSON.");
  const parsed = adapterResultSchema.safeParse(withoutUsage(value));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const place = issue === undefined || issue.path.length === 0 ? "the result" : issue.path.map(String).join(".");
    return broken(`${place}: ${issue?.message ?? "is not a result"}`);
  }
  if (parsed.data.status !== "failed") return kept(`The request was ${parsed.data.status}.`);
  const problem = `${parsed.data.failure}: ${parsed.data.message.slice(0, 200)}`;
  return mustSucceed ? broken(`The sample request failed with ${problem}`) : kept(`The request failed with ${problem}`);
}

export function judgeJson(outcome: TrialOutcome): Finding {
  if (outcome.kind !== "result") return untested("There is no result.");
  const place = foreignPlace(outcome.result, "result", new Set());
  if (place !== undefined) return broken(`${place} is not JSON data.`);
  const bytes = utf8Length(JSON.stringify(outcome.result));
  if (bytes > RESULT_BYTES_MAX) return broken(`The result has ${bytes} bytes; at most ${RESULT_BYTES_MAX} are taken.`);
  return kept(`${bytes} bytes`);
}

/** Returns the path of a value that JSON cannot represent or would change. Undefined when there is none. */
function foreignPlace(value: unknown, place: string, above: Set<unknown>): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : place;
  if (typeof value !== "object" || above.has(value) || above.size > 500) return place;
  const isPlain = Array.isArray(value) || [null, Object.prototype].includes(Object.getPrototypeOf(value) as object);
  if (!isPlain) return place;
  above.add(value);
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !Array.isArray(value)) continue;
    const found = foreignPlace(member, `${place}.${key}`, above);
    if (found !== undefined) return found;
  }
  above.delete(value);
  return undefined;
}

export function judgeUsage(outcome: TrialOutcome): Finding {
  const value = wireResult(outcome);
  if (typeof value !== "object" || value === null) return untested("There is no result.");
  const figures = Object.entries(value).filter(([key]) => USAGE.includes(key));
  if (figures.length === 0) return untested("The result reports no usage.");
  const parsed = adapterResultSchema.safeParse({ status: "completed", ...Object.fromEntries(figures) });
  if (parsed.success) return kept(figures.map(([key, figure]) => `${key} ${String(figure)}`).join(", "));
  const issue = parsed.error.issues[0];
  return broken(`${issue?.path.map(String).join(".") ?? "usage"}: ${issue?.message ?? "is out of range"}`);
}

export function judgePartials(call: Call, isStreaming: boolean): Finding {
  const odd = call.parts.findIndex((part) => !isStreamPart(part));
  if (odd !== -1) return broken(`Piece ${odd + 1} is neither { text } nor { media: { url, mime } }.`);
  if (call.late().parts > 0) return broken(`Pieces that came after the result: ${call.late().parts}.`);
  if (call.parts.length > 0) return kept(`Pieces before the result: ${call.parts.length}`);
  return untested(isStreaming ? "The request streamed nothing." : "The adapter does not stream.");
}

export function judgeLog({ lines, late }: Call): Finding {
  if (late().lines > 0) return broken(`Lines that came after the result: ${late().lines}.`);
  if (lines.length === 0) return untested("The request logged nothing.");
  const odd = lines.findIndex((line) => !isLogLine(line));
  return odd === -1 ? kept(`Lines: ${lines.length}`) : broken(`Line ${odd + 1} is not { level, message }.`);
}

function isStreamPart(part: unknown): part is StreamPart {
  if (typeof part !== "object" || part === null) return false;
  if ("text" in part) return typeof part.text === "string";
  if (!("media" in part) || typeof part.media !== "object" || part.media === null) return false;
  const { media } = part;
  return "url" in media && typeof media.url === "string" && "mime" in media && typeof media.mime === "string";
}

function isLogLine(line: unknown): line is LogLine {
  if (typeof line !== "object" || line === null || !("level" in line) || !("message" in line)) return false;
  return typeof line.message === "string" && ["debug", "info", "warning", "error"].includes(String(line.level));
}
