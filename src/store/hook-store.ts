/** Secrets with which an external system may start runs of a workflow. They are sealed before they reach the store. */
export interface HookStore {
  getHook(orgId: string, workflow: string): Promise<HookRecord | undefined>;
  /** Returns the hooks of all organisations for a workflow with this name, oldest first. */
  findHooks(workflow: string, limit: number): Promise<readonly HookRecord[]>;
  putHook(hook: HookRecord): Promise<void>;
  /** Returns false when the hook does not exist. */
  deleteHook(orgId: string, workflow: string): Promise<boolean>;
}

export interface HookRecord {
  readonly orgId: string;
  readonly workflow: string;
  readonly secret: string;
  /** The previous secret, valid until its overlap ends. */
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
  /** The caller who last set the secret; null when not known. */
  readonly savedBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}
