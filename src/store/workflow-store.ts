import type { JsonObject } from "../core/base/index.ts";
import type { WorkflowStatus } from "../core/event/index.ts";
import type { WorkflowSettings } from "./registry-store.ts";
import type { Listed, Page } from "./store.ts";

export interface WorkflowStore {
  /** Saves a new version. Returns the newest version unchanged when the content is the same. */
  saveWorkflow(
    orgId: string,
    saving: WorkflowSaving,
  ): Promise<{ readonly version: WorkflowVersion; readonly isNew: boolean }>;
  getWorkflow(orgId: string, name: string): Promise<WorkflowRecord | undefined>;
  listWorkflows(orgId: string, page: Page): Promise<Listed<WorkflowRecord>>;
  getVersion(orgId: string, name: string, version: number): Promise<WorkflowVersion | undefined>;
  setWorkflowStatus(orgId: string, name: string, status: WorkflowStatus): Promise<boolean>;
  /** Returns the pinned bytes of a definition, by hash. */
  getDefinition(orgId: string, hash: string): Promise<PinnedDefinition | undefined>;
  /** Keeps a definition that is not a version of a workflow, for the run of a file. */
  putDefinition(orgId: string, hash: string, definition: PinnedDefinition): Promise<void>;
}

/** The exact text, and the content it referred to outside itself when it was pinned. */
export interface PinnedDefinition {
  readonly source: string;
  readonly catalog: JsonObject | null;
}

export interface WorkflowSaving extends PinnedDefinition {
  readonly name: string;
  readonly hash: string;
  /** Hash of the canonical definition; null when not known. */
  readonly definitionHash: string | null;
  readonly format: "lobsterx" | "lens-graph/v1";
  readonly origin: WorkflowOrigin;
  readonly savedAt: number;
  readonly savedBy: string | null;
}

/** Whether a version was written as a file, or in code that made one. */
export type WorkflowOrigin = "file" | "code";

export interface WorkflowVersion extends Omit<WorkflowSaving, "savedBy"> {
  readonly version: number;
}

export interface WorkflowRecord extends WorkflowSettings {
  readonly name: string;
  readonly status: WorkflowStatus;
  readonly latest: Omit<WorkflowVersion, "source" | "catalog">;
}
