export interface OrganisationStore {
  /** Creates an organisation that has only an id, if it does not exist. */
  ensureOrganisation(orgId: string): Promise<void>;
  /** Creates an organisation; `adminId` is the person who becomes its first admin. Returns false when the id is taken. */
  createOrganisation(orgId: string, name: string, adminId: string | null): Promise<boolean>;
  getOrganisation(orgId: string): Promise<OrganisationRecord | undefined>;
  /** Returns false when the organisation does not exist. */
  renameOrganisation(orgId: string, name: string): Promise<boolean>;
}

export interface OrganisationRecord {
  readonly orgId: string;
  /** Name shown to people; null means that the id is shown. */
  readonly name: string | null;
  readonly createdAt: number;
}
