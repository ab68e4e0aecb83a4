import { SETTLING_TYPES } from "../../../src/core/event/index.ts";
import type { AgentModel, Waiting } from "./agents.ts";

/** What a node has of its agent. */
export interface Holding {
  readonly agentId: string;
  readonly estimateMicros: number;
}

/** What an agent has given, and to whom next. */
export interface AgentAccount {
  readonly model: AgentModel;
  open: number;
  spent: number;
  reserved: number;
  admissions: readonly number[];
  waiting: readonly Waiting[];
}

/** With these a node leaves its attempt. */
export const RELEASING: ReadonlySet<string> = new Set([
  ...SETTLING_TYPES,
  "node.retried",
  "node.blocked",
  "node.invalidated",
  "node.queued",
]);
