import type { JSX } from "react";
import type { Grouped } from "../../core/graph/layout/index.ts";
import { Button } from "../parts/button.tsx";
import { grouped as figure } from "../parts/figures.ts";

interface GroupNoteProps {
  readonly grouped: Grouped;
  readonly count: number;
  readonly onToggle: (id: string) => void;
}

/** Explains that nodes are grouped, and offers to close opened groups. */
export function GroupNote({ grouped, count, onToggle }: GroupNoteProps): JSX.Element {
  return (
    <div className="graph-note">
      {figure(count)} nodes, together by {grouped.by === "wave" ? "layer" : grouped.by}.
      <span className="graph-note-more"> Open a group to see its nodes.</span>
      {grouped.opened.map(({ id, label: name }) => (
        <Button key={id} size="small" icon="cross" onClick={() => onToggle(id)}>
          Close {name}
        </Button>
      ))}
    </div>
  );
}
