import type { MembershipStore } from "../store/index.ts";
import type { Answerers } from "./answerer.ts";
import type { Principal } from "./auth.ts";
import { memberPrincipal } from "./member-principal.ts";
import type { PersonCache } from "./person-cache.ts";
import { Refused } from "./problem.ts";

/** Finds members who answer through a channel: by a link that was sent to them, or in a chat. */
export function memberAnswerers(store: Pick<MembershipStore, "findMembers">, people: PersonCache): Answerers {
  const byPersonId = async (orgId: string, personId: string): Promise<Principal | null> => {
    try {
      const member = await people.memberOf(orgId, personId);
      return member === null ? null : memberPrincipal(orgId, member);
    } catch (error) {
      // A disabled person may not answer through any channel.
      if (error instanceof Refused) return null;
      throw error;
    }
  };
  return {
    byPersonId,
    byEmail: async (orgId, email) => {
      const [member] = await store.findMembers(orgId, { emails: [email] });
      return member === undefined ? null : byPersonId(orgId, member.personId);
    },
  };
}
