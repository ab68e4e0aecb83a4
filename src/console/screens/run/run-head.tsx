import type { JSX, ReactNode } from "react";
import type { Run, RunView } from "../../../client/index.ts";
import { type NodeView, relaunchText } from "../../../core/view/index.ts";
import { Link } from "../../page/router.tsx";
import { CopyButton } from "../../parts/code-block.tsx";
import { compareAddress } from "../../parts/compare-address.ts";
import { grouped, short } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { RunBadge } from "../../parts/run-badge.tsx";
import { shortId } from "../../parts/short-id.ts";
import { nodeLook, StatusBadge } from "../../parts/status.tsx";
import { Duration, TimeText } from "../../parts/time-text.tsx";
import { StepsInside } from "./panel/steps-inside.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunValues } from "./run-values.tsx";
import { StopBar } from "./stop-bar.tsx";
import { FINALLY } from "../../run/model/run-facts.ts";
import { useRunView } from "../../run/nodes-page.ts";
import { useRunPage } from "./run-page.ts";

/** Head of the run page: name, status, why the run stopped, and the actions. */
export function RunHead(): JSX.Element {
  const { run } = useRunPage();
  const view = useRunView();
  const outputs = view.outputs ?? run.outputs ?? null;
  return (
    <header className="run-head">
      <PageHead
        title={run.workflow}
        trail={
          <span className="run-id">
            <Link to="/runs">Runs</Link> / <code title={run.id}>{shortId(run.id)}</code>
            <CopyButton text={run.id} label="Copy the id of the run" />
          </span>
        }
        actions={<RunActions />}
      />
      <StopBar />
      <Facts />
      <RunValues name="Args" values={run.args} />
      {view.status === "completed" && outputs !== null && <RunValues name="Outputs" values={outputs} />}
    </header>
  );
}

