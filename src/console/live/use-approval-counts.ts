import { api } from "./api.ts";
import { useMay } from "./session-store.ts";
import { useQuery } from "./use-query.ts";

/** Returns how many approvals are pending, and how many of them the signed-in person may answer. */
export function useApprovalCounts() {
  const mayRead = useMay("governance:read");
  return useQuery(mayRead ? "approvals/counts" : null, () => api.approvals.counts(), {
    tags: ["approvals"],
    freshMs: 2_000,
  });
}
