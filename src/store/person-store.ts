export interface PersonStore {
  /** Finds a person by issuer and subject, or creates one with the given id. Email and name are set to the given ones. */
  keepPerson(seen: SeenPerson): Promise<PersonRecord>;
  getPerson(personId: string): Promise<PersonRecord | undefined>;
  /** Returns persons with this subject, from any issuer. */
  listPersonsOfSubject(subject: string): Promise<readonly PersonRecord[]>;
  /** Returns false when the person does not exist. */
  setPersonDisabled(personId: string, isDisabled: boolean): Promise<boolean>;
}

/** A person as an issuer describes one at sign-in. */
export interface SeenPerson {
  /** Id for the person when the person is new. */
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  /** Email verified by the issuer; null when it is missing or not verified. */
  readonly email: string | null;
  readonly name: string;
}

/** A person belongs to no organisation. Memberships define what a person may do in which organisation. */
export interface PersonRecord extends SeenPerson {
  /** True when the person cannot sign in, and sessions and keys of the person are rejected. */
  readonly isDisabled: boolean;
  readonly createdAt: number;
}
