import type { Clock } from "../../clock/index.ts";
import { approverNames, groupsOf, type MemberRecord, type MembershipStore, rolesOf } from "../../store/index.ts";

/** Who a message is for. */
export interface Recipient {
  /** Null: only the address is known. */
  readonly personId: string | null;
  readonly email: string;
  readonly name: string;
}

/** Finds the people behind the names of an approval. */
export interface Recipients {
  /** `approvers`: `user:…`, `role:…`, `team:…`, `key:…`; none: all who may approve. */
  forApproval(orgId: string, approvers: readonly string[]): Promise<readonly Recipient[]>;
  /** The person with an address; null: it belongs to none that is known. */
  forAddress(orgId: string, email: string): Promise<Recipient | null>;
}

export interface MemberRecipientsOptions {
  readonly store: Pick<MembershipStore, "listMembers">;
  readonly clock: Pick<Clock, "now">;
  /** Whether roles of an organisation let their holder approve. */
  readonly mayApprove: (roles: readonly string[]) => boolean;
}

const PAGE = 100;
/** So many people are asked at most; a larger organisation names approvers. */
const MEMBERS_MAX = 5_000;
const USER_ADDRESS = /^user:([^\s@]+@[^\s@]+)$/;

/**
 * The members of an organisation, with the addresses their sign-in has verified. A deputy within its dates is asked
 * beside the member. An approver that is written as an address of no member is written to at that address.
 */
export class MemberRecipients implements Recipients {
  readonly #options: MemberRecipientsOptions;

  constructor(options: MemberRecipientsOptions) {
    this.#options = options;
  }

  async forApproval(orgId: string, approvers: readonly string[]): Promise<readonly Recipient[]> {
    const { mayApprove } = this.#options;
    const members = await this.#membersOf(orgId);
    const wanted = new Set(approvers.map((who) => who.toLowerCase()));
    const asked = members.filter((member) =>
      wanted.size === 0
        ? mayApprove(rolesOf(member))
        : approverNames({ ...member, groups: groupsOf(member) }).some((who) => wanted.has(who.toLowerCase())),
    );
    const deputies = asked.flatMap((member) => this.#deputyOf(member, members));
    const known = [...asked, ...deputies].flatMap(recipientOf);
    const addresses = new Set(members.map(({ email }) => email?.toLowerCase()));
    const others = addressesIn(approvers).filter((email) => !addresses.has(email.toLowerCase()));
    return [...known, ...others.map((email) => ({ personId: null, email, name: email }))];
  }

  async forAddress(orgId: string, email: string): Promise<Recipient | null> {
    const members = await this.#membersOf(orgId);
    const found = members.find((member) => member.email?.toLowerCase() === email.toLowerCase());
    return found === undefined ? null : (recipientOf(found)[0] ?? null);
  }

  #deputyOf({ deputyId, deputyFrom, deputyUntil }: MemberRecord, all: readonly MemberRecord[]): readonly MemberRecord[] {
    const now = this.#options.clock.now();
    if (deputyId === null || (deputyFrom ?? 0) > now || (deputyUntil ?? 0) <= now) return [];
    return all.filter(({ personId }) => personId === deputyId);
  }

  async #membersOf(orgId: string): Promise<readonly MemberRecord[]> {
    const members: MemberRecord[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await this.#options.store.listMembers(orgId, { limit: PAGE, cursor });
      members.push(...page.data.filter(({ isDisabled }) => !isDisabled));
      cursor = page.nextCursor;
      if (cursor === null || members.length >= MEMBERS_MAX) return members;
    }
  }
}

/** Without a verified address a person cannot be written to. */
function recipientOf({ personId, email, name }: MemberRecord): readonly Recipient[] {
  return email === null ? [] : [{ personId, email, name }];
}

function addressesIn(approvers: readonly string[]): readonly string[] {
  return approvers.flatMap((who) => {
    const email = USER_ADDRESS.exec(who)?.[1];
    return email === undefined ? [] : [email];
  });
}
