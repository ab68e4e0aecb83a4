/** The recipient of a message. */
export interface Recipient {
  /** Null when only the address is known. */
  readonly personId: string | null;
  readonly email: string;
  readonly name: string;
}

/** Finds the people who are the approvers of an approval. */
export interface Recipients {
  /** `approvers`: `user:…`, `role:…`, `team:…`, `key:…`; empty means everyone who may approve. */
  forApproval(orgId: string, approvers: readonly string[]): Promise<readonly Recipient[]>;
  /** Returns the person with an address; null when no known person has it. */
  forAddress(orgId: string, email: string): Promise<Recipient | null>;
}
