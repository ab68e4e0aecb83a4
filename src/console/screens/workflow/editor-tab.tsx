import { type JSX, lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { Problem } from "../../../core/base/index.ts";
import { navigate } from "../../page/router.tsx";
import { keep, read } from "../../page/preferences.ts";
import { Empty } from "../../parts/empty.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { Checker } from "./check/checker.ts";
import type { CheckReport, DrawnPlan } from "./check/protocol.ts";
import { useCheck } from "./check/use-checker.ts";
import type { EditorHandle } from "../../editor/code-editor.tsx";
import type { EditorProblem } from "../../editor/diagnostics.ts";
import { Editor } from "../../editor/lazy-editor.tsx";
import { keyAtLine } from "./draw/drawing.ts";
import { type PlacedProblem, placeProblems } from "./draw/placed-problems.ts";
import { useWorkflowDocument } from "./draw/use-workflow-document.ts";
import { PlanView } from "./plan-view.tsx";
import { ProblemList } from "./problem-list.tsx";
import { SaveBar, type SavedText, useSaving } from "./save-bar.tsx";
import { SimulatePanel } from "./simulate-panel.tsx";
import { useKnownNames } from "../../manifest/use-known-names.ts";
import { useCompletion } from "./use-completion.ts";
import "../../parts/segments.css";

const WorkflowCanvas = lazy(async () => ({ default: (await import("./draw/workflow-canvas.tsx")).WorkflowCanvas }));
const StepPanel = lazy(async () => ({ default: (await import("./draw/step-panel.tsx")).StepPanel }));

interface EditorTabProps extends SavedText {
  readonly checker: Checker;
  /** The view shown first. Default: the last chosen view. */
  readonly view?: EditorView;
}

export type EditorView = "canvas" | "text";

const CHOICE = "sluice.editor";
const SIDES: Readonly<Record<EditorView, readonly { readonly id: string; readonly label: string }[]>> = {
  canvas: [
    { id: "step", label: "Step" },
    { id: "text", label: "Text" },
    { id: "simulate", label: "Simulate" },
  ],
  text: [
    { id: "graph", label: "Graph" },
    { id: "simulate", label: "Simulate" },
  ],
};

/** The editor. Canvas and text are two views of one document. The plan, problems and simulation are shown beside both. */
export function EditorTab(props: EditorTabProps): JSX.Element {
  const bench = useWorkbench(props);
  const { doc, problems, report, isCurrent, isBroken, saving, view } = bench;
  const errors = problems.filter(({ severity }) => severity === "error");
  return (
    <div className="stack">
      <div className="workflow-editor-bar">
        <ViewChoice view={view} onChange={bench.turn} />
        {view === "text" && (
          <span className="muted">
            <kbd>Esc</kbd> then <kbd>Tab</kbd> leaves the text.
          </span>
        )}
        <SaveBar
          {...props}
          plan={report?.plan ?? null}
          isBroken={isBroken || !isCurrent}
          errors={errors.length}
          onFix={() => errors[0] !== undefined && bench.goTo(errors[0])}
          saving={saving}
        />
      </div>
      <div className={`workflow-editor is-${view}`}>
        <div className="workflow-editor-text">
          {view === "text" ? (
            <TextOf bench={bench} {...props} />
          ) : (
            <div className="workflow-canvas">
              <Suspense fallback={<Skeleton lines={6} height={32} />}>
                <WorkflowCanvas name={props.name} document={doc} problems={problems} />
              </Suspense>
            </div>
          )}
          <ProblemList problems={problems} isCurrent={isCurrent} onGo={bench.goTo} />
          {saving.problem !== null && <ProblemView problem={saving.problem} />}
        </div>
        <div className="workflow-editor-side">
          <Side bench={bench} {...props} />
        </div>
      </div>
    </div>
  );
}

type Workbench = ReturnType<typeof useWorkbench>;

// oxlint-disable-next-line typescript/explicit-function-return-type
function useWorkbench(props: EditorTabProps) {
  const { checker, saved, draft, isFromCode = false, onChange } = props;
  const checked = useCheck(checker, draft);
  const { report } = checked;
  const isReadOnly = isFromCode && draft === saved;
  const doc = useWorkflowDocument({ checker, draft, checked, onChange, isReadOnly });
  const problems = useMemo(() => placeProblems(shownProblems(report), doc.drawing), [report, doc.drawing]);
  const handle = useRef<EditorHandle>(null);
  const [view, setView] = useView(props.view);
  const [side, setSide] = useState(SIDES[view][0]?.id ?? "");
  const [goal, setGoal] = useState<Goal | null>(null);
  const [isSimulating, setSimulating] = useState(false);
  const pickLine = (line: number): void => {
    const key = doc.drawing === null ? null : keyAtLine(doc.drawing, line);
    if (key !== null) doc.select(key);
  };
  return {
    ...checked,
    doc,
    problems,
    handle,
    view,
    side,
    goal,
    isSimulating,
    pickLine,
    plan: useLastPlan(report),
    saving: useSaving(props, report?.plan ?? null),
    isBroken: report !== null && report.problems.length > 0,
    show: (next: string): void => {
      setSide(next);
      if (next === "simulate") setSimulating(true);
    },
    turn: (next: EditorView): void => {
      setView(next);
      if (side !== "simulate") setSide(SIDES[next][0]?.id ?? "");
    },
    /** Shows a line of the text, in either view. */
    showLine: (line: number): void => {
      if (view === "canvas") setSide("text");
      setGoal({ line, column: 1 });
    },
    /** Shows a problem. The card is selected by its key, because several steps may be on one line. */
    goTo: ({ key, line, column }: PlacedProblem): void => {
      if (key !== null) doc.select(key);
      if (view === "text") return handle.current?.goTo(line, column);
      setSide(key === null ? "text" : "step");
      setGoal({ line, column });
      return undefined;
    },
  };
}

interface Goal {
  readonly line: number;
  readonly column: number;
}

interface BenchProps extends EditorTabProps {
  readonly bench: Workbench;
}

function TextOf({ bench, name, draft }: BenchProps): JSX.Element {
  const { doc, problems, handle, saving, goal, pickLine } = bench;
  const complete = useCompletion();
  return (
    <Editor
      label={`Definition of ${name}`}
      value={draft}
      onChange={doc.write}
      problems={problems}
      complete={complete}
      handle={handle}
      onSave={() => void saving.run()}
      isReadOnly={doc.isReadOnly}
      past={doc}
      goal={goal}
      onLine={pickLine}
    />
  );
}

/** The side panel: the form or the plan, the text, and the simulation. */
function Side({ bench, ...props }: BenchProps): JSX.Element {
  const { checker, name, saved, draft } = props;
  const { doc, problems, plan, isBroken, view, side } = bench;
  const known = useKnownNames();
  const launch = (): void => navigate(`/workflows/${encodeURIComponent(name)}?tab=editor&launch=1`);
  return (
    <Tabs label="Plan and simulation" tabs={SIDES[view]} selected={side} onSelect={bench.show}>
      {side === "graph" && (
        <LivePlan
          plan={plan}
          isBroken={isBroken}
          picked={doc.selected?.step?.id ?? null}
          onPick={(id) => {
            const step = doc.drawing?.byKey.get(id)?.step;
            if (step !== null && step !== undefined) bench.showLine(step.firstLine);
          }}
        />
      )}
      {side === "text" && (
        <div className="workflow-side-text">
          <TextOf bench={bench} {...props} />
        </div>
      )}
      {side === "step" && (
        <Suspense fallback={<Skeleton lines={8} />}>
          <StepPanel document={doc} problems={problems} known={known} onShowText={bench.showLine} />
        </Suspense>
      )}
      {bench.isSimulating && (
        // The panel stays mounted while another one is shown, so that a simulation continues and the entered values are kept.
        <div hidden={side !== "simulate"}>
          <SimulatePanel
            checker={checker}
            source={draft}
            plan={plan}
            isBroken={isBroken}
            launch={draft === saved ? launch : null}
          />
        </div>
      )}
    </Tabs>
  );
}

function useView(wanted: EditorView | undefined): readonly [EditorView, (view: EditorView) => void] {
  const [view, setView] = useState<EditorView>(() => wanted ?? (read(CHOICE) === "canvas" ? "canvas" : "text"));
  // A person who began with the canvas still sees the canvas after saving.
  useEffect(() => {
    if (wanted !== undefined) keep(CHOICE, wanted);
  }, [wanted]);
  const choose = (next: EditorView): void => {
    keep(CHOICE, next);
    setView(next);
  };
  return [view, choose];
}

interface ViewChoiceProps {
  readonly view: EditorView;
  readonly onChange: (view: EditorView) => void;
}

function ViewChoice({ view, onChange }: ViewChoiceProps): JSX.Element {
  return (
    <div className="segments" role="group" aria-label="View">
      {(["canvas", "text"] as const).map((each) => (
        <button key={each} type="button" aria-pressed={view === each} onClick={() => onChange(each)}>
          {each === "canvas" ? "Canvas" : "Text"}
        </button>
      ))}
    </div>
  );
}

/** Returns the newest valid plan. It is still shown while the text cannot be parsed. */
function useLastPlan(report: CheckReport | null): DrawnPlan | null {
  const last = useRef<DrawnPlan | null>(null);
  if (report?.plan !== null && report?.plan !== undefined) last.current = report.plan;
  return last.current;
}

interface LivePlanProps {
  readonly plan: DrawnPlan | null;
  readonly isBroken: boolean;
  readonly picked: string | null;
  readonly onPick: (id: string) => void;
}

function LivePlan({ plan, isBroken, picked, onPick }: LivePlanProps): JSX.Element {
  if (plan === null) {
    return isBroken ? (
      <Empty icon="workflow" title="No plan yet">
        Fix the problems, and the graph appears here.
      </Empty>
    ) : (
      <Skeleton lines={6} height={24} />
    );
  }
  return (
    <div className="stack" data-stale={isBroken}>
      {isBroken && (
        <p className="note">This is the plan before the last problem; it is updated again once the text is fixed.</p>
      )}
      <PlanView plan={plan} isCompact picked={picked} onPick={onPick} />
    </div>
  );
}

function shownProblems(report: CheckReport | null): readonly (Problem & EditorProblem)[] {
  if (report === null) return [];
  return [
    ...report.problems.map((problem) => ({ ...problem, severity: "error" as const })),
    ...report.warnings.map((problem) => ({ ...problem, severity: "warning" as const })),
  ].sort((left, right) => left.line - right.line || left.column - right.column);
}
