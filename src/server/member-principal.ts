import { ROLES } from "../contract/index.ts";
import type { Principal } from "./auth.ts";
import { permissionsOf } from "./permission.ts";
import type { MemberFacts } from "./person-cache.ts";

/** Returns a member of an organisation as a caller, for any way the person makes requests. */
export function memberPrincipal(orgId: string, { names, label, roles, deputyFor }: MemberFacts): Principal {
  const { personId } = names;
  return {
    orgId,
    keyId: personId,
    label,
    agentId: null,
    permissions: new Set(ROLES.filter((role) => roles.includes(role)).flatMap(permissionsOf)),
    expiresAt: null,
    personId,
    groups: names.groups,
    sessionId: null,
    person: names,
    deputyFor,
  };
}
