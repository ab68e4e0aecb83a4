import { type JSX, useState } from "react";
import type { Key, KeyWish } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay, useSession } from "../../live/session-store.ts";
import { useAction, useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field } from "../../parts/field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { toast } from "../../parts/toast.tsx";

type Role = NonNullable<KeyWish["role"]>;
const ROLES: readonly (readonly [Role, string])[] = [
  ["viewer", "looks at everything"],
  ["author", "writes workflows too"],
  ["operator", "starts and cancels runs too"],
  ["approver", "answers approvals too"],
  ["admin", "may do everything"],
];

export function KeysTab(): JSX.Element {
  const isAllowed = useMay("keys:manage");
  const { keyId } = useSession();
  const [isMaking, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Key | null>(null);
  const keys = useQuery(isAllowed ? "keys" : null, () => api.listKeys({ limit: 100 }), { tags: ["keys"] });
  if (!isAllowed) return <Empty icon="approval" title="Keys are for those who manage them">Ask for the permission keys:manage.</Empty>;
  if (keys.data === undefined) return keys.problem === null ? <Skeleton lines={6} /> : <ProblemView problem={keys.problem} />;
  const columns: readonly Column<Key>[] = [
    ...COLUMNS,
    {
      id: "revoke",
      head: "",
      cell: (key) =>
        key.revokedAt === null && (
          <Button size="small" disabled={key.id === keyId} title={key.id === keyId ? "You are signed in with it" : ""} onClick={() => setRevoked(key)}>
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <div className="stack">
      <div className="spread">
        <span className="muted">Keys open the API. A key hands on at most what it may do itself.</span>
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New key
        </Button>
      </div>
      <Panel isFlush>
        <Table label="Keys" columns={columns} rows={keys.data.data} keyOf={({ id }) => id} />
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
            toast(`${revoked.label} no longer opens anything.`);
          }}
        >
          Whoever uses it is turned away within two seconds. It cannot be given back.
        </Confirm>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  { id: "label", head: "Label", cell: ({ label }) => label, sortBy: ({ label }) => label },
  {
    id: "may",
    head: "May",
    isWide: true,
    cell: ({ permissions }) => (permissions.length > 5 ? `${permissions.length} permissions` : permissions.join(", ")),
  },
  { id: "agent", head: "Belongs to", cell: ({ agent }) => (agent === null ? "a person" : <code>{agent}</code>) },
  { id: "created", head: "Created", isWide: true, cell: ({ createdAt }) => <TimeText at={createdAt} />, sortBy: ({ createdAt }) => createdAt },
  { id: "expires", head: "Expires", isWide: true, cell: ({ expiresAt }) => (expiresAt === null ? "never" : <TimeText at={expiresAt} />) },
  {
    id: "state",
    head: "State",
    cell: ({ revokedAt, expiresAt }) => {
      if (revokedAt !== null) return <Badge tone="bad">revoked</Badge>;
      const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
      return isOver ? <Badge tone="warn">expired</Badge> : <Badge tone="ok">good</Badge>;
    },
  },
];

function NewKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [label, setLabel] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [agent, setAgent] = useState("");
  const [days, setDays] = useState("90");
  const [secret, setSecret] = useState<string | null>(null);
  const making = useAction(async () => {
    const until = days === "" ? {} : { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() };
    const made = await api.createKey({ label: label.trim(), role, ...(agent.trim() === "" ? {} : { agent: agent.trim() }), ...until });
    cache.invalidate("keys");
    setSecret(made.key);
  });
  if (secret !== null) {
    return (
      <Dialog title="The new key" onClose={onClose} actions={<Button kind="primary" onClick={onClose}>I have kept it</Button>}>
        <div className="settings-secret stack" role="status">
          <p>This is shown once. Keep it where secrets are kept; nobody can show it again.</p>
          <CodeBlock text={secret} label="The new key" isWrapped />
        </div>
        <CodeBlock text={`export SLUICE_URL=${location.origin} SLUICE_KEY=${secret}`} label="For a shell" isWrapped />
      </Dialog>
    );
  }
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button kind="primary" isBusy={making.isBusy} disabled={label.trim() === ""} onClick={() => void making.run()}>
            Create key
          </Button>
        </>
      }
    >
      <div className="settings-form">
        <Field label="Label" isRequired hint="Who or what it is for.">
          <input value={label} maxLength={200} onChange={(event) => setLabel(event.target.value)} />
        </Field>
        <Field label="Role">
          <select value={role} onChange={(event) => setRole(ROLES.find(([id]) => id === event.target.value)?.[0] ?? "viewer")}>
            {ROLES.map(([id, may]) => (
              <option key={id} value={id}>
                {id}: {may}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Agent" hint="Only for a key an agent uses.">
          <input value={agent} onChange={(event) => setAgent(event.target.value)} />
        </Field>
        <Field label="Expires">
          <select value={days} onChange={(event) => setDays(event.target.value)}>
            <option value="7">in 7 days</option>
            <option value="30">in 30 days</option>
            <option value="90">in 90 days</option>
            <option value="365">in a year</option>
            <option value="">never</option>
          </select>
        </Field>
        {making.problem !== null && <ProblemView problem={making.problem} />}
      </div>
    </Dialog>
  );
}
