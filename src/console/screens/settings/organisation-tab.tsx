import { type JSX, useState } from "react";
import type { OrganisationLimitsView } from "../../../client/index.ts";
import { api, loadSession, openOrganisation } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { useMay, useSession } from "../../live/session-store.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { fileSize } from "../../parts/file-size.ts";
import { Field } from "../../parts/field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";

/** Shows and edits the name of the organisation, and creates further organisations. */
export function OrganisationTab(): JSX.Element {
  const mayManage = useMay("keys:manage");
  const mayGovern = useMay("governance:read");
  const { organisation, organisations } = useSession();
  const name = organisations.find(({ id }) => id === organisation)?.name ?? organisation ?? "";
  return (
    <div className="stack">
      <Panel title={name}>
        <p className="muted">
          Its id is <code>{organisation}</code>. Workflows, runs, keys and people belong to one organisation and cannot
          be seen from another.
        </p>
        {mayManage && organisation !== null && <NameForm key={name} id={organisation} name={name} />}
      </Panel>
      {mayGovern && organisation !== null && <Limits id={organisation} />}
      {mayManage && <NewOrganisation />}
    </div>
  );
}

function NameForm({ id, name }: { readonly id: string; readonly name: string }): JSX.Element {
  const [draft, setDraft] = useState(name);
  const saving = useAction(async () => {
    await api.people.renameOrganisation(id, draft.trim());
    await loadSession();
    toast("The organisation is renamed.", "info");
  });
  return (
    <form
      className="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void saving.run();
      }}
    >
      <Field label="Name" hint="For people; the id stays.">
        <input value={draft} maxLength={100} onChange={({ target }) => setDraft(target.value)} />
      </Field>
      <div>
        <Button type="submit" isBusy={saving.isBusy} disabled={draft.trim() === "" || draft.trim() === name}>
          Rename
        </Button>
      </div>
      {saving.problem !== null && <ProblemView problem={saving.problem} />}
    </form>
  );
}

type Limit = OrganisationLimitsView["limits"][number];

const LIMIT_LABELS: Readonly<Record<string, string>> = {
  starts_per_minute: "Starts a minute",
  starts_per_minute_per_key: "Starts a minute by you",
  open_runs: "Open runs",
  nodes_per_second: "Nodes a second",
  storage_bytes: "Storage",
  streams: "Open streams",
};

function amount({ name }: Limit, value: number): string {
  return name === "storage_bytes" ? fileSize(value) : value.toLocaleString("en");
}

const LIMIT_COLUMNS: readonly Column<Limit>[] = [
  { id: "name", head: "Limit", cell: ({ name }) => LIMIT_LABELS[name] ?? name },
  { id: "used", head: "Used", isNumber: true, cell: (limit) => amount(limit, limit.used) },
  {
    id: "limit",
    head: "At most",
    isNumber: true,
    cell: (limit) => (limit.limit === null ? "no limit" : amount(limit, limit.limit)),
  },
];

/** The limits that the operator of the server has set for the organisation. */
function Limits({ id }: { readonly id: string }): JSX.Element {
  const shown = useQuery(`limits:${id}`, () => api.people.limitsOf(id));
  return (
    <Panel title="Limits">
      <p className="muted">The operator of the server sets them. What is beyond a limit is refused, or waits.</p>
      {shown.problem !== null && <ProblemView problem={shown.problem} />}
      {shown.data !== undefined && (
        <Table label="Limits" columns={LIMIT_COLUMNS} rows={shown.data.limits} keyOf={({ name }) => name} />
      )}
    </Panel>
  );
}

function NewOrganisation(): JSX.Element {
  const [id, setId] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const making = useAction(async () => {
    const made = await api.people.createOrganisation({ id: id.trim() });
    if (made.key === null) openOrganisation(made.id);
    else setSecret(made.key.key);
  });
  return (
    <Panel title="New organisation">
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void making.run();
        }}
      >
        <Field label="Id" hint="1 to 64 letters, digits, _, . or -; part of addresses.">
          <input value={id} maxLength={64} onChange={({ target }) => setId(target.value)} />
        </Field>
        <div>
          <Button type="submit" isBusy={making.isBusy} disabled={id.trim() === ""}>
            Create organisation
          </Button>
        </div>
        {making.problem !== null && <ProblemView problem={making.problem} />}
        {secret !== null && (
          <div className="settings-secret stack" role="status">
            <p>You are signed in with a key. The admin key of the new organisation is shown once:</p>
            <CodeBlock text={secret} label="The admin key" isWrapped />
          </div>
        )}
      </form>
    </Panel>
  );
}
