import type { JSX } from "react";
import type { Run } from "../../../client/index.ts";
import { plainText } from "../../../core/text/index.ts";
import { Link } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { type AgentVerdict, verdictsOnAgent } from "./agent-figures.ts";

/** Number of runs whose verdicts are read: each is a request. */
const RUNS = 5;
/** Most verdicts of one run that are read, from its beginning. */
const VERDICTS_MAX = 100;
const SHOWN = 10;

/** What the gates decided about an agent in its newest runs. `runs` are newest first. */
export function AgentVerdicts({
  agentId,
  runs,
}: {
  readonly agentId: string;
  readonly runs: readonly Run[];
}): JSX.Element {
  const read = runs.slice(0, RUNS);
  const key = read.length === 0 ? null : `verdicts on ${agentId} ${read.map(({ id }) => id).join(" ")}`;
  const found = useQuery(key, () => readVerdicts(agentId, read), { tags: ["runs"], freshMs: 30_000 });
  const shown = (found.data ?? []).slice(0, SHOWN);
  return (
    <Panel title="Verdicts">
      {shown.length === 0 ? (
        <p className="muted">{key === null || found.data !== undefined ? "The gates have not judged it yet." : "…"}</p>
      ) : (
        <ul className="agent-memory" aria-label="Verdicts of the gates">
          {shown.map((verdict) => (
            <Verdict key={verdict.verdictId} verdict={verdict} />
          ))}
        </ul>
      )}
      {shown.length > 0 && <p className="muted">From the newest {RUNS} runs it worked on.</p>}
    </Panel>
  );
}

function Verdict({ verdict }: { readonly verdict: AgentVerdict }): JSX.Element {
  const { run, nodeId, disposition, at, explanation } = verdict;
  const words = explanation === null ? "All gates passed." : plainText(explanation.message);
  return (
    <li>
      <StatusBadge status={disposition} />{" "}
      <Link to={`/runs/${encodeURIComponent(run.id)}?node=${encodeURIComponent(nodeId)}`}>
        {run.workflow} / {nodeId}
      </Link>{" "}
      <span className="muted">
        <TimeText at={at} />
      </span>
      <p className="cut muted" title={words}>
        {words}
      </p>
    </li>
  );
}

async function readVerdicts(agentId: string, runs: readonly Run[]): Promise<readonly AgentVerdict[]> {
  const pages = await Promise.all(runs.map(({ id }) => api.listVerdicts(id, { limit: VERDICTS_MAX })));
  return verdictsOnAgent(
    agentId,
    runs.map((run, index) => ({ run, verdicts: pages[index]?.data ?? [] })),
  );
}
