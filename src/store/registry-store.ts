import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { Platform, Posture } from "../core/governance/index.ts";
import type { Listed, Page, WorkflowRecord, WorkflowSaving } from "./store.ts";

/** Registered content as people wrote it: one entry per kind and id. Each change makes a new revision. */
export interface RegistryStore {
  getEntry(orgId: string, kind: EntryKind, id: string): Promise<Entry | undefined>;
  /** Returns entries by id. */
  listEntries(orgId: string, kind: EntryKind, page: Page): Promise<Listed<Entry>>;
  /** Returns the triggers with this name in all organisations, oldest first. */
  findTriggers(name: string, limit: number): Promise<readonly (Entry & { readonly orgId: string })[]>;
  /** Writes an entry. Unchanged content keeps its revision. */
  putEntry(orgId: string, kind: EntryKind, id: string, body: JsonObject, at: number): Promise<Entry>;
  /** Returns false when the entry does not exist. */
  deleteEntry(orgId: string, kind: EntryKind, id: string): Promise<boolean>;
  /** Applies all changes or none, in the given order, with the audit entries. Returns the written entries in that order. Throws `EntryChanged`. */
  applyEntries(
    orgId: string,
    changes: readonly RegistryChange[],
    at: number,
    audit?: readonly AuditEntry[],
  ): Promise<readonly Entry[]>;
  /** Returns the secret values saved with an entry, by name. They are never shown. */
  entrySecrets(orgId: string, kind: EntryKind, id: string): Promise<Readonly<Record<string, string>>>;
  /** Returns a number per organisation that increases with every change of its registry. Unchanged organisations are left out. */
  configVersions(): Promise<ReadonlyMap<string, number>>;
  /** Returns the platform settings. Gates are open until they are closed. */
  getPlatform(orgId: string): Promise<Platform>;
  putPlatform(orgId: string, platform: Platform, audit?: readonly AuditEntry[]): Promise<void>;
}

export type RegistryChange =
  | {
      readonly change: "put";
      readonly kind: EntryKind;
      readonly id: string;
      readonly body: JsonObject;
      /** Secret values to set. Others stay unchanged. */
      readonly secrets?: Readonly<Record<string, string>>;
      /** The revision that the entry must still have, 0 for none yet; absent for any. */
      readonly expected?: number;
    }
  | { readonly change: "delete"; readonly kind: EntryKind; readonly id: string }
  | {
      readonly change: "workflow";
      readonly saving: WorkflowSaving;
      /** Settings to change. Others stay unchanged. */
      readonly settings: Partial<Pick<WorkflowRecord, "status"> & WorkflowSettings>;
    };

/** Settings of a workflow, besides its versions. */
export interface WorkflowSettings {
  readonly posture: Posture;
  /** True when the workflow is exposed over MCP. */
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
  /** The caller who last changed the entry, as named in the audit of that change; null when not known. */
  readonly savedBy: string | null;
}

/** The registered settings of a gateway, as stored. */
export interface GatewayBody {
  readonly name: string | null;
  readonly environment: string | null;
  readonly url: string;
  readonly isDefault: boolean;
  readonly minTrustLevel: number;
  /** Cost of running work there, relative to other gateways. The lowest is used first. */
  readonly costRank: number;
  readonly capabilities: readonly string[];
  readonly providers: readonly string[];
  /** The provider for nodes that name none; null when the gateway does not accept such nodes. */
  readonly defaultProvider: string | null;
}

/** The present state of registered gateways: their instance, their secrets, and their health. */
export interface GatewayStore {
  /** Returns the gateway links of one or several organisations. */
  listGatewayLinks(...orgIds: readonly string[]): Promise<readonly GatewayLink[]>;
  /** Returns false, without writing, when another gateway has this callback token. */
  putGatewayLink(link: GatewayLink): Promise<boolean>;
  deleteGatewayLink(orgId: string, gatewayId: string): Promise<boolean>;
  /** Finds a gateway by the hash of its callback token: the present one, or the previous one while its overlap lasts. */
  findGatewayLink(tokenHash: string): Promise<GatewayLink | undefined>;
  setGatewayStatus(orgId: string, gatewayId: string, status: GatewayStatus, at: number): Promise<void>;
  /** Newest first. */
  gatewayHistory(orgId: string, gatewayId: string, limit: number): Promise<readonly GatewayStanding[]>;
  /** Keeps a value made at the first start of an installation. Returns the stored value, which may be an earlier one. */
  ensureSecret(name: string, value: string): Promise<string>;
}

/** `unknown`: the gateway was saved and has not been checked yet. */
export const GATEWAY_STATUSES = ["healthy", "degraded", "offline", "unknown"] as const;
export type GatewayStatus = (typeof GATEWAY_STATUSES)[number];

export interface GatewayLink {
  readonly orgId: string;
  readonly gatewayId: string;
  readonly status: GatewayStatus;
  readonly instanceId: string | null;
  readonly instanceStartedAt: number | null;
  /** Sealed token; null when none was given. */
  readonly dispatchToken: string | null;
  /** SHA-256, hex. */
  readonly callbackHash: string | null;
  readonly previousCallbackHash: string | null;
  readonly previousUntil: number | null;
  readonly seenAt: number | null;
  /** Facts that the instance reported about itself when it registered; null when no instance registered. */
  readonly instanceFacts: JsonObject | null;
}

export interface GatewayStanding {
  readonly status: GatewayStatus;
  readonly at: number;
}

/** A report of an attempt besides its result. Written with the commit that takes the result. */
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
  /** Returns the messages in one thread of an agent, oldest first, from the newest `limit` attempts. */
  readThread(orgId: string, agentId: string, sessionId: string, limit: number): Promise<readonly ThreadPart[]>;
}

export interface ThreadPart extends AttemptReport {
  readonly runId: string;
}
