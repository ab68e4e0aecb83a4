import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { Platform, Posture } from "../core/governance/index.ts";
import type { Listed, Page, WorkflowRecord, WorkflowSaving } from "./store.ts";

/** What people register, as they wrote it: one entry per kind and id, each change a new revision. */
export interface RegistryStore {
  getEntry(orgId: string, kind: EntryKind, id: string): Promise<Entry | undefined>;
  /** By id. */
  listEntries(orgId: string, kind: EntryKind, page: Page): Promise<Listed<Entry>>;
  /** Of every organisation that has a trigger of this name, the oldest first. */
  findTriggers(name: string, limit: number): Promise<readonly (Entry & { readonly orgId: string })[]>;
  /** Unchanged content keeps its revision. */
  putEntry(orgId: string, kind: EntryKind, id: string, body: JsonObject, at: number): Promise<Entry>;
  /** False when there is none. */
  deleteEntry(orgId: string, kind: EntryKind, id: string): Promise<boolean>;
  /** All of it or nothing, with its audit entries, in the order given; answers with what was put, in that order. */
  applyEntries(
    orgId: string,
    changes: readonly RegistryChange[],
    at: number,
    audit?: readonly AuditEntry[],
  ): Promise<readonly Entry[]>;
  /** What was given with an entry and is never shown, by name. */
  entrySecrets(orgId: string, kind: EntryKind, id: string): Promise<Readonly<Record<string, string>>>;
  /** Goes up with every change of what is registered; organisations that never changed anything are left out. */
  configVersions(): Promise<ReadonlyMap<string, number>>;
  /** Open until it is closed. */
  getPlatform(orgId: string): Promise<Platform>;
  putPlatform(orgId: string, platform: Platform, audit?: readonly AuditEntry[]): Promise<void>;
}

export type RegistryChange =
  | {
      readonly change: "put";
      readonly kind: EntryKind;
      readonly id: string;
      readonly body: JsonObject;
      /** Those that are not named stay as they are. */
      readonly secrets?: Readonly<Record<string, string>>;
    }
  | { readonly change: "delete"; readonly kind: EntryKind; readonly id: string }
  | {
      readonly change: "workflow";
      readonly saving: WorkflowSaving;
      /** What is not named stays as it is. */
      readonly settings: Partial<Pick<WorkflowRecord, "status"> & WorkflowSettings>;
    };

/** What is known of a workflow besides its versions. */
export interface WorkflowSettings {
  readonly posture: Posture;
  /** Over MCP. */
  readonly isExposed: boolean;
}

export const NEW_WORKFLOW_SETTINGS: WorkflowSettings = { posture: "bounded_autonomous", isExposed: false };

export const ENTRY_KINDS = [
  "agent",
  "alert",
  "binding",
  "budget",
  "channel",
  "credit_plan",
  "deployment",
  "function",
  "gateway",
  "grant",
  "lens",
  "library",
  "model",
  "policy",
  "retention",
  "schedule",
  "secret",
  "team",
  "tool",
  "trigger",
  "webhook",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface Entry {
  readonly id: string;
  readonly revision: number;
  readonly body: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who last changed it, as the audit of that change names them; null: not known. */
  readonly savedBy: string | null;
}

/** What is registered of a gateway, as it is kept. */
export interface GatewayBody {
  readonly name: string | null;
  readonly environment: string | null;
  readonly url: string;
  readonly isDefault: boolean;
  readonly minTrustLevel: number;
  /** What it costs to run there, relative to the others; less is taken first. */
  readonly costRank: number;
  readonly capabilities: readonly string[];
  readonly providers: readonly string[];
  /** What runs a node that names no provider; null: such nodes do not go there. */
  readonly defaultProvider: string | null;
}

/** What is true of registered gateways at the moment: who answers for them, by which secrets, and how they are. */
export interface GatewayStore {
  /** Of one or several organisations. */
  listGatewayLinks(...orgIds: readonly string[]): Promise<readonly GatewayLink[]>;
  /** False, and nothing is written: another gateway has this callback token. */
  putGatewayLink(link: GatewayLink): Promise<boolean>;
  deleteGatewayLink(orgId: string, gatewayId: string): Promise<boolean>;
  /** By the hash of a callback token, the present one or the one before it while its overlap lasts. */
  findGatewayLink(tokenHash: string): Promise<GatewayLink | undefined>;
  setGatewayStatus(orgId: string, gatewayId: string, status: GatewayStatus, at: number): Promise<void>;
  /** Newest first. */
  gatewayHistory(orgId: string, gatewayId: string, limit: number): Promise<readonly GatewayStanding[]>;
  /** Keeps a value made at the first start of an installation; answers with the one that is kept. */
  ensureSecret(name: string, value: string): Promise<string>;
}

/** `unknown`: it was saved, and has not been asked yet. */
export const GATEWAY_STATUSES = ["healthy", "degraded", "offline", "unknown"] as const;
export type GatewayStatus = (typeof GATEWAY_STATUSES)[number];

export interface GatewayLink {
  readonly orgId: string;
  readonly gatewayId: string;
  readonly status: GatewayStatus;
  readonly instanceId: string | null;
  readonly instanceStartedAt: number | null;
  /** Sealed; null when none was given. */
  readonly dispatchToken: string | null;
  /** SHA-256, hex. */
  readonly callbackHash: string | null;
  readonly previousCallbackHash: string | null;
  readonly previousUntil: number | null;
  readonly seenAt: number | null;
  /** What the instance reported of itself when it registered; null: none did. */
  readonly instanceFacts: JsonObject | null;
}

export interface GatewayStanding {
  readonly status: GatewayStatus;
  readonly at: number;
}

/** What an attempt reported besides its result. Written with the commit that takes the result. */
export interface AttemptReport {
  readonly nodeId: string;
  readonly attempt: number;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly messages: readonly JsonObject[];
  /** One JSON object per line. */
  readonly logs: string;
  readonly at: number;
}

export interface ReportStore {
  /** Oldest attempt first. */
  reportsOf(orgId: string, runId: string, nodeId: string): Promise<readonly AttemptReport[]>;
  /** What was said in one thread of an agent, oldest first; the newest `limit` attempts. */
  readThread(orgId: string, agentId: string, sessionId: string, limit: number): Promise<readonly ThreadPart[]>;
}

export interface ThreadPart extends AttemptReport {
  readonly runId: string;
}
