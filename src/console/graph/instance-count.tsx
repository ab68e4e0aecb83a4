import type { JSX } from "react";
import { isSettled } from "../../core/event/index.ts";
import { Icon } from "../parts/icon.tsx";
import { useGraph, useNodesValue } from "./graph-context.ts";

/** Shows how many instances of a node are settled. A click opens the instances. */
export function InstanceCount({
  id,
  instances,
}: {
  readonly id: string;
  readonly instances: readonly string[];
}): JSX.Element {
  const { onToggle } = useGraph();
  const done = useNodesValue(instances, ({ node }) =>
    instances.reduce((count, each) => count + Number(isSettled(node(each)?.status ?? "pending")), 0),
  );
  const failed = useNodesValue(instances, ({ node }) => node(id)?.failedInstances ?? 0);
  return (
    <button
      type="button"
      tabIndex={-1}
      className="graph-count num nodrag"
      title={`${done} of ${instances.length} instances done${failed === 0 ? "" : `, ${failed} failed`}; show or hide them`}
      onClick={(event) => {
        event.stopPropagation();
        onToggle(id);
      }}
    >
      {done}/{instances.length}
      {failed > 0 && <span className="text-bad">✗{failed}</span>}
      <Icon name="right" size={11} />
    </button>
  );
}
