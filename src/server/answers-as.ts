import type { KeyStore } from "../store/index.ts";
import { isPersonId, isTokenKeyId, type Principal } from "./auth.ts";
import type { PersonNames } from "./person-ring.ts";

type Store = Pick<KeyStore, "getKey">;

/**
 * Under which names of a list of approvers the caller answers: the own ones and, as a deputy within its dates, those of
 * others. `user:` is a person's id, verified email, or issuer and subject; `role:` and `team:` are the groups of a
 * person; `key:` is the id or the label of a key. A deputy does not answer in the names of `except`: the person who
 * has requested something cannot have it answered under the own name by another person either.
 */
export async function answersAs(
  store: Store,
  principal: Principal,
  except: readonly string[] = [],
): Promise<readonly string[]> {
  const { person, deputyFor } = principal;
  const stoodFor = deputyFor.filter(({ personId }) => !except.includes(personId));
  const persons = person === null ? stoodFor : [person, ...stoodFor];
  return [...new Set([...persons.flatMap(namesOf), ...(await keyNames(store, principal))])];
}

/**
 * The id of a key is its own; a label is whatever its maker chose. It is a name only if the maker may decide who answers:
 * then two keys of one label both have it, as was wanted. A label that is the id of another key names that key alone.
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
