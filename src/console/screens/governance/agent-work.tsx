import type { JSX } from "react";
import type { Run } from "../../../client/index.ts";
import { plainText } from "../../../core/text/index.ts";
import { Link, navigate } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useRegistered } from "../../live/use-registered.ts";
import { useRunList } from "../../live/use-run-list.ts";
import { grouped, short } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { Panel } from "../../parts/panel.tsx";
import { RunBadge } from "../../parts/run-badge.tsx";
import { shortId } from "../../parts/short-id.ts";
import { Sparkline } from "../../parts/sparkline.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { valueLine } from "../../parts/value-line.ts";
import { agentRuns, agentSpend } from "./agent-figures.ts";
import { AgentVerdicts } from "./agent-verdicts.tsx";

const SINCE = "30d";
const SHOWN = 8;

/** The work of an agent: its runs, their cost, the verdicts on it, its grants and its memory. */
export function AgentWork({ agentId }: { readonly agentId: string }): JSX.Element {
  const runs = useRunList(useMay("run:read") ? { more: { agent: agentId, since: SINCE } } : null).data?.runs;
  return (
    <>
      {runs !== undefined && <Work agentId={agentId} runs={runs} />}
      {runs !== undefined && <AgentVerdicts agentId={agentId} runs={runs} />}
      <Grants agentId={agentId} />
      <Memory agentId={agentId} />
    </>
  );
}

function Work({ agentId, runs }: { readonly agentId: string; readonly runs: readonly Run[] }): JSX.Element {
  const usage = useQuery(`usage/agents ${SINCE}`, () => api.getUsage({ by: "agent", bucket: "day", since: SINCE }), {
    tags: ["runs"],
    freshMs: 30_000,
  }).data;
  const { now, ended, successRate, needPerson } = agentRuns(runs);
  const spend = usage === undefined ? null : agentSpend(usage, agentId);
  const all = `/runs?agent=${encodeURIComponent(agentId)}&since=${SINCE}`;
  const beats = runs
    .toReversed()
    .map(({ id, status }) => ({ key: id, status, size: status === "completed" ? 0.6 : 1 }));
  return (
    <Panel title="Last 30 days" actions={<Link to={all}>Its runs</Link>}>
      <dl className="governance-facts">
        <dt>Now</dt>
        <dd>
          {now.length === 0 ? "nothing" : `${now.length} ${now.length === 1 ? "run" : "runs"}`}
          {needPerson > 0 && `, ${needPerson} waiting for a person`}
        </dd>
        <dt>Success</dt>
        <dd>
          {successRate === null ? "–" : `${Math.round(successRate * 100)} % of the last ${ended}`}{" "}
          <Sparkline beats={beats} label="How its last runs ended" />
        </dd>
        <dt>Spend</dt>
        <dd>
          {spend === null ? (
            "–"
          ) : (
            <>
              <Money micros={spend.costMicros} />, {short(spend.tokens)} tokens, {grouped(spend.attempts)} attempts
            </>
          )}
        </dd>
        <Held agentId={agentId} />
      </dl>
      <ul className="agent-runs" aria-label="Runs it works on">
        {now.slice(0, SHOWN).map((run) => (
          <li key={run.id}>
            <RunBadge status={run.status} waitingFor={run.waitingFor} />
            <Link to={`/runs/${encodeURIComponent(run.id)}`} title={run.id}>
              {run.workflow}
            </Link>
            <span className="muted cut">{valueLine(run.args) || shortId(run.id)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The approvals of this agent that wait now. */
function Held({ agentId }: { readonly agentId: string }): JSX.Element | null {
  const wanted = { status: "pending", agent: agentId, limit: SHOWN } as const;
  const waiting = useQuery(`approvals/held ${agentId}`, () => api.listApprovals(wanted), { tags: ["approvals"] }).data;
  if (waiting === undefined) return null;
  return (
    <>
      <dt>Held by gates</dt>
      <dd>
        {waiting.data.length === 0 && "nothing"}
        {waiting.data.map(({ id, title }) => (
          <div key={id}>
            <Link to={`/approvals?id=${encodeURIComponent(id)}`}>{plainText(title)}</Link>
          </div>
        ))}
        {waiting.nextCursor !== undefined && <span className="muted">and more</span>}
      </dd>
    </>
  );
}

function Grants({ agentId }: { readonly agentId: string }): JSX.Element | null {
  const grants = useRegistered("grants").data;
  const own = (grants ?? []).filter(({ agent }) => agent === agentId);
  if (grants === undefined) return null;
  return (
    <Panel title="Grants">
      {own.length === 0 ? (
        <p className="muted">None: tool calls that need an approval are asked about each time.</p>
      ) : (
        <ul className="agent-runs">
          {own.map(({ id, tool, until }) => (
            <li key={id}>
              <Link to={`/settings/grants/${encodeURIComponent(id)}`}>{typeof tool === "string" ? tool : id}</Link>
              <span className="muted">
                until <TimeText at={typeof until === "string" ? until : null} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Memory({ agentId }: { readonly agentId: string }): JSX.Element | null {
  const memory = useQuery(`memory ${agentId}`, () => api.listMemory(agentId, { limit: SHOWN })).data;
  if (memory === undefined) return null;
  return (
    <Panel title="Memory">
      {memory.data.length === 0 ? (
        <p className="muted">It remembers nothing.</p>
      ) : (
        <ul className="agent-memory">
          {memory.data.map(({ runId, nodeId, attempt, at, workflow, text }) => (
            <li key={`${runId} ${nodeId} ${attempt}`}>
              <button
                type="button"
                className="link-button"
                onClick={() => navigate(`/runs/${encodeURIComponent(runId)}?node=${encodeURIComponent(nodeId)}`)}
              >
                {workflow} / {nodeId}
              </button>{" "}
              <span className="muted">
                <TimeText at={at} />
              </span>
              <p className="cut" title={text}>
                {plainText(text)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