/** The facts of the run. The status comes first and is emphasised, cost and trace come last. */
function Facts(): JSX.Element {
  const { run, feed } = useRunPage();
  const view = useRunView();
  const sum = feed.facts.sums.run;
  return (
    <dl className="run-facts">
      <Fact name="Status">
        <ShownBadge view={view} run={run} />
        {view.errorCode !== null && <code className="text-bad">{view.errorCode}</code>}
      </Fact>
      <Fact name="Nodes">
        <Counts view={view} />
      </Fact>
      <Fact name="Started">
        <TimeText at={view.startedAt ?? run.startedAt ?? run.createdAt} />
      </Fact>
      <Fact name="Duration">
        <Duration from={view.startedAt ?? run.startedAt} to={view.endedAt ?? feed.shownAt()} />
      </Fact>
      <Fact name="Layer">
        <span className="num">{waveText(view)}</span>
      </Fact>
      <Fact name="Version">
        {run.version === null ? (
          "–"
        ) : (
          <Link to={`/workflows/${encodeURIComponent(run.workflow)}/versions`}>v{run.version}</Link>
        )}
      </Fact>
      <Fact name="Started by">{run.trigger}</Fact>
      <RelatedRuns />
      <Fact name="Cost" isMinor>
        <Money micros={view.costMicros} />
      </Fact>
      <Fact name="Tokens" isMinor>
        <span
          className="num"
          title={`${grouped(sum.inputTokens)} in, ${grouped(sum.outputTokens)} out, ${grouped(sum.thinkingTokens)} thinking, ${grouped(sum.cachedTokens)} cached`}
        >
          {short(sum.inputTokens)} in · {short(sum.outputTokens)} out
        </span>
      </Fact>
      <Fact name="Trace" isMinor>
        <code title={run.traceId}>{run.traceId.slice(0, 8)}</code>
        <CopyButton text={run.traceId} label="Copy the trace id" />
      </Fact>
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly isMinor?: boolean;
  readonly children: ReactNode;
}

function Fact({ name, isMinor = false, children }: FactProps): JSX.Element {
  return (
    <div className={isMinor ? "is-minor" : ""}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Status at the shown moment. For an earlier moment, the reason for waiting is taken from the nodes of that moment. */
function ShownBadge({ view, run }: { readonly view: RunView; readonly run: Run }): JSX.Element {
  if (view.ending !== null) {
    return <StatusBadge status={view.status} label={`Ending as ${view.ending.replaceAll("_", " ")}`} />;
  }
  const isNow = view.lastEventId >= run.lastEventId;
  const waitingFor = needPerson(view) > 0 ? "person" : isNow ? run.waitingFor : null;
  return <RunBadge status={view.status} waitingFor={waitingFor} />;
}

/** Counts the nodes that wait for a person. Other blocked nodes wait for a time or an event. */
function needPerson({ counts, nodes }: RunView): number {
  if (counts.blocked === 0) return 0;
  return [...nodes.values()].filter((node) => nodeLook(node) === "blocked").length;
}

function Counts({ view }: { readonly view: RunView }): JSX.Element {
  const { counts, upstreamFailures } = view;
  const forPerson = needPerson(view);
  const counted = [
    [counts.completed, "completed", "ok"],
    [counts.running + counts.streaming, "in flight", "info"],
    [counts.awaiting_dependency + counts.queued + counts.retrying + counts.blocked - forPerson, "waiting", "warn"],
    [forPerson, forPerson === 1 ? "needs a person" : "need a person", "hold"],
    [counts.failed + counts.timed_out - upstreamFailures, "failed", "bad"],
    [upstreamFailures, "not run", "idle"],
    [counts.skipped, "skipped", "idle"],
    [counts.cancelled, "cancelled", "idle"],
    [counts.invalidated, "invalidated", "idle"],
    [counts.pending, "pending", "idle"],
  ] as const;
  return (
    <span className="run-counts num">
      {counted
        .filter(([count]) => count > 0)
        .map(([count, word, tone]) => (
          <span key={word} className={`text-${tone}`}>
            {grouped(count)} {word}
          </span>
        ))}
    </span>
  );
}

/** Returns the furthest wave in which a node has begun, and the number of waves. */
function waveText({ nodes }: RunView): string {
  let furthest = -1;
  let last = 0;
  for (const { wave, status } of nodes.values()) {
    last = Math.max(last, wave ?? 0);
    if (status !== "pending" && status !== "awaiting_dependency") furthest = Math.max(furthest, wave ?? 0);
  }
  return `${furthest + 1} of ${last + 1}`;
}

const CHILDREN_SHOWN = 5;

/** Links to the runs this run came from and the runs it started. */
function RelatedRuns(): JSX.Element | null {
  const { run, feed } = useRunPage();
  const view = useRunView();
  const { childRunIds, blocks } = feed.facts;
  const last = blocks.get(FINALLY);
  return (
    <>
      {run.parentRunId !== undefined && (
        <Fact name="Parent">
          <RunLink id={run.parentRunId} />
        </Fact>
      )}
      {run.sourceRunId !== undefined && (
        <>
          <Fact name={run.trigger === "branch" ? "Branched from" : "Restarted from"}>
            <RunLink id={run.sourceRunId} /> <Link to={compareAddress(run.sourceRunId, run.id)}>Compare</Link>
          </Fact>
          <CarriedOver view={view} />
        </>
      )}
      {last !== undefined && (
        <Fact name="Finally">
          <StepsInside key={last} runId={last} />
        </Fact>
      )}
      {childRunIds.length > 0 && (
        <Fact name="Child runs">
          <span className="row">
            {childRunIds.slice(-CHILDREN_SHOWN).map((id) => (
              <RunLink key={id} id={id} />
            ))}
            {childRunIds.length > CHILDREN_SHOWN && <span className="muted">of {childRunIds.length}</span>}
          </span>
        </Fact>
      )}
    </>
  );
}

/** The results reused from the other run. The title names the nodes, and the nodes that run again. */
function CarriedOver({ view: { nodes } }: { readonly view: RunView }): JSX.Element {
  const split = splitNodes(nodes.values());
  return (
    <Fact name="Carried over">
      <span title={relaunchText(split)}>
        {grouped(split.carriedOver.length)} of {grouped(split.carriedOver.length + split.runsAgain.length)} nodes
      </span>
    </Fact>
  );
}

function splitNodes(nodes: Iterable<NodeView>): Parameters<typeof relaunchText>[0] {
  const planned = [...nodes].filter(({ instance }) => instance === null);
  const ids = (isCarried: boolean): readonly string[] =>
    planned.filter((node) => node.isCarried === isCarried).map(({ id }) => id);
  return { carriedOver: ids(true), runsAgain: ids(false) };
}

function RunLink({ id }: { readonly id: string }): JSX.Element {
  return (
    <Link to={`/runs/${encodeURIComponent(id)}`} title={id}>
      <code>{shortId(id)}</code>
    </Link>
  );
}
