import { type JSX, useState } from "react";
import type { LineageView } from "../../../../client/index.ts";
import { isSettled, type NodeStatus } from "../../../../core/event/index.ts";
import { Link } from "../../../page/router.tsx";
import { api } from "../../../live/api.ts";
import { useQuery } from "../../../live/use-query.ts";
import { Empty } from "../../../parts/empty.tsx";
import { Money } from "../../../parts/money.tsx";
import { ProblemView } from "../../../parts/problem-view.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { type LineageLine, lineageLines } from "../../../run/model/lineage-list.ts";
import { useNodeView } from "../../../run/nodes-page.ts";
import { useRunPage } from "../run-page.ts";

const ENDS: Readonly<Record<string, string>> = {
  arg: "an arg of the run",
  source: "was given nothing",
  unused: "not used further",
  cut: "continues; the rest is not shown",
};

/** The sources of the node's outputs, and the places where the outputs were used, across runs. */
export function LineageTab({ nodeId }: { readonly nodeId: string }): JSX.Element {
  const { run } = useRunPage();
  const node = useNodeView(nodeId);
  const [direction, setDirection] = useState<"up" | "down">("up");
  const query = useQuery<LineageView>(`lineage ${run.id} ${nodeId} ${direction} ${node?.status ?? ""}`, () =>
    api.getProvenance(run.id, { node: nodeId, direction }),
  );
  const lines = query.data === undefined ? [] : lineageLines(query.data);
  return (
    <>
      <div className="segments" role="group" aria-label="Direction">
        <button type="button" aria-pressed={direction === "up"} onClick={() => setDirection("up")}>
          Came from
        </button>
        <button type="button" aria-pressed={direction === "down"} onClick={() => setDirection("down")}>
          Went into
        </button>
      </div>
      {query.problem !== null && <ProblemView problem={query.problem} onRetry={() => void query.refresh()} />}
      {query.data === undefined && query.problem === null && <Skeleton lines={4} />}
      {query.data !== undefined && lines.length <= 1 && (
        <Empty icon="workflow" title={emptyTitle(node?.status, direction)} />
      )}
      {lines.length > 1 && (
        <ol className="lineage">
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </ol>
      )}
      {query.data?.isCut === true && <p className="muted">The lineage is longer than what is shown.</p>}
    </>
  );
}

function emptyTitle(status: NodeStatus | undefined, direction: "up" | "down"): string {
  if (status === undefined || !isSettled(status)) return "It has no result yet";
  return direction === "up" ? "It received no values" : "Its result has not been used";
}

function Line({ line }: { readonly line: LineageLine }): JSX.Element {
  const { run, selectNode } = useRunPage();
  const { nodeId, runId, workflow, path, via, madeBy, end, isRepeated, depth } = line;
  const isHere = runId === run.id;
  return (
    <li style={{ paddingLeft: depth * 16 }}>
      <div>
        {nodeId === null ? (
          <strong>arg</strong>
        ) : isHere ? (
          <button type="button" className="link-button" onClick={() => selectNode(nodeId)}>
            {nodeId}
          </button>
        ) : (
          <Link to={`/runs/${encodeURIComponent(runId)}?node=${encodeURIComponent(nodeId)}`}>
            {workflow} / {nodeId}
          </Link>
        )}{" "}
        <code>{path}</code> {via !== null && <span className="muted">as {via}</span>}
      </div>
      {madeBy !== null && (
        <div className="muted">
          {[madeBy.agentId, madeBy.model ?? madeBy.provider].filter((part) => part !== null).join(" · ")}{" "}
          <Money micros={madeBy.costMicros} />
        </div>
      )}
      {end !== null && <div className="muted">{ENDS[end] ?? end}</div>}
      {isRepeated && <div className="muted">see above</div>}
    </li>
  );
}
