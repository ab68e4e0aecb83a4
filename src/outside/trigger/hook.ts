import { hookPlace, type SecretBox } from "../../seal/index.ts";
import { type HookSource, type HookTrigger } from "../../registry/index.ts";
import type { HookRecord } from "../../store/index.ts";
import type { IncomingMessage, Verdict } from "./verify/scheme.ts";
import { SCHEMES } from "./verify/schemes.ts";

/** After a secret is replaced, the previous one stays valid for this long. */
export const HOOK_OVERLAP_MS = 24 * 3_600_000;

/** A trigger that a message may be addressed to, with the secrets its sender may use. */
export interface HookCandidate {
  readonly orgId: string;
  readonly trigger: HookTrigger;
  readonly secrets: readonly string[];
}

const STANDARD: HookSource = { kind: "hook", verify: "standard", idFrom: null, header: "", encoding: "hex" };

/** Returns the hook of a workflow as a trigger that uses Standard Webhooks and has no further settings. */
export function candidateOfHook(hook: HookRecord, box: SecretBox, now: number): HookCandidate {
  const { orgId, workflow, secret, previousSecret, previousUntil, savedBy } = hook;
  const isOverlapping = previousSecret !== null && (previousUntil ?? 0) > now;
  const secrets = [secret, ...(isOverlapping ? [previousSecret] : [])].flatMap(
    (sealed) => box.open(sealed, hookPlace(orgId, workflow)) ?? [],
  );
  const trigger: HookTrigger = {
    origin: "hook",
    name: workflow,
    workflow,
    on: STANDARD,
    filter: null,
    args: null,
    labels: {},
    concurrency: null,
    priority: null,
    respond: "accepted",
    isEnabled: true,
    savedBy,
  };
  return { orgId, trigger, secrets };
}

/** Returns the required headers that the message lacks for every candidate; empty when one candidate has all it needs. */
export function lackingHeaders(
  candidates: readonly HookCandidate[],
  header: IncomingMessage["header"],
): readonly string[] {
  const lacking = candidates.map(({ trigger: { on } }) =>
    SCHEMES[on.verify].needs(on).filter((name) => (header(name) ?? "") === ""),
  );
  return lacking.some((names) => names.length === 0) ? [] : (lacking[0] ?? []);
}

/** Returns the candidate whose secret signed the message, otherwise the most specific reason for refusing it. */
export function findSigner(
  candidates: readonly HookCandidate[],
  message: IncomingMessage,
  now: number,
): { readonly candidate: HookCandidate } | { readonly reason: Exclude<Verdict, "good"> } {
  let reason: Exclude<Verdict, "good"> = "bad_signature";
  for (const candidate of candidates) {
    const { on } = candidate.trigger;
    const verdict = SCHEMES[on.verify].verify({ secrets: candidate.secrets, message, source: on, now });
    if (verdict === "good") return { candidate };
    if (verdict === "bad_timestamp") reason = verdict;
  }
  return { reason };
}
