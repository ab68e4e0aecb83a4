import { type JSX, type ReactNode, useState } from "react";
import type { Registered } from "../../client/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { Link, navigate } from "../page/router.tsx";
import { api } from "../live/api.ts";
import { useMay } from "../live/session-store.ts";
import { ENTRIES_MAX } from "../live/every-page.ts";
import { useQuery } from "../live/use-query.ts";
import { useRegistered } from "../live/use-registered.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { grouped } from "../parts/figures.ts";
import { Panel } from "../parts/panel.tsx";
import { ProblemView } from "../parts/problem-view.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { TimeText } from "../parts/time-text.tsx";
import { type ManifestKind, nounOf, pluralOf, specOfKind } from "./manifest-kind.ts";
import { printYaml } from "../../core/text/index.ts";
import { SpecEditor } from "./spec-editor.tsx";
import type { SpecFormParts } from "./spec-form.tsx";
import "./manifest.css";

/** Placeholder in the address for an entry that has no name yet. */
export const NEW_ID = "-";

export interface RegistryTabProps extends SpecFormParts {
  readonly kind: ManifestKind & { readonly collection: Exclude<ManifestKind["collection"], "gateways"> };
  /** Address of the tab, such as `/settings/teams`. */
  readonly base: string;
  /** Name of the open entry. Undefined for the list. */
  readonly id: string | undefined;
  readonly columns: readonly Column<Registered>[];
  /** Initial text of a new entry, with some fields already chosen. */
  readonly sample?: string;
  /** Content beside the editor: facts about an entry that its spec does not contain. */
  readonly beside?: (entry: Registered | null, spec: JsonObject | null) => ReactNode;
}

/** Shows all entries of a kind as a list, and each entry in an editor for its spec. */
export function RegistryTab(props: RegistryTabProps): JSX.Element {
  const { kind, base, id, columns } = props;
  const { collection } = kind;
  const mayWrite = useMay(kind.permission);
  const found = useRegistered(collection);
  if (found.data === undefined)
    return found.problem === null ? <Skeleton lines={6} height={28} /> : <ProblemView problem={found.problem} />;
  if (id !== undefined) return <Entry key={id} {...props} id={id} />;
  const add = (
    <Button kind="primary" icon="plus" disabled={!mayWrite} onClick={() => navigate(`${base}/${NEW_ID}`)}>
      New {nounOf(kind)}
    </Button>
  );
  if (found.data.length === 0) {
    return (
      <Empty title={`No ${pluralOf(kind)} yet`} action={add} command="sluice apply -f manifests.yaml">
        {kind.purpose}
      </Empty>
    );
  }
  return (
    <div className="stack">
      <div className="spread">
        <span className="muted">{kind.purpose}</span>
        {add}
      </div>
      <Panel isFlush>
        <Table
          label={`All ${pluralOf(kind)}`}
          columns={[idColumn(base), ...columns, changedColumn]}
          rows={found.data}
          keyOf={(entry) => entry.id}
          onOpen={(entry) => navigate(`${base}/${encodeURIComponent(entry.id)}`)}
        />
      </Panel>
      {found.data.length === ENTRIES_MAX && (
        <p className="muted">The first {grouped(ENTRIES_MAX)} are shown; the rest is in the API.</p>
      )}
    </div>
  );
}

function idColumn(base: string): Column<Registered> {
  return {
    id: "id",
    head: "Name",
    cell: ({ id }) => <Link to={`${base}/${encodeURIComponent(id)}`}>{id}</Link>,
    sortBy: ({ id }) => id,
  };
}

const changedColumn: Column<Registered> = {
  id: "changed",
  head: "Changed",
  isWide: true,
  cell: ({ updatedAt }) => (updatedAt === null ? <span className="muted">built in</span> : <TimeText at={updatedAt} />),
  sortBy: ({ updatedAt }) => updatedAt,
};

function Entry({
  kind,
  base,
  id,
  sample,
  beside,
  below,
  offersFor,
}: RegistryTabProps & { readonly id: string }): JSX.Element {
  const isNew = id === NEW_ID;
  const { collection } = kind;
  const [spec, setSpec] = useState<JsonObject | null>(null);
  const found = useQuery(isNew ? null : `${collection}:${id}`, () => api.getRegistered(collection, id), {
    tags: [collection],
  });
  const entry = isNew ? null : (found.data ?? null);
  const back = <Link to={base}>All {pluralOf(kind)}</Link>;
  if (!isNew && entry === null) {
    if (found.problem === null) return <Skeleton lines={6} />;
    return (
      <div className="stack">
        <ProblemView problem={found.problem} />
        {back}
      </div>
    );
  }
  return (
    <SpecEditor
      key={entry?.revision ?? NEW_ID}
      kind={kind}
      id={isNew ? null : id}
      title={isNew ? `New ${nounOf(kind)}` : id}
      back={back}
      beside={beside?.(entry, spec)}
      below={below}
      offersFor={offersFor}
      initial={entry === null ? (sample ?? kind.sample) : printYaml(specOfKind(kind, entry))}
      isBuiltIn={entry?.revision === 0}
      onSpec={setSpec}
      onSaved={(name) => {
        if (isNew) navigate(`${base}/${encodeURIComponent(name)}`);
      }}
      onDeleted={() => navigate(base)}
    />
  );
}
