import type { HookStore, KeyStore, PersonStore, RegistryStore } from "../store/index.ts";
import { isPersonId, subjectOfTokenKeyId } from "./auth.ts";

/** Limit for a chain of keys made by keys. A longer chain is treated as an attempt to hide the first maker. */
const CHAIN_MAX = 1_000;

type Store = Pick<KeyStore, "getKey"> &
  Pick<PersonStore, "listPersonsOfSubject"> &
  Pick<RegistryStore, "getEntry"> &
  Pick<HookStore, "getHook">;

/** The chain behind an id: the keys its key was made with, and the persons behind them. */
interface KeyChain {
  /** The id itself; for a trigger, the id of the caller that last saved it. */
  readonly first: string;
  readonly ids: ReadonlySet<string>;
  readonly persons: ReadonlySet<string>;
  readonly isTooLong: boolean;
}

/**
 * Checks whether a caller is the requester: the same person with any session, token or key, or a key that the
 * requester has made, directly or through other keys. Such a caller cannot answer where a second person is required: a
 * new key is not a second person.
 */
export async function isOfRequester(
  store: Store,
  orgId: string,
  callerId: string,
  requesterId: string | null,
): Promise<boolean> {
  if (requesterId === null) return false;
  if (callerId === requesterId) return true;
  const [caller, requester] = await Promise.all([
    keyChainOf(store, orgId, callerId),
    keyChainOf(store, orgId, requesterId),
  ]);
  if (caller.isTooLong || requester.isTooLong || caller.ids.has(requester.first)) return true;
  return [...caller.persons].some((personId) => requester.persons.has(personId));
}

/**
 * Returns those of the ids that represent another person than the caller: neither has made the key of the other. The
 * operator's own key represents no person, so the keys made with it are of others.
 */
export async function idsOfOthers(
  store: Store,
  orgId: string,
  callerId: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const isOf = async (id: string, maker: string): Promise<boolean> =>
    (await hasKnownPerson(store, orgId, maker)) && (await isOfRequester(store, orgId, id, maker));
  const others: string[] = [];
  for (const id of ids) if (!(await isOf(callerId, id)) && !(await isOf(id, callerId))) others.push(id);
  return others;
}

/** Checks whether a person, or the maker of the key, is known for an id. The operator's own keys have neither. */
export async function hasKnownPerson(store: Store, orgId: string, callerId: string): Promise<boolean> {
  const { ids, persons } = await keyChainOf(store, orgId, callerId);
  return persons.size > 0 || ids.size > 1 || subjectOfTokenKeyId(callerId) !== null;
}

/** Returns the ids under which a caller, and the persons behind it, may have started runs or answered. */
export async function idsBehind(store: Store, orgId: string, callerId: string): Promise<readonly string[]> {
  const { ids, persons } = await keyChainOf(store, orgId, callerId);
  return [...new Set([...ids, ...persons])];
}

async function keyChainOf(store: Store, orgId: string, startId: string): Promise<KeyChain> {
  const first = (await saverOf(store, orgId, startId)) ?? startId;
  const ids = new Set<string>();
  const persons = new Set<string>();
  let id: string | null = first;
  for (let step = 0; id !== null && !ids.has(id); step += 1) {
    if (step >= CHAIN_MAX) return { first, ids, persons, isTooLong: true };
    ids.add(id);
    const { before, personIds } = await creatorsOf(store, orgId, id);
    for (const personId of personIds) persons.add(personId);
    id = before;
  }
  return { first, ids, persons, isTooLong: false };
}

const SCHEDULE = "schedule:";
const TRIGGER = "trigger:";
const HOOK = "hook:";

/** Returns the persons behind an id, and the id that created it. The operator's own keys have neither. */
async function creatorsOf(
  store: Store,
  orgId: string,
  id: string,
): Promise<{ readonly before: string | null; readonly personIds: readonly string[] }> {
  if (isPersonId(id)) return { before: null, personIds: [id] };
  const subject = subjectOfTokenKeyId(id);
  if (subject !== null) {
    const persons = await store.listPersonsOfSubject(subject);
    return { before: null, personIds: persons.map((person) => person.id) };
  }
  const key = await store.getKey(orgId, id);
  const personId = key?.personId ?? null;
  return { before: key?.createdBy ?? null, personIds: personId === null ? [] : [personId] };
}

/** Returns the caller that last saved a trigger, who counts as the requester of its runs. Null when the id is not a trigger. */
async function saverOf(store: Store, orgId: string, id: string): Promise<string | null> {
  if (id.startsWith(SCHEDULE)) return entrySaver(store, orgId, "schedule", id.slice(SCHEDULE.length));
  if (id.startsWith(TRIGGER)) return entrySaver(store, orgId, "trigger", id.slice(TRIGGER.length));
  if (id.startsWith(HOOK)) return (await store.getHook(orgId, id.slice(HOOK.length)))?.savedBy ?? null;
  return null;
}

async function entrySaver(
  store: Store,
  orgId: string,
  kind: "schedule" | "trigger",
  id: string,
): Promise<string | null> {
  return (await store.getEntry(orgId, kind, id))?.savedBy ?? null;
}
