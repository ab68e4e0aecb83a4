import {
  type CredentialKind,
  type DirectoryStore,
  type EntryKind,
  type KeyRecord,
  OrganisationMoving,
  type RegistryChange,
  type Store,
  StoreUnavailable,
} from "../store/index.ts";
import type { CellMap } from "./cell-map.ts";
import type { SharedPeople } from "./people.ts";

export interface CellStoreOptions {
  /** The database of this cell. */
  readonly own: Store;
  readonly directory: DirectoryStore;
  /** The database of the directory. */
  readonly directoryStore: Store;
  readonly people: SharedPeople;
  readonly map: CellMap;
  /** Returns the database of any cell. Undefined when it is not open. */
  readonly storeIn: (cell: string) => Store | undefined;
  /** Returns the cell for a new organisation. */
  readonly nextCell: () => Promise<string>;
}

/**
 * Creates the store that the parts of a cell use. Runs and their data are in the cell, people are in the directory. A
 * write for another organisation, such as an audit entry, goes to the cell of that organisation. Every credential is
 * claimed in the directory before it can be used.
 */
export function createCellStore(options: CellStoreOptions): Store {
  const { own, people, directory, directoryStore, map } = options;
  const storeOf = (orgId: string): Promise<Store> => homeOf(options, orgId);
  const claim = (kind: CredentialKind, orgId: string, hashes: readonly (string | null)[]): Promise<void> =>
    directory.claim(hashes.flatMap((hash) => (hash === null ? [] : [{ kind, hash, orgId }])));
  return {
    ...own,
    ...people,
    removeMember: async (orgId, personId) => {
      const outcome = await people.removeMember(orgId, personId);
      if (outcome === "done") await revokeKeysOf(await storeOf(orgId), orgId, personId);
      return outcome;
    },
    ensureOrganisation: (orgId) => ensurePlaced(options, orgId),
    createOrganisation: async (orgId, name, adminId) => {
      if (!(await directoryStore.createOrganisation(orgId, name, adminId))) return false;
      await ensurePlaced(options, orgId);
      return true;
    },
    getOrganisation: (orgId) => directoryStore.getOrganisation(orgId),
    renameOrganisation: (orgId, name) => directoryStore.renameOrganisation(orgId, name),
    findKey: async (hash) => {
      const [orgId] = await map.ownersOf("key", hash);
      return orgId === undefined ? undefined : findKeyOf(options, orgId, hash);
    },
    getKey: async (orgId, keyId) => (await storeOf(orgId)).getKey(orgId, keyId),
    putKey: async (key) => {
      await ensurePlaced(options, key.orgId);
      await claim("key", key.orgId, [key.hash]);
      await (await storeOf(key.orgId)).putKey(key);
    },
    // An upload that started here is completed in the cell to which the organisation belongs at that time.
    openUpload: async (upload) => (await storeOf(upload.orgId)).openUpload(upload),
    getUpload: async (orgId, uploadId) => (await storeOf(orgId)).getUpload(orgId, uploadId),
    putPart: async (orgId, uploadId, part) => (await storeOf(orgId)).putPart(orgId, uploadId, part),
    completeUpload: async (orgId, uploadId, done) => (await storeOf(orgId)).completeUpload(orgId, uploadId, done),
    dropUpload: async (orgId, uploadId) => (await storeOf(orgId)).dropUpload(orgId, uploadId),
    getFile: async (orgId, sha256) => (await storeOf(orgId)).getFile(orgId, sha256),
    listRunFiles: async (orgId, runId) => (await storeOf(orgId)).listRunFiles(orgId, runId),
    appendAudit: async (orgId, entries) => (await storeOf(orgId)).appendAudit(orgId, entries),
    putGatewayLink: async (link) => {
      await claim("gateway", link.orgId, [link.callbackHash]);
      return own.putGatewayLink(link);
    },
    putHook: async (hook) => {
      await claim("hook", hook.orgId, [hook.workflow]);
      await own.putHook(hook);
    },
    putEntry: async (orgId, kind, id, body, at) => {
      const name = NAMED[kind];
      if (name !== undefined) await claim(name, orgId, [id]);
      return own.putEntry(orgId, kind, id, body, at);
    },
    applyEntries: async (orgId, changes, at, audit) => {
      await directory.claim(changes.flatMap((change) => claimOf(orgId, change)));
      return own.applyEntries(orgId, changes, at, audit);
    },
    commit: async (batch) => {
      const starting = new Set(batch.flatMap(({ create, orgId }) => (create === null ? [] : [orgId])));
      for (const orgId of starting) await requireHome(options, orgId);
      return own.commit(batch);
    },
    ensureSecret: (name, value) => sharedSecret(own, directoryStore, name, value),
  };
}

