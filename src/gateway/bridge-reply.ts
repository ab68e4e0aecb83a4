import type { BatchReply, DispatchReply, ExecutionView } from "../bridge/index.ts";

export function resultsOf(text: string, count: number): BatchReply<DispatchReply>["results"] | null {
  const reply = parsed<BatchReply<DispatchReply>>(text);
  return reply !== null && Array.isArray(reply.results) && reply.results.length === count ? reply.results : null;
}

export function viewOf(text: string): ExecutionView | null {
  const view = parsed<ExecutionView>(text);
  return view !== null && ["running", "ended", "lost"].includes(view.state) ? view : null;
}

/** A Bridge is a peer we registered, but what it says is still text from elsewhere. */
export function parsed<T extends object>(text: string): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as T) : null;
  } catch {
    return null;
  }
}

export function detailIn(text: string): string {
  return detailOf(parsed<{ readonly detail?: unknown }>(text));
}

const DETAIL_CHARACTERS_MAX = 500;

export function detailOf(body: object | null): string {
  const detail = body !== null && "detail" in body ? body.detail : undefined;
  return typeof detail === "string" ? detail.slice(0, DETAIL_CHARACTERS_MAX) : "it gave no reason";
}
