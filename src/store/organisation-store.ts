export interface OrganisationStore {
  /** Makes an organisation that is only an id, if it is not there yet. */
  ensureOrganisation(orgId: string): Promise<void>;
  /** With its first admin, if that is a person; false when the id is taken. */
  createOrganisation(orgId: string, name: string, adminId: string | null): Promise<boolean>;
  getOrganisation(orgId: string): Promise<OrganisationRecord | undefined>;
  /** False when there is no such organisation. */
  renameOrganisation(orgId: string, name: string): Promise<boolean>;
}

export interface OrganisationRecord {
  readonly orgId: string;
  /** For people; null: its id. */
  readonly name: string | null;
  readonly createdAt: number;
}
