import type { AuditEntry } from "../core/audit/index.ts";
import type { Listed, Page } from "./store.ts";

/** Maximum number of entries kept per memory; older ones are deleted. */
export const MEMORY_ENTRIES_MAX = 50;

/** An entry of an agent's memory: the answer of an attempt that completed a node, and its origin. */
export interface MemoryRecord extends MemoryKey {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly workflow: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly text: string;
}

/** One memory of an agent, identified by the name in its profile. */
export interface MemoryKey {
  readonly agentId: string;
  readonly profile: string;
}

/** Entries are written only by the commit that completes their node. */
export interface AgentMemoryStore {
  /** Returns the newest entries of each memory, at most `MEMORY_ENTRIES_MAX` of each; oldest first within one memory. */
  readMemories(orgId: string, memories: readonly MemoryKey[]): Promise<readonly MemoryRecord[]>;
  /** Lists all entries of an agent, under any profile name; newest first. */
  listMemory(orgId: string, agentId: string, page: Page): Promise<Listed<MemoryRecord>>;
  /** Deletes all entries of an agent and returns their number. Writes the audit entry if there were any. */
  forgetMemory(orgId: string, agentId: string, entry: AuditEntry): Promise<number>;
  /**
   * Deletes at most `limit` entries that are not among the newest `MEMORY_ENTRIES_MAX` of their memory, or whose agent
   * is no longer registered. Returns their number.
   */
  pruneMemories(limit: number): Promise<number>;
}

/** Returns the id of an entry. It is unique, because an attempt completes a node at most once. */
export function memoryEntryId({ runId, nodeId, attempt }: Pick<MemoryRecord, "runId" | "nodeId" | "attempt">): string {
  return `${runId}/${nodeId}/${attempt}`;
}
