import type { AuditEntry } from "../core/audit/index.ts";

/** Times at which secrets were used, and all sealed texts. */
export interface SecretStore {
  /** Returns the last use of each secret, by name. Secrets never used are left out. */
  secretUses(orgId: string): Promise<ReadonlyMap<string, number>>;
  /** Records the use of secrets together with the audit entries. An earlier time does not replace a later one. */
  recordSecretUses(orgId: string, names: readonly string[], at: number, audit: readonly AuditEntry[]): Promise<void>;
  /** Replaces sealed texts of all organisations, all or none. `change` returns null to leave a text unchanged. */
  replaceSealed(change: (sealed: SealedText) => string | null): Promise<void>;
}

/** A sealed text and its owner. */
export interface SealedText {
  readonly orgId: string;
  readonly owner:
    | { readonly of: "entry"; readonly kind: string; readonly id: string; readonly name: string }
    | { readonly of: "gateway"; readonly id: string }
    | { readonly of: "hook"; readonly workflow: string };
  readonly text: string;
}
