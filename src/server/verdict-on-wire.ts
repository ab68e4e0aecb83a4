import type { JudgedNode, NodeVerdict } from "../contract/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { StoredVerdict } from "../store/index.ts";

/** The stored body of a verdict. Only the governor writes it, so its type is known. */
type Kept = Pick<NodeVerdict, "trail" | "policies" | "matched" | "facts" | "hash" | "callId"> & {
  readonly explanation?: NonNullable<JudgedNode["explanation"]>;
};

export function verdictOnWire({ body, at, ...verdict }: StoredVerdict): NodeVerdict {
  const { trail, policies, matched, explanation, facts, hash, callId } = body as unknown as Kept;
  return {
    ...verdict,
    ...(callId === undefined ? {} : { callId }),
    at: isoFromEpochMs(at),
    explanation: explanation ?? null,
    trail,
    policies,
    matched,
    facts,
    hash,
  };
}
