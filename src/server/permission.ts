/** What a key may be allowed to do, and the roles that stand for several of them. */
export const PERMISSIONS = [
  "workflow:read",
  "workflow:write",
  "workflow:execute",
  "run:read",
  "run:cancel",
  "governance:read",
  "governance:approve",
  "governance:write",
  "registry:write",
  "audit:read",
  "keys:manage",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ["viewer", "author", "operator", "approver", "admin"] as const;
export type Role = (typeof ROLES)[number];

const READING = PERMISSIONS.filter((permission) => permission.endsWith(":read"));

const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: READING,
  author: [...READING, "workflow:write"],
  operator: [...READING, "workflow:execute", "run:cancel"],
  approver: [...READING, "governance:approve"],
  admin: PERMISSIONS,
};

export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS_OF[role];
}
