import { api } from "./api.ts";
import { useMay } from "./session-store.ts";
import { useQuery } from "./use-query.ts";

const SHOWN_MAX = 50;

/** Returns the pending approvals, those that expire first at the top. */
export function usePendingApprovals() {
  const mayRead = useMay("governance:read");
  return useQuery(
    mayRead ? "approvals?status=pending" : null,
    () => api.listApprovals({ status: "pending", order: "expiring", limit: SHOWN_MAX }),
    { tags: ["approvals"], freshMs: 5_000 },
  );
}
