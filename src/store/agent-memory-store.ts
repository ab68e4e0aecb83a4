import type { AuditEntry } from "../core/audit/index.ts";
import type { Listed, Page } from "./store.ts";

/** How many entries of one memory are kept; older ones go. */
export const MEMORY_ENTRIES_MAX = 50;

/** What an agent keeps of an attempt of its own that completed a node, and where it comes from. */
export interface MemoryRecord extends MemoryKey {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly workflow: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly text: string;
}

/** One memory of an agent, by the name its profile had. */
export interface MemoryKey {
  readonly agentId: string;
  readonly profile: string;
}

/** Entries are written by the commit that completes their node, and by nothing else. */
export interface AgentMemoryStore {
  /** The newest entries of each of these memories, `MEMORY_ENTRIES_MAX` of each at most; oldest first within one. */
  readMemories(orgId: string, memories: readonly MemoryKey[]): Promise<readonly MemoryRecord[]>;
  /** Everything that is kept of an agent, whatever its memory was called; newest first. */
  listMemory(orgId: string, agentId: string, page: Page): Promise<Listed<MemoryRecord>>;
  /** Forgets everything of an agent, and writes to the audit if there was anything; returns how many entries it was. */
  forgetMemory(orgId: string, agentId: string, entry: AuditEntry): Promise<number>;
  /**
   * Deletes at most `limit` entries that are not among the newest `MEMORY_ENTRIES_MAX` of their memory, or whose
   * agent is no longer registered; how many it was.
   */
  pruneMemories(limit: number): Promise<number>;
}

/** An attempt completes a node at most once, so that no two entries have the same. */
export function memoryEntryId({ runId, nodeId, attempt }: Pick<MemoryRecord, "runId" | "nodeId" | "attempt">): string {
  return `${runId}/${nodeId}/${attempt}`;
}
