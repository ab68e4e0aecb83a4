import { isPersonId, isTokenKeyId, type Principal } from "./auth.ts";
import type { PersonNames } from "./person-ring.ts";

/**
 * Under which names of a list of approvers the caller answers: the own ones and, as a deputy within its dates, those of
 * others. `user:` is a person's id, verified email, or issuer and subject; `role:` and `team:` are the groups of a
 * person; `key:` is the id or the label of a key. A deputy does not answer in the names of `except`: the person who
 * has requested something cannot have it answered under the own name by another person either.
 */
export function answersAs(principal: Principal, except: readonly string[] = []): readonly string[] {
  const { keyId, label, person, deputyFor } = principal;
  const keyNames = isPersonId(keyId) || isTokenKeyId(keyId) ? [] : [`key:${keyId}`, `key:${label}`];
  const stoodFor = deputyFor.filter(({ personId }) => !except.includes(personId));
  const persons = person === null ? stoodFor : [person, ...stoodFor];
  return [...new Set([...persons.flatMap(namesOf), ...keyNames])];
}

function namesOf({ personId, issuer, subject, email, groups }: PersonNames): readonly string[] {
  return [
    `user:${personId}`,
    ...(email === null ? [] : [`user:${email}`]),
    `user:${issuer} ${subject}`,
    ...groups.flatMap((group) => [`role:${group}`, `team:${group}`]),
  ];
}
