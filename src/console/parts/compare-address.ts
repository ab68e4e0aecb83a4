import type { Run } from "../../client/index.ts";

/** Where two runs are compared; without the second one it is asked for. */
export function compareAddress(leftId: string, rightId?: string): string {
  const base = `/runs/${encodeURIComponent(leftId)}/compare`;
  return rightId === undefined ? base : `${base}/${encodeURIComponent(rightId)}`;
}

/** The one that began first on the left, as before and after are read. */
export function compareInOrder(one: Pick<Run, "id" | "createdAt">, other: Pick<Run, "id" | "createdAt">): string {
  return one.createdAt <= other.createdAt ? compareAddress(one.id, other.id) : compareAddress(other.id, one.id);
}
