import { api } from "./api.ts";
import { useMay } from "./session-store.ts";
import { useQuery } from "./use-query.ts";

/** More than these are shown as `99+`. */
export const PENDING_MAX = 100;

/** The approvals that wait for an answer. */
export function usePendingApprovals() {
  const mayRead = useMay("governance:read");
  return useQuery(
    mayRead ? "approvals?status=pending" : null,
    () => api.listApprovals({ status: "pending", limit: PENDING_MAX }),
    { tags: ["approvals"], freshMs: 5_000 },
  );
}
