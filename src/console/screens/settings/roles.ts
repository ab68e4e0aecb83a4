import type { KeyRequest } from "../../../client/index.ts";

export type Role = NonNullable<KeyRequest["role"]>;

/** What keys and people may do, in words. */
export const ROLES: readonly (readonly [Role, string])[] = [
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
