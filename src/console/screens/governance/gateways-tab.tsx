import type { JSX } from "react";
import type { Gateway } from "../../../client/index.ts";
import { Link, navigate } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge, StatusBadge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { gatewaySpecOf, KINDS } from "../../manifest/manifest-kind.ts";
import { printYaml } from "../../../core/text/index.ts";
import { NEW_ID } from "../../manifest/registry-tab.tsx";
import { SpecEditor } from "../../manifest/spec-editor.tsx";

const BASE = "/governance/gateways";

export function GatewaysTab({ id }: { readonly id: string | undefined }): JSX.Element {
  const mayWrite = useMay("registry:write");
  const found = useQuery("gateways", () => api.listGateways(), { tags: ["gateways"], everyMs: 10_000 });
  if (id !== undefined) return <Shown key={id} id={id} />;
  if (found.data === undefined)
    return found.problem === null ? <Skeleton lines={4} /> : <ProblemView problem={found.problem} />;
  return (
    <div className="stack">
      <div className="spread">
        <span className="muted">{KINDS.gateways.purpose} A Bridge registers itself with a join token.</span>
        <Button kind="primary" icon="plus" disabled={!mayWrite} onClick={() => navigate(`${BASE}/${NEW_ID}`)}>
          New gateway
        </Button>
      </div>
      <Panel isFlush>
        <Table
          label="All gateways"
          columns={COLUMNS}
          rows={found.data.data}
          keyOf={(gateway) => gateway.id}
          onOpen={(gateway) => navigate(`${BASE}/${encodeURIComponent(gateway.id)}`)}
        />
      </Panel>
    </div>
  );
}

const COLUMNS: readonly Column<Gateway>[] = [
  {
    id: "id",
    head: "Name",
    cell: ({ id, default: isDefault }) => (
      <span className="row">
        <Link to={`${BASE}/${encodeURIComponent(id)}`}>{id}</Link>
        {isDefault && <Badge>default</Badge>}
      </span>
    ),
    sortBy: ({ id }) => id,
  },
  {
    id: "status",
    head: "Health",
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
  },
  {
    id: "where",
    head: "Address",
    cell: ({ url }) => (url === null ? "this server" : <code className="manifest-cell">{url}</code>),
  },
  { id: "trust", head: "Minimum trust", isNumber: true, isWide: true, cell: ({ minTrustLevel }) => minTrustLevel },
  { id: "providers", head: "Providers", isWide: true, cell: ({ providers }) => providers.join(", ") },
  { id: "seen", head: "Last seen", isWide: true, cell: ({ seenAt }) => <TimeText at={seenAt} /> },
];

function Shown({ id }: { readonly id: string }): JSX.Element {
  const isNew = id === NEW_ID;
  const found = useQuery(isNew ? null : `gateway:${id}`, () => api.getGateway(id), {
    tags: ["gateways"],
    everyMs: 10_000,
  });
  const gateway = found.data ?? null;
  if (!isNew && gateway === null)
    return found.problem === null ? <Skeleton lines={6} /> : <ProblemView problem={found.problem} />;
  const initial = gateway === null ? KINDS.gateways.sample : printYaml(gatewaySpecOf(gateway));
  const title = isNew ? "New gateway" : id;
  const back = <Link to={BASE}>All gateways</Link>;
  const health = gateway === null ? null : <Health gateway={gateway} />;
  if (gateway !== null && gateway.url === null) {
    return (
      <div className="manifest-split">
        <Panel title={title} actions={back}>
          <p className="muted">
            This gateway is the server itself. Its adapters are named in the server's configuration.
          </p>
        </Panel>
        {health}
      </div>
    );
  }
  return (
    <SpecEditor
      key={initial}
      kind={KINDS.gateways}
      id={isNew ? null : id}
      title={title}
      back={back}
      beside={health}
      initial={initial}
      onSaved={(name) => {
        if (isNew) navigate(`${BASE}/${encodeURIComponent(name)}`);
      }}
      onDeleted={() => navigate(BASE)}
    />
  );
}

function Health({ gateway }: { readonly gateway: Gateway }): JSX.Element {
  const { status, seenAt, providers, capabilities, minTrustLevel, history = [] } = gateway;
  return (
    <Panel title="Health" actions={<StatusBadge status={status} />}>
      <div className="stack">
        <dl className="governance-facts">
          <dt>Last seen</dt>
          <dd>
            <TimeText at={seenAt} />
          </dd>
          <dt>Minimum trust</dt>
          <dd>{minTrustLevel} of 10</dd>
          <dt>Providers</dt>
          <dd>{providers.join(", ") || "–"}</dd>
          <dt>Capabilities</dt>
          <dd>{capabilities.join(", ") || "–"}</dd>
        </dl>
        <h3>History</h3>
        {history.length === 0 ? (
          <p className="muted">Its health has not changed since it was registered.</p>
        ) : (
          <ol className="governance-history">
            {history.map(({ status: then, at }) => (
              <li key={at}>
                <StatusBadge status={isHealth(then) ? then : "degraded"} label={then} /> <TimeText at={at} />
              </li>
            ))}
          </ol>
        )}
      </div>
    </Panel>
  );
}

function isHealth(status: string): status is Gateway["status"] {
  return status === "healthy" || status === "degraded" || status === "offline" || status === "unknown";
}
