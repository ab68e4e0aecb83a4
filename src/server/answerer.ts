import type { ApprovalRecord, MembershipStore } from "../store/index.ts";
import { NO_PERSON, type Principal } from "./auth.ts";
import type { PersonRing } from "./person-ring.ts";
import type { AnswerCall } from "./routes/approvals.ts";
import { memberPrincipal } from "./session-ring.ts";

/** Who answers from outside. */
export type Answerer = Pick<AnswerCall, "principal" | "address">;

const PAGE = 100;

/** Finds the member of an organisation behind what a channel knows of a person; null: there is none. */
export class Answerers {
  readonly #people: PersonRing;
  readonly #store: Pick<MembershipStore, "listMembers">;

  constructor(people: PersonRing, store: Pick<MembershipStore, "listMembers">) {
    this.#people = people;
    this.#store = store;
  }

  /** Throws `person_disabled`. */
  async byPersonId(orgId: string, personId: string): Promise<Principal | null> {
    const member = await this.#people.memberOf(orgId, personId);
    return member === null ? null : memberPrincipal(orgId, personId, member);
  }

  /** By the address a sign-in has verified. */
  async byEmail(orgId: string, email: string): Promise<Principal | null> {
    for (let cursor: string | null = null; ;) {
      const { data, nextCursor } = await this.#store.listMembers(orgId, { limit: PAGE, cursor });
      const found = data.find((member) => member.email?.toLowerCase() === email.toLowerCase());
      if (found !== undefined) return this.byPersonId(orgId, found.personId);
      if (nextCursor === null) return null;
      cursor = nextCursor;
    }
  }
}

/** A person of whom only the address is known: may answer what is asked of this address, and nothing else. */
export function addressAnswerer(orgId: string, email: string, name = email): Answerer {
  const address = email.toLowerCase();
  const permissions = new Set(["governance:approve"]);
  const holder = { orgId, keyId: `address:${address}`, label: name, agentId: null, permissions, expiresAt: null };
  return { principal: { ...holder, ...NO_PERSON }, address };
}

/** Whether an approval asks for an address by name. */
export function asksAddress({ approvers, hop }: ApprovalRecord, email: string): boolean {
  const wanted = `user:${email.toLowerCase()}`;
  return approvers.slice(0, hop + 1).some(({ who }) => who.toLowerCase() === wanted);
}
