import type { JSX } from "react";
import { grouped } from "../parts/figures.ts";
import "../parts/segments.css";
import { STATUS_GROUPS, type StatusGroup } from "./model/status-groups.ts";

interface StatusFilterProps {
  readonly label: string;
  readonly counts: ReadonlyMap<StatusGroup, number>;
  readonly value: StatusGroup | null;
  readonly onChange: (group: StatusGroup | null) => void;
}

/** Filter of nodes by status group. Groups without nodes are left out. */
export function StatusFilter({ label, counts, value, onChange }: StatusFilterProps): JSX.Element {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return (
    <div className="segments" role="group" aria-label={label}>
      <button type="button" aria-pressed={value === null} onClick={() => onChange(null)}>
        All {grouped(all)}
      </button>
      {STATUS_GROUPS.filter(({ id }) => (counts.get(id) ?? 0) > 0 || id === value).map(({ id, label: text, tone }) => (
        <button key={id} type="button" aria-pressed={value === id} onClick={() => onChange(id)}>
          <span className={`text-${tone}`}>{text}</span> {grouped(counts.get(id) ?? 0)}
        </button>
      ))}
    </div>
  );
}
