import type { JSX } from "react";
import { Icon } from "../parts/icon.tsx";
import { lookOf, StatusIcon } from "../parts/status.tsx";
import { useGraph, useIs, useNodesValue } from "./graph-context.ts";
import { countsText, readCounts, urgentOf } from "./status-counts.ts";

interface GroupCardProps {
  readonly id: string;
  readonly label: string;
  readonly members: readonly string[];
}

/** A card for many nodes, with the number of nodes per status as a bar and as text. */
export function GroupCard({ id, label, members }: GroupCardProps): JSX.Element {
  const { cursor } = useGraph();
  const isCursor = useIs(cursor, id);
  const text = useNodesValue(members, ({ node }) => countsText(members, node));
  const counts = readCounts(text);
  const urgent = urgentOf(counts);
  const words = [...counts].map(([status, count]) => `${count} ${lookOf(status).label.toLowerCase()}`).join(", ");
  return (
    <div
      className={`graph-card graph-group graph-${lookOf(urgent).tone} ${isCursor ? "is-cursor" : ""}`}
      data-group={id}
      title={`${label}: ${words}`}
    >
      <div className="graph-card-head">
        <StatusIcon status={urgent} />
        <span className="graph-card-name cut">{label}</span>
        <span className="graph-count num">
          {members.length}
          <Icon name="right" size={11} />
        </span>
      </div>
      <div className="graph-bar" aria-hidden="true">
        {[...counts].map(([status, count]) => (
          <span key={status} className={`graph-bar-${lookOf(status).tone}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <span className="hidden-text">{words}</span>
    </div>
  );
}
