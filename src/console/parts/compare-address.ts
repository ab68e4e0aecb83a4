import type { Run } from "../../client/index.ts";

/** Returns the address of a comparison of two runs. Without a second run, the page asks for it. */
export function compareAddress(leftId: string, rightId?: string): string {
  const base = `/runs/${encodeURIComponent(leftId)}/compare`;
  return rightId === undefined ? base : `${base}/${encodeURIComponent(rightId)}`;
}

/** Returns the address with the older run on the left, in the order before and after. */
export function compareInOrder(one: Pick<Run, "id" | "createdAt">, other: Pick<Run, "id" | "createdAt">): string {
  return one.createdAt <= other.createdAt ? compareAddress(one.id, other.id) : compareAddress(other.id, one.id);
}
