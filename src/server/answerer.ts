import type { ApprovalRecord } from "../store/index.ts";
import { NO_PERSON, type Principal } from "./auth.ts";
import type { AnswerCall } from "./routes/approvals.ts";

/** Finds the member of an organisation behind what a channel knows of a person; null: there is none. */
export interface Answerers {
  byPersonId(orgId: string, personId: string): Promise<Principal | null>;
  byEmail(orgId: string, email: string): Promise<Principal | null>;
}

/** Who answers from outside. */
export type Answerer = Pick<AnswerCall, "principal" | "address">;

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
