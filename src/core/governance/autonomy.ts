import type { Action } from "../definition/index.ts";
import type { Rung } from "./registered.ts";

export type ActionPermission = "allowed" | "approval" | "forbidden";

const READS_ONLY: Readonly<Record<Action, ActionPermission>> = {
  read: "allowed",
  execute: "forbidden",
  write: "forbidden",
  financial: "forbidden",
};

const PERMISSIONS: Readonly<Record<Rung, Readonly<Record<Action, ActionPermission>>>> = {
  assistive: READS_ONLY,
  retrieval: READS_ONLY,
  supervised: { read: "allowed", execute: "allowed", write: "approval", financial: "approval" },
  bounded: { read: "allowed", execute: "allowed", write: "allowed", financial: "allowed" },
};

/** Returns what an agent on this rung may do without a person. */
export function permissionOf(rung: Rung, action: Action): ActionPermission {
  return PERMISSIONS[rung][action];
}
