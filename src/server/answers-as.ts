import type { KeyStore } from "../store/index.ts";
import { isPersonId, isTokenKeyId, type Principal } from "./auth.ts";
import type { PersonNames } from "./person-cache.ts";

type Store = Pick<KeyStore, "getKey">;

/**
 * Returns the approver names under which the caller answers: its own and, for a deputy within its dates, those of the
 * members it represents. `user:` is a person's id, verified email, or issuer and subject; `role:` and `team:` are the
 * groups of a person; `key:` is the id or the label of a key. A deputy does not get the names in `except`: a deputy
 * must not answer a request in the name of the person who made it.
 */
export async function answersAs(
  store: Store,
  principal: Principal,
  except: readonly string[] = [],
): Promise<readonly string[]> {
  const { person, deputyFor } = principal;
  const represented = deputyFor.filter(({ personId }) => !except.includes(personId));
  const persons = person === null ? represented : [person, ...represented];
  return [...new Set([...persons.flatMap(namesOf), ...(await keyNames(store, principal))])];
}

/**
 * The id of a key is unique, but its label is chosen by its maker. The label counts as a name only if the maker may
 * decide who answers; two keys with that label then both have the name. A label equal to the id of another key names
 * that other key only.
 */
async function keyNames(store: Store, { orgId, keyId, label }: Principal): Promise<readonly string[]> {
  if (isPersonId(keyId) || isTokenKeyId(keyId)) return [];
  const [own, other] = await Promise.all([store.getKey(orgId, keyId), store.getKey(orgId, label)]);
  const isName = own?.isNamed !== false && other === undefined;
  return isName ? [`key:${keyId}`, `key:${label}`] : [`key:${keyId}`];
}

function namesOf({ personId, issuer, subject, email, groups }: PersonNames): readonly string[] {
  return [
    `user:${personId}`,
    ...(email === null ? [] : [`user:${email}`]),
    `user:${issuer} ${subject}`,
    ...groups.flatMap((group) => [`role:${group}`, `team:${group}`]),
  ];
}
