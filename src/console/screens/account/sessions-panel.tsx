import type { JSX } from "react";
import type { BrowserSession } from "../../../client/index.ts";
import { api, signOut } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { browserName } from "./browser-name.ts";

/** The browsers in which a person is signed in. */
export function SessionsPanel(): JSX.Element {
  const sessions = useQuery("sessions", () => api.people.listSessions(), { everyMs: 30_000 });
  const ending = useAction(async ({ id, isCurrent }: BrowserSession) => {
    if (isCurrent) return signOut();
    await api.people.revokeSession(id);
    await sessions.refresh();
  });
  const columns: readonly Column<BrowserSession>[] = [
    {
      id: "browser",
      head: "Browser",
      cell: ({ userAgent, isCurrent }) => (
        <span className="account-browser">
          <span title={userAgent}>{browserName(userAgent)}</span>
          {isCurrent && <Badge tone="ok">this one</Badge>}
        </span>
      ),
    },
    { id: "ip", head: "From", isWide: true, cell: ({ ip }) => ip || "–" },
    { id: "began", head: "Signed in", isWide: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
    { id: "seen", head: "Last used", cell: ({ lastSeenAt }) => <TimeText at={lastSeenAt} /> },
    {
      id: "action",
      head: "Action",
      cell: (session) => (
        <Button size="small" isBusy={ending.isBusy} onClick={() => void ending.run(session)}>
          {session.isCurrent ? "Sign out" : "End"}
        </Button>
      ),
    },
  ];
  const problem = sessions.problem ?? ending.problem;
  return (
    <Panel isFlush title="Sessions">
      {problem !== null && <ProblemView problem={problem} />}
      {sessions.data === undefined && problem === null && <Skeleton />}
      {sessions.data !== undefined && (
        <Table label="Sessions" columns={columns} rows={sessions.data.data} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}
