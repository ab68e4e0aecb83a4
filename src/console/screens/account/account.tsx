import { type JSX, useState } from "react";
import { api, loadSession, openOrganisation } from "../../live/api.ts";
import { useSession } from "../../live/session-store.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { DeputyPanel } from "./deputy-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import "./account.css";

/** The account page: the signed-in person, their browser sessions, and their deputy. */
export function AccountScreen(): JSX.Element {
  const { label, person, sessionId } = useSession();
  return (
    <>
      <PageHead title="Your account" subtitle={subtitleOf(label, person)} />
      <div className="stack">
        {person !== null && <Identity />}
        {person !== null && <DeputyPanel personId={person.id} />}
        <Organisations />
        {sessionId !== null && <SessionsPanel />}
      </div>
    </>
  );
}

function subtitleOf(label: string, person: object | null): string {
  return person === null ? `Signed in with the key ${label}.` : `Signed in as ${label}.`;
}

function Identity(): JSX.Element {
  const { person, answersAs } = useSession();
  return (
    <Panel title="How approvers are named">
      <p className="muted">A step that lists one of these names as an approver may ask you.</p>
      <ul className="account-names">
        {answersAs.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
      {person?.email === null && (
        <p className="note">Your provider has not verified an email address of yours, so that none names you.</p>
      )}
    </Panel>
  );
}

type Row = ReturnType<typeof useSession>["organisations"][number];

function Organisations(): JSX.Element {
  const { organisations, organisation, sessionId, person, keyId } = useSession();
  const [left, setLeft] = useState<Row | null>(null);
  const isPerson = sessionId !== null && person?.id === keyId;
  const columns: readonly Column<Row>[] = [
    { id: "name", head: "Organisation", cell: ({ name }) => name },
    { id: "roles", head: "Your roles", cell: ({ roles }) => roles.join(", ") || "–" },
    { id: "groups", head: "Your groups", isWide: true, cell: ({ groups }) => groups.join(", ") || "–" },
    {
      id: "action",
      head: "Action",
      cell: (row) => (
        <span className="account-actions">
          {row.id !== organisation && (
            <Button size="small" onClick={() => openOrganisation(row.id)}>
              Open
            </Button>
          )}
          {isPerson && (
            <Button size="small" onClick={() => setLeft(row)}>
              Leave
            </Button>
          )}
        </span>
      ),
    },
  ];
  return (
    <Panel isFlush title="Organisations">
      <Table label="Organisations" columns={columns} rows={organisations} keyOf={({ id }) => id} />
      {left !== null && (
        <Confirm
          title={`Leave ${left.name}?`}
          verb="Leave"
          onClose={() => setLeft(null)}
          onConfirm={async () => {
            await api.people.leaveOrganisation(left.id);
            if (left.id === organisation) location.assign("/");
            else await loadSession();
          }}
        >
          Keys you have made there are revoked, except those of agents. Only an invitation or your provider brings you
          back.
        </Confirm>
      )}
    </Panel>
  );
}
