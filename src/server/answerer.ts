import type { ApprovalRecord } from "../store/index.ts";
import { NO_PERSON, type Principal } from "./auth.ts";
import type { AnswerCall } from "./routes/approvals.ts";

/** Finds the member of an organisation by the data a channel has of a person; null when there is none. */
export interface Answerers {
  byPersonId(orgId: string, personId: string): Promise<Principal | null>;
  byEmail(orgId: string, email: string): Promise<Principal | null>;
}

/** A caller who answers through a channel. */
export type Answerer = Pick<AnswerCall, "principal" | "address">;

/** Returns a person known only by an address, who may answer approvals that ask this address, and nothing else. */
export function addressAnswerer(orgId: string, email: string, name = email): Answerer {
  const address = email.toLowerCase();
  const permissions = new Set(["governance:approve"]);
  const holder = { orgId, keyId: `address:${address}`, label: name, agentId: null, permissions, expiresAt: null };
  return { principal: { ...holder, ...NO_PERSON }, address };
}

/** Checks whether an approval asks for an address by name. */
export function asksAddress({ approvers, hop }: ApprovalRecord, email: string): boolean {
  const wanted = `user:${email.toLowerCase()}`;
  return approvers.slice(0, hop + 1).some(({ who }) => who.toLowerCase() === wanted);
}
