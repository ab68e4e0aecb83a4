import type { KeyRecord, KeyStore, PersonStore } from "../store/index.ts";
import { isPersonId, subjectOfTokenKeyId } from "./auth.ts";

/** A longer line of keys made by keys is taken for an attempt to hide who is at its beginning. */
const LINE_MAX = 1_000;

type Store = Pick<KeyStore, "getKey"> & Pick<PersonStore, "listPersonsOfSubject">;

/** Everything that led to an id: the keys its key was made with, and the persons behind them. */
interface Line {
  readonly ids: ReadonlySet<string>;
  readonly persons: ReadonlySet<string>;
  readonly isTooLong: boolean;
}

/**
 * Whether a caller is the requester: the same person by whatever session, token or key, or a key that the requester has
 * made, directly or through other keys. Such a caller cannot answer where a second person has to: a new key is not a
 * second person.
 */
export async function isOfRequester(
  store: Store,
  orgId: string,
  callerId: string,
  requesterId: string | null,
): Promise<boolean> {
  if (requesterId === null) return false;
  if (callerId === requesterId) return true;
  const [caller, requester] = await Promise.all([lineOf(store, orgId, callerId), lineOf(store, orgId, requesterId)]);
  if (caller.isTooLong || requester.isTooLong || caller.ids.has(requesterId)) return true;
  return [...caller.persons].some((personId) => requester.persons.has(personId));
}

/** Whether it is known who is behind an id: a person, or the maker of its key. The operator's own keys have neither. */
export async function hasKnownPerson(store: Store, orgId: string, callerId: string): Promise<boolean> {
  const { ids, persons } = await lineOf(store, orgId, callerId);
  return persons.size > 0 || ids.size > 1 || subjectOfTokenKeyId(callerId) !== null;
}

/** The ids under which a caller, and the persons behind it, have started something or answered. */
export async function idsBehind(store: Store, orgId: string, callerId: string): Promise<readonly string[]> {
  const { ids, persons } = await lineOf(store, orgId, callerId);
  return [...new Set([...ids, ...persons])];
}

async function lineOf(store: Store, orgId: string, firstId: string): Promise<Line> {
  const ids = new Set<string>();
  const persons = new Set<string>();
  let id: string | null = firstId;
  for (let step = 0; id !== null && !ids.has(id); step += 1) {
    if (step >= LINE_MAX) return { ids, persons, isTooLong: true };
    ids.add(id);
    if (isPersonId(id)) persons.add(id);
    const subject = subjectOfTokenKeyId(id);
    if (subject !== null) for (const person of await store.listPersonsOfSubject(subject)) persons.add(person.id);
    // Tokens are made by an issuer, and the operator's own key by no other; neither is in the list with a maker.
    const key: KeyRecord | undefined = isPersonId(id) || subject !== null ? undefined : await store.getKey(orgId, id);
    const personId = key?.personId ?? null;
    if (personId !== null) persons.add(personId);
    id = key?.createdBy ?? null;
  }
  return { ids, persons, isTooLong: false };
}
