/** The permissions of each role. */
import { type Permission, PERMISSIONS, type MemberRole } from "../contract/index.ts";

const READING = PERMISSIONS.filter((permission) => permission.endsWith(":read"));

const PERMISSIONS_OF: Readonly<Record<MemberRole, readonly Permission[]>> = {
  viewer: READING,
  author: [...READING, "workflow:write"],
  operator: [...READING, "workflow:execute", "run:cancel"],
  approver: [...READING, "governance:approve"],
  admin: PERMISSIONS,
};

export function permissionsOf(role: MemberRole): readonly Permission[] {
  return PERMISSIONS_OF[role];
}
