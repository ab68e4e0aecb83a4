import { type JSX, lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { Outline } from "../../../core/edit/index.ts";
import { keep, read } from "../../page/preferences.ts";
import { NO_SOURCE } from "../../graph/graph-node.ts";
import { Panel } from "../../parts/panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { ViewSwitch } from "../../parts/view-switch.tsx";
import { useWidth } from "../../parts/use-width.ts";
import type { DrawnPlan } from "./check/protocol.ts";
import { drawingOf } from "./draw/drawing.ts";
import { toggled } from "./draw/use-workflow-document.ts";
import { PlanNodeList } from "./plan-node-list.tsx";

const PlanGraph = lazy(async () => ({ default: (await import("../../graph/plan-graph.tsx")).PlanGraph }));

interface PlanViewProps {
  readonly plan: DrawnPlan;
  /** The steps of the text. With them, blocks are drawn with the steps inside. */
  readonly outline?: Outline | null;
  readonly isCompact?: boolean;
  /** Called when a node is clicked. */
  readonly onPick?: (id: string) => void;
  /** The node selected by another part of the page. */
  readonly picked?: string | null;
}

const CHOICE = "sluice.plan";
/** Below this width in pixels a plan is drawn from top to bottom. */
const NARROW = 640;

/** A plan as a graph, or as a list for people who prefer text. */
export function PlanView({
  plan,
  outline = null,
  isCompact = false,
  onPick,
  picked = null,
}: PlanViewProps): JSX.Element {
  const [isList, setList] = useState(() => read(CHOICE) === "list");
  const show = (list: boolean): void => {
    keep(CHOICE, list ? "list" : "graph");
    setList(list);
  };
  return (
    <Panel
      isFlush
      title={`${plan.nodes.length} ${plan.nodes.length === 1 ? "node" : "nodes"}`}
      actions={<ViewSwitch isList={isList} onChange={show} />}
    >
      {isList ? (
        <PlanNodeList plan={plan} />
      ) : (
        <Drawn plan={plan} outline={outline} isCompact={isCompact} onPick={onPick} picked={picked} />
      )}
    </Panel>
  );
}

interface DrawnProps extends Omit<PlanViewProps, "onPick"> {
  readonly onPick: PlanViewProps["onPick"] | undefined;
}

/** The drawn plan. When the same plan is drawn again after a keystroke, opened nodes stay open. */
function Drawn({ plan, outline = null, isCompact = false, onPick, picked }: DrawnProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useWidth(box, NARROW) < NARROW;
  const [selected, setSelected] = useState<string | null>(null);
  useEffect(() => {
    if (picked !== null && picked !== undefined) setSelected(picked);
  }, [picked]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const shape = JSON.stringify(plan.nodes);
  const nodes = useMemo(
    () => plan.nodes.map(({ dependsOn, ...node }) => ({ ...node, parents: dependsOn, instances: [] })),
    // Depends on `shape` only: a changed prompt does not change the shape, and must not compute the layout again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [shape],
  );
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const drawing = useMemo(
    () => (outline === null || outline.main.steps.length === 0 ? null : drawingOf(outline, closed)),
    [outline, closed],
  );
  const toggle = (id: string): void => {
    if (drawing?.byKey.has(id) === true) setClosed(toggled(closed, id));
    else setOpen(toggled(open, id));
  };
  const node = plan.nodes.find(({ id }) => id === selected);
  return (
    <>
      <div ref={box} className={isCompact ? "workflow-graph is-compact" : "workflow-graph"}>
        <Suspense fallback={<Skeleton lines={4} height={32} />}>
          <PlanGraph
            nodes={drawing?.nodes ?? nodes}
            source={drawing?.source ?? NO_SOURCE}
            {...(drawing === null ? {} : { insides: drawing.insides })}
            selected={selected}
            onSelect={(id) => {
              setSelected(id);
              if (id !== null) onPick?.(id);
            }}
            open={open}
            onToggle={toggle}
            direction={isCompact || isNarrow ? "down" : "right"}
            label={`Graph of ${plan.name}`}
          />
        </Suspense>
      </div>
      {node !== undefined && (
        <p className="workflow-node" role="status">
          <code>{node.id}</code>
          <span>{node.kind}</span>
          {node.phase !== null && <span>phase {node.phase}</span>}
          {node.agent !== null && <span>agent {node.agent}</span>}
          <span className="muted">{node.waitsFor === "" ? "waits for nothing" : `waits for ${node.waitsFor}`}</span>
        </p>
      )}
    </>
  );
}
