import type { MemberRole } from "../../../client/index.ts";

/** The roles of keys and people, each with its permissions in words. */
export const ROLE_TEXTS: readonly (readonly [MemberRole, string])[] = [
  ["viewer", "looks at everything"],
  ["author", "writes workflows too"],
  ["operator", "starts and cancels runs too"],
  ["approver", "answers approvals too"],
  ["admin", "may do everything"],
];

/** Names separated by commas. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])))];
}
