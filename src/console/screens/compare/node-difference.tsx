import { type JSX, useEffect, useRef } from "react";
import type { NodeDetail } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Link } from "../../page/router.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { SideDiff } from "../../parts/side-diff.tsx";
import { type NodePair, resultText } from "./comparison.ts";

interface NodeDifferenceProps {
  readonly pair: NodePair;
  readonly leftId: string;
  readonly rightId: string;
  readonly onClose: () => void;
}

/** Compares the results of a node in both runs, line by line. */
export function NodeDifference({ pair, leftId, rightId, onClose }: NodeDifferenceProps): JSX.Element {
  const { id, left, right } = pair;
  const [before, after] = [resultText(left), resultText(right)];
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
  }, [id]);
  const there = (runId: string): string => `/runs/${encodeURIComponent(runId)}?node=${encodeURIComponent(id)}`;
  return (
    <div ref={box}>
      <Panel
        title={`Result of ${id}`}
        isFlush
        actions={
          <span className="row">
            {left !== null && <Link to={there(leftId)}>Open on the left</Link>}
            {right !== null && <Link to={there(rightId)}>Open on the right</Link>}
            <Button kind="quiet" size="small" icon="cross" label="Close the result" onClick={onClose} />
          </span>
        }
      >
        {before === "" && after === "" ? (
          <p className="compare-nothing muted">It has no result in either run.</p>
        ) : (
          <SideDiff label={`Result of ${id} in both runs`} left={before} right={after} />
        )}
      </Panel>
      <PromptDifference id={id} leftId={leftId} rightId={rightId} />
    </div>
  );
}

/** Compares the prompts of a node in both runs. Shown when they differ. */
function PromptDifference({
  id,
  leftId,
  rightId,
}: Pick<NodeDifferenceProps, "leftId" | "rightId"> & { readonly id: string }) {
  const [left, right] = [usePrompt(leftId, id), usePrompt(rightId, id)];
  if (left === undefined || right === undefined || left === right) return null;
  return (
    <Panel title={`Prompt of ${id}`} isFlush>
      <SideDiff label={`Prompt of ${id} in both runs`} left={left} right={right} />
    </Panel>
  );
}

/** Returns the prompt of a node. Undefined when the node had no prompt, or while it is loading. */
function usePrompt(runId: string, id: string): string | undefined {
  const { data } = useQuery<NodeDetail>(`node of ${runId} ${id}`, () => api.getNode(runId, id), {
    tags: [`run:${runId}`],
  });
  return data?.request?.message;
}
