/** Secrets by which a system outside may start runs of a workflow. They are sealed before they come here. */
export interface HookStore {
  getHook(orgId: string, workflow: string): Promise<HookRecord | undefined>;
  /** Of every organisation that has one for a workflow of this name, the oldest first. */
  findHooks(workflow: string, limit: number): Promise<readonly HookRecord[]>;
  putHook(hook: HookRecord): Promise<void>;
  /** False when there is none. */
  deleteHook(orgId: string, workflow: string): Promise<boolean>;
}

export interface HookRecord {
  readonly orgId: string;
  readonly workflow: string;
  readonly secret: string;
  /** The one before it, while its overlap lasts. */
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
  /** Who last set its secret; null: not known. */
  readonly savedBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}
