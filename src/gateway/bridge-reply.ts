/** A Bridge is a peer we registered, but what it says is still text from elsewhere. */
import { type CallbackBody, callbackSchema } from "../bridge/index.ts";
import { getOwn } from "../core/base/index.ts";
import type { Opened } from "./opened.ts";

/** What was said of one dispatch of a batch. */
export interface ItemReply {
  readonly status: number;
  readonly detail: string;
}

/** The answers of a batch in its order; null when they are not one for each. */
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

/** `ended` comes with a result that has been checked like a callback, or with what is wrong with it. */
export type View =
  | { readonly state: "running" | "lost" }
  | { readonly state: "ended"; readonly result: CallbackBody }
  | { readonly state: "unreadable"; readonly problem: string };

export function viewIn(text: string, opened: Opened): View | null {
  const view = objectIn(text);
  const state = getOwn(view, "state");
  if (state === "running" || state === "lost") return { state };
  if (state !== "ended") return null;
  return resultView(getOwn(view, "result"), opened);
}

export function resultIn(text: string, opened: Opened): View {
  return resultView(objectIn(text), opened);
}

function resultView(sent: unknown, { dispatchId }: Opened): View {
  const read = readResult(sent);
  if (read === null) return { state: "unreadable", problem: "its result is nested too deeply" };
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : ` at "${issue.path.map(String).join(".")}"`;
    return { state: "unreadable", problem: `its result is not valid${place}: ${issue?.message ?? "no reason"}` };
  }
  if (read.data.dispatchId !== dispatchId) {
    return { state: "unreadable", problem: `its result is about "${read.data.dispatchId}"` };
  }
  return { state: "ended", result: read.data };
}

function readResult(sent: unknown): ReturnType<typeof callbackSchema.safeParse> | null {
  try {
    return callbackSchema.safeParse(sent);
  } catch (error) {
    // The reader goes down by recursion, and so the stack ends before very deep values do.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export function detailIn(text: string): string {
  return detailOf(objectIn(text));
}

const DETAIL_CHARACTERS_MAX = 500;

function detailOf(body: unknown): string {
  const detail = isObject(body) ? getOwn(body, "detail") : undefined;
  return typeof detail === "string" ? detail.slice(0, DETAIL_CHARACTERS_MAX) : "it gave no reason";
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
