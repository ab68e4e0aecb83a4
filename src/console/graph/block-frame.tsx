import { type JSX, useMemo } from "react";
import { Store } from "../page/store.ts";
import { EdgeLine } from "./edge-line.tsx";
import { useEditing } from "./graph-editing.ts";
import { CurrentGraph, type GraphContext, useGraph } from "./graph-context.ts";
import { GroupCard } from "./group-card.tsx";
import { type Frame, FRAME_GAP, FRAME_HEAD, insideKey } from "./inside.ts";
import { NodeCard } from "./node-card.tsx";

/** Shows the steps of a block inside the card of its node. A step that contains a block can be opened too. */
export function BlockFrame({ frame, at }: { readonly frame: Frame; readonly at: string }): JSX.Element {
  const outer = useGraph();
  const editing = useEditing();
  const { inside, grouped, layout } = frame;
  const context = useMemo(
    (): GraphContext => ({
      ...outer,
      source: inside.source,
      // While editing, steps inside a block share the selection with steps outside.
      selected: editing === null ? new Store<string | null>(null) : outer.selected,
      cursor: new Store<string | null>(null),
      at,
      onToggle: (id) => outer.onToggle(insideKey(at, id)),
    }),
    [outer, inside, at, editing],
  );
  const nodeById = useMemo(() => new Map(inside.nodes.map((node) => [node.id, node])), [inside]);
  const vertexById = useMemo(() => new Map(grouped.vertices.map((vertex) => [vertex.id, vertex])), [grouped]);
  return (
    <CurrentGraph value={context}>
      <div
        className="graph-frame"
        data-inside={at}
        style={{ top: FRAME_HEAD, left: FRAME_GAP, width: layout.width, height: layout.height }}
      >
        <svg className="graph-frame-lines" width={layout.width} height={layout.height} aria-hidden="true">
          {layout.edges.map(({ source, target, points }) => (
            <EdgeLine
              key={`${source}>${target}`}
              source={source}
              target={target}
              points={points}
              direction={outer.direction}
            />
          ))}
        </svg>
        {layout.nodes.map(({ id, x, y, width, height }) => {
          const vertex = vertexById.get(id);
          const isGroup = vertex?.kind === "group";
          return (
            <div
              key={id}
              className="graph-frame-card"
              style={{ left: x, top: y, width, height }}
              onClick={(event) => {
                event.stopPropagation();
                if (isGroup) context.onToggle(id);
                else if (editing !== null) editing.onPick(insideKey(at, id), event.shiftKey);
                else if (inside.runId !== null) outer.onOpenInside(inside.runId, id);
              }}
            >
              {isGroup ? (
                <GroupCard id={id} label={vertex.label} members={vertex.members} />
              ) : (
                <NodeCard
                  id={id}
                  node={nodeById.get(id)}
                  instances={vertex?.kind === "node" ? vertex.instances : NO_INSTANCES}
                />
              )}
            </div>
          );
        })}
      </div>
    </CurrentGraph>
  );
}

const NO_INSTANCES: readonly string[] = [];