/** Registry entries that are reached at an address which contains their name. */
const NAMED: { readonly [K in EntryKind]?: CredentialKind } = { trigger: "hook", channel: "channel" };

function claimOf(orgId: string, change: RegistryChange): readonly Parameters<DirectoryStore["claim"]>[0][number][] {
  const kind = change.change === "put" ? NAMED[change.kind] : undefined;
  return kind === undefined || change.change !== "put" ? [] : [{ kind, hash: change.id, orgId }];
}

/** Returns the database of an organisation's cell. */
async function homeOf({ own, map, storeIn }: CellStoreOptions, orgId: string): Promise<Store> {
  const cell = await map.cellOf(orgId);
  const store = cell === null ? own : storeIn(cell);
  if (store === undefined) throw new StoreUnavailable(`the cell ${cell ?? ""} of ${orgId} is not open`);
  return store;
}

async function findKeyOf(options: CellStoreOptions, orgId: string, hash: string): Promise<KeyRecord | undefined> {
  const { own, map } = options;
  const found = await (await homeOf(options, orgId)).findKey(hash);
  // A missing key may only mean that the organisation has moved, so the directory is read again.
  if (found !== undefined || !(await map.hasMoved(orgId))) return found;
  const home = await homeOf(options, orgId);
  // The request is in the cell that the organisation has left, where nothing of it would be found.
  if (home !== own) throw new OrganisationMoving(orgId, undefined);
  return home.findKey(hash);
}

/** Refuses an organisation that has left this cell and has no fence here any more: a late start would leave a run behind. */
async function requireHome({ own, map, storeIn }: CellStoreOptions, orgId: string): Promise<void> {
  const isHome = (cell: string | null): boolean => cell === null || storeIn(cell) === own;
  if (isHome(map.lastKnown(orgId))) return;
  // It may have come back without this process having noticed.
  await map.hasMoved(orgId);
  if (!isHome(map.lastKnown(orgId))) throw new OrganisationMoving(orgId, undefined);
}

/** Assigns a cell to an organisation that has none yet. */
async function ensurePlaced(options: CellStoreOptions, orgId: string): Promise<void> {
  const { map, directory, directoryStore, nextCell, storeIn } = options;
  if ((await map.cellOf(orgId)) !== null) return;
  await directoryStore.ensureOrganisation(orgId);
  const cell = await directory.place(orgId, await nextCell());
  map.learn(orgId, cell);
  const store = storeIn(cell);
  if (store === undefined) throw new StoreUnavailable(`the cell ${cell} of ${orgId} is not open`);
  await store.ensureOrganisation(orgId);
}

const KEYS_PER_PAGE = 200;

async function revokeKeysOf(store: Store, orgId: string, personId: string): Promise<void> {
  const at = await store.now();
  let cursor: string | null = null;
  do {
    const page: { readonly data: readonly KeyRecord[]; readonly nextCursor: string | null } = await store.listKeys(
      orgId,
      {
        limit: KEYS_PER_PAGE,
        cursor,
      },
    );
    for (const key of page.data) {
      const isOwn = key.personId === personId && key.agentId === null && key.revokedAt === null;
      if (isOwn) await store.revokeKey(orgId, key.id, at);
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Makes a secret the same in all cells, so that data sealed or signed in one cell is valid in another. */
async function sharedSecret(own: Store, directory: Store, name: string, value: string): Promise<string> {
  return own.ensureSecret(name, await directory.ensureSecret(name, value));
}
