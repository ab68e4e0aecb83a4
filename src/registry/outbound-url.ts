import type { JsonObject } from "../core/base/index.ts";
import type { RegisteredKind } from "./kind.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

/** Kinds whose entries make a server call a URL, each with what its URL is used for. */
const OUTBOUND_KINDS = { Gateway: "peer", Webhook: "message" } as const satisfies Partial<
  Record<RegisteredKind, string>
>;
type OutboundPurpose = (typeof OUTBOUND_KINDS)[keyof typeof OUTBOUND_KINDS];

/** Why a server does not call a URL, and what can be done about it; null: it does. */
export type CheckOutbound = (
  url: string,
  purpose: OutboundPurpose,
) => Promise<{ readonly message: string; readonly hint: string | null } | null>;

/** What speaks against saving an entry whose URL this server would call. */
export async function outboundProblems(
  kind: RegisteredKind,
  body: JsonObject,
  check: CheckOutbound,
): Promise<readonly SpecProblem[]> {
  const url = body["url"];
  if ((kind !== "Gateway" && kind !== "Webhook") || typeof url !== "string" || url === "") return [];
  const refusal = await check(url, OUTBOUND_KINDS[kind]);
  if (refusal === null) return [];
  return [specProblem("outbound_refused", ["url"], refusal.message, { hint: refusal.hint ?? undefined })];
}
