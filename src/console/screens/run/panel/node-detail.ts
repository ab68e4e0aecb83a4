import type { NodeDetail } from "../../../../client/index.ts";
import type { JsonObject } from "../../../../core/base/index.ts";

export interface Instruction {
  readonly layer: number;
  readonly source: string;
  readonly text: string;
}

/** What the API tells of an attempt besides what every client reads. */
interface AttemptMore {
  readonly instructions: readonly Instruction[];
  readonly adapterLogs: readonly JsonObject[];
  readonly sessionId: string | null;
  readonly conversation: readonly JsonObject[];
}

export type DetailedAttempt = NodeDetail["attempts"][number] & AttemptMore;
export type DetailedNode = Omit<NodeDetail, "attempts"> & { readonly attempts: readonly DetailedAttempt[] };

const NOTHING_MORE: AttemptMore = { instructions: [], adapterLogs: [], sessionId: null, conversation: [] };

export function readDetail(told: NodeDetail): DetailedNode {
  return { ...told, attempts: told.attempts.map((attempt) => ({ ...NOTHING_MORE, ...attempt })) };
}
