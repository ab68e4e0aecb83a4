/** Parses replies of Bridges. A Bridge is a registered peer, but its reply is still untrusted text from outside. */
import { type CallbackBody, callbackSchema, readSentCallback, withWarnings } from "../bridge/index.ts";
import { getOwn } from "../core/base/index.ts";
import type { Opened } from "./opened.ts";

/** The reply to one dispatch of a batch. */
export interface ItemReply {
  readonly status: number;
  readonly detail: string;
}

/** Returns the replies of a batch in order; null when there is not exactly one per dispatch. */
export function itemsIn(text: string, count: number): readonly ItemReply[] | null {
  const results = getOwn(objectIn(text), "results");
  if (!Array.isArray(results) || results.length !== count) return null;
  const items = results.map((result: unknown): ItemReply | null => {
    const status = isObject(result) ? getOwn(result, "status") : undefined;
    return typeof status === "number" && Number.isInteger(status)
      ? { status, detail: detailOf(isObject(result) ? getOwn(result, "body") : undefined) }
      : null;
  });
  return items.every((item) => item !== null) ? items : null;
}

/** The report of a Bridge on a dispatch. "ended" has a result validated like a callback; "unreadable" has the problem. */
export type View =
  | { readonly state: "running" | "lost" }
  | { readonly state: "ended"; readonly result: CallbackBody }
  | { readonly state: "unreadable"; readonly problem: string };

export function viewIn(text: string, opened: Opened, now: number): View | null {
  const view = objectIn(text);
  const state = getOwn(view, "state");
  if (state === "running" || state === "lost") return { state };
  if (state !== "ended") return null;
  return resultView(getOwn(view, "result"), opened, now);
}

export function resultIn(text: string, opened: Opened, now: number): View {
  return resultView(objectIn(text), opened, now);
}

function resultView(sent: unknown, opened: Opened, now: number): View {
  const { dispatchId } = opened;
  const result = readResult(sent, opened, now);
  if (result === null) return { state: "unreadable", problem: "its result is nested too deeply" };
  const { read, warnings } = result;
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : ` at "${issue.path.map(String).join(".")}"`;
    return { state: "unreadable", problem: `its result is not valid${place}: ${issue?.message ?? "no reason"}` };
  }
  if (read.data.dispatchId !== dispatchId) {
    return { state: "unreadable", problem: `its result is about "${read.data.dispatchId}"` };
  }
  return { state: "ended", result: withWarnings(read.data, warnings) };
}

interface ReadResult {
  readonly read: ReturnType<typeof callbackSchema.safeParse>;
  readonly warnings: readonly string[];
}

/** Null when the value is nested too deeply to read. */
function readResult(sent: unknown, opened: Opened, now: number): ReadResult | null {
  const { dispatchId, runId, nodeId: stepId, attempt } = opened;
  try {
    const { body, warnings } = readSentCallback(sent, now);
    // A reply about one dispatch need not repeat its ids.
    const whole = isObject(body) ? { dispatchId, runId, stepId, attempt, ...body } : body;
    return { read: callbackSchema.safeParse(whole), warnings };
  } catch (error) {
    // The reader is recursive, so very deep values exhaust the stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export function detailIn(text: string): string {
  return detailOf(objectIn(text));
}

/** Returns the problem code; null when there is none. */
export function codeIn(text: string): string | null {
  const code = getOwn(objectIn(text), "code");
  return typeof code === "string" ? code : null;
}

const DETAIL_CHARACTERS_MAX = 500;

function detailOf(body: unknown): string {
  const [detail, code] = isObject(body) ? [getOwn(body, "detail"), getOwn(body, "code")] : [];
  if (typeof detail !== "string") return "it gave no reason";
  const named = typeof code === "string" && !detail.includes(code) ? ` (${code})` : "";
  return `${detail.slice(0, DETAIL_CHARACTERS_MAX)}${named.slice(0, 100)}`;
}

type Sent = Readonly<Record<string, unknown>>;

const NOTHING: Sent = {};

function objectIn(text: string): Sent {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : NOTHING;
  } catch {
    return NOTHING;
  }
}

function isObject(value: unknown): value is Sent {
  return typeof value === "object" && value !== null;
}
