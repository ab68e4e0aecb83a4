import { type JSX, useState } from "react";
import type { Invitation, Person } from "../../../client/index.ts";
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
import { Badge, type Tone } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { toast } from "../../parts/toast.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MemberDialog } from "./member-dialog.tsx";

type Shown =
  | { readonly type: "invite" }
  | { readonly type: "change" | "remove"; readonly person: Person }
  | { readonly type: "revoke"; readonly invitation: Invitation };

/** Members of the organisation, and open invitations. */
export function PeopleTab(): JSX.Element {
  const mayRead = useMay("governance:read");
  const mayManage = useMay("keys:manage");
  const [shown, setShown] = useState<Shown | null>(null);
  const people = useQuery(mayRead ? "people" : null, () => everyPage((page) => api.people.list(page)), {
    tags: ["people"],
  });
  if (!mayRead) {
    return (
      <Empty icon="user" title="You may not see people">
        Ask for the permission governance:read.
      </Empty>
    );
  }
  if (people.data === undefined)
    return people.problem === null ? <Skeleton lines={6} /> : <ProblemView problem={people.problem} />;
  return (
    <div className="stack">
      <div className="spread">
        <span className="muted">
          People who sign in. Roles are what they may do; groups are how approvers are named.
        </span>
        {mayManage && (
          <Button kind="primary" icon="plus" onClick={() => setShown({ type: "invite" })}>
            Invite
          </Button>
        )}
      </div>
      <Panel isFlush>
        {people.data.length === 0 ? (
          <Empty
            icon="user"
            title="No person has signed in yet"
            command="sluice people invite ann@example.com --role viewer"
          >
            Invite a person, or set up a provider with <code className="nowrap">--sign-in</code>.
          </Empty>
        ) : (
          <Table
            label="People"
            columns={mayManage ? [...COLUMNS, actionsColumn(setShown)] : COLUMNS}
            rows={people.data}
            keyOf={({ id }) => id}
          />
        )}
      </Panel>
      {mayManage && <Invitations onRevoke={(invitation) => setShown({ type: "revoke", invitation })} />}
      <Shown shown={shown} onClose={() => setShown(null)} />
    </div>
  );
}

function Shown({ shown, onClose }: { readonly shown: Shown | null; readonly onClose: () => void }): JSX.Element | null {
  const { person: self } = useSession();
  if (shown === null) return null;
  if (shown.type === "invite") return <InviteDialog onClose={onClose} />;
  if (shown.type === "change") return <MemberDialog person={shown.person} onClose={onClose} />;
  if (shown.type === "revoke") {
    const { id, email } = shown.invitation;
    return (
      <Confirm
        title={`Revoke the invitation of ${email}?`}
        verb="Revoke"
        onClose={onClose}
        onConfirm={async () => {
          await api.people.revokeInvitation(id);
          cache.invalidate("people");
        }}
      >
        Its link no longer works.
      </Confirm>
    );
  }
  const { id, label } = shown.person;
  return (
    <Confirm
      title={`Remove ${label}?`}
      verb="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await api.people.remove(id);
        cache.invalidate("people", "keys");
        toast(`${label} is no member any more.`, "info");
      }}
    >
      {id === self?.id ? "This is you. " : ""}Keys this person has made are revoked, except those of agents. Roles that
      the provider gives come back at the next sign-in.
    </Confirm>
  );
}

function Invitations({ onRevoke }: { readonly onRevoke: (invitation: Invitation) => void }): JSX.Element | null {
  const invitations = useQuery("invitations", () => api.people.listInvitations({ limit: 50 }), { tags: ["people"] });
  if (invitations.problem !== null) return <ProblemView problem={invitations.problem} />;
  if (invitations.data === undefined || invitations.data.data.length === 0) return null;
  const columns: readonly Column<Invitation>[] = [
    { id: "email", head: "Email", cell: ({ email }) => email, sortBy: ({ email }) => email },
    { id: "roles", head: "Roles", cell: ({ roles }) => roles.join(", ") },
    { id: "groups", head: "Groups", isWide: true, cell: ({ groups }) => groups.join(", ") || "–" },
    { id: "until", head: "Valid until", isWide: true, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    { id: "state", head: "State", cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
    {
      id: "action",
      head: "Action",
      cell: (invitation) =>
        invitation.state === "open" && (
          <Button size="small" onClick={() => onRevoke(invitation)}>
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <Panel isFlush title="Invitations">
      <Table label="Invitations" columns={columns} rows={invitations.data.data} keyOf={({ id }) => id} />
    </Panel>
  );
}

const TONES: Readonly<Record<Invitation["state"], Tone>> = {
  open: "info",
  accepted: "ok",
  revoked: "bad",
  expired: "warn",
};

const COLUMNS: readonly Column<Person>[] = [
  {
    id: "person",
    head: "Person",
    cell: ({ label, name, isDisabled }) => (
      <span className="person-cell">
        <span>{label}</span>
        {name !== label && <span className="muted">{name}</span>}
        {isDisabled && <Badge tone="bad">disabled</Badge>}
      </span>
    ),
    sortBy: ({ label }) => label,
  },
  { id: "roles", head: "Roles", cell: ({ roles }) => namesOf(roles) },
  { id: "groups", head: "Groups", cell: ({ groups }) => namesOf(groups) },
  {
    id: "deputy",
    head: "Deputy",
    isWide: true,
    cell: ({ deputy }) =>
      deputy === null ? (
        "–"
      ) : (
        <span>
          {deputy.label} until <TimeText at={deputy.until} />
        </span>
      ),
  },
  {
    id: "joined",
    head: "Since",
    isWide: true,
    cell: ({ joinedAt }) => <TimeText at={joinedAt} />,
    sortBy: ({ joinedAt }) => joinedAt,
  },
];

function namesOf(items: Person["roles"]): string {
  return items.map(({ name }) => name).join(", ") || "–";
}

function actionsColumn(onAct: (shown: Shown) => void): Column<Person> {
  return {
    id: "action",
    head: "Action",
    cell: (person) => (
      <span className="person-actions">
        <Button size="small" onClick={() => onAct({ type: "change", person })}>
          Change
        </Button>
        <Button
          size="small"
          label={`Remove ${person.label}`}
          icon="cross"
          onClick={() => onAct({ type: "remove", person })}
        />
      </span>
    ),
  };
}
