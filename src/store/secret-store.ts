import type { AuditEntry } from "../core/audit/index.ts";

/** When secrets were handed out, and everything that is kept sealed. */
export interface SecretStore {
  /** When each secret was last handed out, by name; those that never were are left out. */
  secretUses(orgId: string): Promise<ReadonlyMap<string, number>>;
  /** They are handed out now: noted together with its audit entries. An earlier moment does not replace a later one. */
  recordSecretUses(orgId: string, names: readonly string[], at: number, audit: readonly AuditEntry[]): Promise<void>;
  /** Replaces sealed texts of all organisations, all of them or none. Null: it stays as it is. */
  replaceSealed(change: (sealed: SealedText) => string | null): Promise<void>;
}

/** A text that is kept sealed, and where it belongs. */
export interface SealedText {
  readonly orgId: string;
  readonly owner:
    | { readonly of: "entry"; readonly kind: string; readonly id: string; readonly name: string }
    | { readonly of: "gateway"; readonly id: string }
    | { readonly of: "hook"; readonly workflow: string };
  readonly text: string;
}
