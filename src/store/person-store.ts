export interface PersonStore {
  /** Finds a person by issuer and subject, or makes one under the given id; email and name become the given ones. */
  keepPerson(seen: SeenPerson): Promise<PersonRecord>;
  getPerson(personId: string): Promise<PersonRecord | undefined>;
  /** Persons with this subject, at any issuer. */
  listPersonsOfSubject(subject: string): Promise<readonly PersonRecord[]>;
  /** False when there is no such person. */
  setPersonDisabled(personId: string, isDisabled: boolean): Promise<boolean>;
}

/** A person as an issuer describes one at sign-in. */
export interface SeenPerson {
  /** Used when the person is new. */
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  /** Verified by the issuer; null: there is none, or it is not verified. */
  readonly email: string | null;
  readonly name: string;
}

/** A person belongs to no organisation; memberships say where they may do what. */
export interface PersonRecord extends SeenPerson {
  /** Cannot sign in, and neither sessions nor keys of this person are accepted. */
  readonly isDisabled: boolean;
  readonly createdAt: number;
}
