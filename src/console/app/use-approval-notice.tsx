import { useLive } from "../live/connection.ts";
import { useMay } from "../live/session-store.ts";
import { toast } from "../parts/toast.tsx";
import { Link, usePlace } from "../page/router.tsx";

/** Shows a notice when a run or a launch waits for approval, to people who may answer and are on another page. */
export function useApprovalNotice(): void {
  const { path } = usePlace();
  const mayAnswer = useMay("governance:approve");
  useLive((messages) => {
    for (const message of messages) {
      if (message.type !== "approval" || message.pending.length === 0 || !mayAnswer) continue;
      const isSeen = path === "/approvals" || path === `/runs/${message.runId}`;
      if (isSeen) continue;
      const [id = ""] = message.pending;
      const what = message.runId === null ? "A launch" : "A run";
      toast(<Link to={`/approvals?id=${encodeURIComponent(id)}`}>{what} waits for approval</Link>, "info");
    }
  });
}
