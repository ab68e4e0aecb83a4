import type { JSX, ReactNode } from "react";
import type { RunView } from "../../../client/index.ts";
import { isTerminal } from "../../../core/event/index.ts";
import { Link } from "../../app/router.tsx";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { api } from "../../live/api.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/code-block.tsx";
import { grouped, short } from "../../parts/figures.ts";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Money } from "../../parts/money.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Duration, TimeText } from "../../parts/time-text.tsx";
import { toast } from "../../parts/toast.tsx";
import { useActionDesk } from "./action-desk.ts";
import { useRunPage, useRunView } from "./run-page.ts";

/** What the run is, how it stands, and what can be done with it. */
export function RunHead(): JSX.Element {
  const { run, feed } = useRunPage();
  const view = useRunView();
  const sum = feed.log.sums.run;
  return (
    <header className="run-head">
      <PageHead title={run.workflow} trail={<Link to="/runs">Runs</Link>} actions={<RunActions />} />
      <dl className="run-facts">
        <Fact name="Status">
          <StatusBadge
            status={view.status}
            {...(view.ending === null ? {} : { label: `Ending as ${view.ending.replaceAll("_", " ")}` })}
          />
          {view.errorCode !== null && <code className="text-bad">{view.errorCode}</code>}
        </Fact>
        <Fact name="Started">
          <TimeText at={view.startedAt ?? run.startedAt ?? run.createdAt} />
        </Fact>
        <Fact name="Clock">
          <Duration from={view.startedAt ?? run.startedAt} to={view.endedAt} />
        </Fact>
        <Fact name="Cost">
          <Money micros={view.costMicros} />
        </Fact>
        <Fact name="Tokens">
          <span
            className="num"
            title={`${grouped(sum.inputTokens)} in, ${grouped(sum.outputTokens)} out, ${grouped(sum.thinkingTokens)} thinking, ${grouped(sum.cachedTokens)} cached`}
          >
            {short(sum.inputTokens)} in · {short(sum.outputTokens)} out
          </span>
        </Fact>
        <Fact name="Nodes">
          <Counts view={view} />
        </Fact>
        <Fact name="Wave">
          <span className="num">{waveText(view)}</span>
        </Fact>
        <Fact name="Version">
          {run.version === null ? (
            "–"
          ) : (
            <Link to={`/workflows/${encodeURIComponent(run.workflow)}/versions`}>v{run.version}</Link>
          )}
        </Fact>
        <Fact name="Trigger">{run.trigger}</Fact>
        <Family />
        <Fact name="Trace">
          <code title={run.traceId}>{run.traceId.slice(0, 8)}</code>
          <CopyButton text={run.traceId} label="Copy the trace id" />
        </Fact>
      </dl>
    </header>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Counts({ view: { counts } }: { readonly view: RunView }): JSX.Element {
  const told = [
    [counts.completed, "completed", "ok"],
    [counts.running + counts.streaming, "in flight", "info"],
    [counts.awaiting_dependency + counts.queued + counts.retrying, "waiting", "warn"],
    [counts.blocked, "blocked", "hold"],
    [counts.failed + counts.timed_out, "failed", "bad"],
    [counts.skipped + counts.cancelled + counts.invalidated, "left out", "idle"],
    [counts.pending, "pending", "idle"],
  ] as const;
  return (
    <span className="run-counts num">
      {told
        .filter(([count]) => count > 0)
        .map(([count, word, tone]) => (
          <span key={word} className={`text-${tone}`}>
            {grouped(count)} {word}
          </span>
        ))}
    </span>
  );
}

/** The furthest wave anything has been done in, of how many. */
function waveText({ nodes }: RunView): string {
  let furthest = -1;
  let last = 0;
  for (const { wave, status } of nodes.values()) {
    last = Math.max(last, wave ?? 0);
    if (status !== "pending" && status !== "awaiting_dependency") furthest = Math.max(furthest, wave ?? 0);
  }
  return `${furthest + 1} of ${last + 1}`;
}

/** Runs this one came from or led to. */
function Family(): JSX.Element | null {
  const { run, feed } = useRunPage();
  useRunView();
  const hasChildren = feed.log.childRunIds.length > 0;
  const children = useQuery(
    hasChildren ? `children ${run.id} ${feed.log.childRunIds.length}` : null,
    () => api.listRuns({ parent: run.id, limit: 5 }),
    {
      tags: [`run:${run.id}`],
    },
  );
  return (
    <>
      {run.parentRunId !== undefined && (
        <Fact name="Parent">
          <RunLink id={run.parentRunId} />
        </Fact>
      )}
      {run.sourceRunId !== undefined && (
        <Fact name="Began as">
          <RunLink id={run.sourceRunId} />
        </Fact>
      )}
      {hasChildren && (
        <Fact name="Child runs">
          <span className="row">
            {(children.data?.data ?? []).map(({ id }) => (
              <RunLink key={id} id={id} />
            ))}
            {feed.log.childRunIds.length > 5 && <span className="muted">of {feed.log.childRunIds.length}</span>}
          </span>
        </Fact>
      )}
    </>
  );
}

function RunLink({ id }: { readonly id: string }): JSX.Element {
  return (
    <Link to={`/runs/${encodeURIComponent(id)}`} title={id}>
      <code>{id.slice(0, 14)}</code>
    </Link>
  );
}

function RunActions(): JSX.Element {
  const { run, node, event, feed, selectNode } = useRunPage();
  const view = useRunView();
  const desk = useActionDesk();
  const mayExecute = useMay("workflow:execute");
  const mayCancel = useMay("run:cancel");
  const isOver = isTerminal(feed.log.view.status) || isTerminal(view.status);
  const waiting = [...view.approvals.values()].filter(({ status }) => status === "pending");
  const at = event ?? feed.pinnedAt;
  const items: readonly MenuItem[] = [
    {
      label: "Restart",
      icon: "redo",
      isDisabled: !mayExecute || !isOver,
      onSelect: () => desk.ask({ kind: "restart", fromNode: null }),
    },
    {
      label: node === null ? "Restart from the selected node" : `Restart from ${node}`,
      icon: "redo",
      isDisabled: !mayExecute || node === null,
      onSelect: () => desk.ask({ kind: "restart", fromNode: node }),
    },
    {
      label: "Recover",
      icon: "run",
      isDisabled: !mayExecute || !isOver || view.status === "completed",
      onSelect: () => desk.ask({ kind: "recover" }),
    },
    {
      label: at === null ? "Rewind to the selected event" : `Rewind to event ${at}`,
      icon: "undo",
      isDisabled: !mayExecute || at === null,
      onSelect: () => desk.ask({ kind: "rewind", eventId: at ?? 1 }),
    },
    {
      label: at === null ? "Branch with other args" : `Branch from event ${at}`,
      icon: "workflow",
      isDisabled: !mayExecute,
      onSelect: () => desk.ask({ kind: "branch", eventId: at ?? Math.max(1, view.lastEventId) }),
    },
    { label: "Copy as a command", icon: "copy", onSelect: () => desk.ask({ kind: "commands" }) },
    {
      label: "Copy a link to this view",
      icon: "external",
      onSelect: () => void navigator.clipboard.writeText(location.href).then(() => toast("Copied.")),
    },
    {
      label: "Download the packet",
      icon: "download",
      onSelect: () => location.assign(`/api/v1/runs/${encodeURIComponent(run.id)}/packet`),
    },
  ];
  return (
    <div className="row">
      {waiting.length > 0 && (
        <Button kind="primary" icon="approval" onClick={() => selectNode(waiting[0]?.nodeId ?? null)}>
          {waiting.length === 1 ? "1 approval waits" : `${waiting.length} approvals wait`}
        </Button>
      )}
      {mayCancel && !isOver && (
        <Button kind="danger" icon="stop" onClick={() => desk.ask({ kind: "cancel" })}>
          Cancel
        </Button>
      )}
      {mayExecute && isOver && view.status !== "completed" && (
        <Button icon="redo" onClick={() => desk.ask({ kind: "restart", fromNode: node })}>
          {node === null ? "Restart" : `Restart from ${node}`}
        </Button>
      )}
      <Menu label="More" items={items} button={{ icon: "more" }} />
    </div>
  );
}
