import { type JSX, useState } from "react";
import type { Key } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { everyPage } from "../../live/every-page.ts";
import { useMay, useSession } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { toast } from "../../parts/toast.tsx";
import { NewKey } from "./new-key.tsx";

export function KeysTab(): JSX.Element {
  const isAllowed = useMay("keys:manage");
  const { keyId } = useSession();
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Key | null>(null);
  const keys = useQuery(isAllowed ? "keys" : null, () => everyPage((page) => api.listKeys(page)), { tags: ["keys"] });
  if (!isAllowed)
    return (
      <Empty icon="approval" title="You may not manage keys">
        Ask for the permission keys:manage.
      </Empty>
    );
  if (keys.data === undefined)
    return keys.problem === null ? <Skeleton lines={6} /> : <ProblemView problem={keys.problem} />;
  const columns: readonly Column<Key>[] = [
    ...COLUMNS,
    {
      id: "revoke",
      head: "Action",
      cell: (key) =>
        key.revokedAt === null && (
          <Button
            size="small"
            disabled={key.id === keyId}
            title={key.id === keyId ? "You are signed in with it" : ""}
            onClick={() => setRevoked(key)}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <div className="stack">
      <div className="spread">
        <span className="muted">Keys give access to the API. A key can grant at most its own permissions.</span>
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New key
        </Button>
      </div>
      <Panel isFlush>
        <Table label="Keys" columns={columns} rows={keys.data} keyOf={({ id }) => id} />
      </Panel>
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {revoked !== null && (
        <Confirm
          title={`Revoke ${revoked.label}?`}
          verb="Revoke"
          onClose={() => setRevoked(null)}
          onConfirm={async () => {
            await api.revokeKey(revoked.id);
            cache.invalidate("keys");
            toast(`Key ${revoked.label} is revoked.`, "info");
          }}
        >
          Requests with it are refused within two seconds. This cannot be undone.
        </Confirm>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  { id: "label", head: "Label", cell: ({ label }) => label, sortBy: ({ label }) => label },
  {
    id: "may",
    head: "Permissions",
    isWide: true,
    cell: ({ permissions }) => (permissions.length > 5 ? `${permissions.length} permissions` : permissions.join(", ")),
  },
  { id: "agent", head: "Owner", cell: ({ agent }) => (agent === null ? "a person" : <code>{agent}</code>) },
  {
    id: "created",
    head: "Created",
    isWide: true,
    cell: ({ createdAt }) => <TimeText at={createdAt} />,
    sortBy: ({ createdAt }) => createdAt,
  },
  {
    id: "expires",
    head: "Expires",
    isWide: true,
    cell: ({ expiresAt }) => (expiresAt === null ? "never" : <TimeText at={expiresAt} />),
  },
  {
    id: "state",
    head: "State",
    cell: ({ revokedAt, expiresAt }) => {
      if (revokedAt !== null) return <Badge tone="bad">revoked</Badge>;
      const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
      return isOver ? <Badge tone="warn">expired</Badge> : <Badge tone="ok">active</Badge>;
    },
  },
];
