/** Who a message is for. */
export interface Recipient {
  /** Null: only the address is known. */
  readonly personId: string | null;
  readonly email: string;
  readonly name: string;
}

/** Finds the people behind the names of an approval. */
export interface Recipients {
  /** `approvers`: `user:…`, `role:…`, `team:…`, `key:…`; none: all who may approve. */
  forApproval(orgId: string, approvers: readonly string[]): Promise<readonly Recipient[]>;
  /** The person with an address; null: it belongs to none that is known. */
  forAddress(orgId: string, email: string): Promise<Recipient | null>;
}
