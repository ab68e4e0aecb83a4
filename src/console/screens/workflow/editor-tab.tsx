import { type JSX, useMemo, useRef, useState } from "react";
import { navigate } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { toast } from "../../parts/toast.tsx";
import type { Checker } from "./check/checker.ts";
import type { CheckReport, DrawnPlan } from "./check/protocol.ts";
import { useCheck } from "./check/use-checker.ts";
import type { EditorHandle } from "../../editor/code-editor.tsx";
import type { EditorProblem } from "../../editor/diagnostics.ts";
import { Editor } from "../../editor/lazy-editor.tsx";
import { PlanView } from "./plan-view.tsx";
import { ProblemList } from "./problem-list.tsx";
import { SimulatePanel } from "./simulate-panel.tsx";
import { useCompletion } from "./use-known-names.ts";

interface EditorTabProps {
  readonly checker: Checker;
  readonly name: string;
  /** The newest version; null for a workflow that has none. */
  readonly saved: string | null;
  readonly draft: string;
  readonly isLocked?: boolean;
  /** Code made it, and would make it anew: only a copy under another name can be edited here. */
  readonly isFromCode?: boolean;
  readonly onChange: (text: string) => void;
  readonly onSaved: () => void;
}

const SIDES = [
  { id: "graph", label: "Graph" },
  { id: "simulate", label: "Simulate" },
];

/** The text on one side, what it means on the other. */
export function EditorTab(props: EditorTabProps): JSX.Element {
  const { checker, name, saved, draft, isFromCode = false, onChange } = props;
  const { report, isCurrent } = useCheck(checker, draft);
  const plan = useLastPlan(report);
  const problems = useMemo(() => shownProblems(report), [report]);
  const complete = useCompletion();
  const handle = useRef<EditorHandle>(null);
  const [side, setSide] = useState("graph");
  const [isSimulating, setSimulating] = useState(false);
  const show = (next: string): void => {
    setSide(next);
    if (next === "simulate") setSimulating(true);
  };
  const saving = useSaving(props, report?.plan ?? null);
  const isBroken = report !== null && report.problems.length > 0;
  return (
    <div className="workflow-editor">
      <div className="workflow-editor-text">
        <SaveBar {...props} plan={report?.plan ?? null} isBroken={isBroken || !isCurrent} saving={saving} />
        <Editor
          label={`Definition of ${name}`}
          value={draft}
          onChange={onChange}
          problems={problems}
          complete={complete}
          handle={handle}
          onSave={() => void saving.run()}
          isReadOnly={isFromCode && draft === saved}
        />
        <ProblemList
          problems={problems}
          isCurrent={isCurrent}
          onGo={(line, column) => handle.current?.goTo(line, column)}
        />
        {saving.problem !== null && <ProblemView problem={saving.problem} />}
      </div>
      <div className="workflow-editor-side">
        <Tabs label="Plan and simulation" tabs={SIDES} selected={side} onSelect={show}>
          {side === "graph" && <LivePlan plan={plan} isBroken={isBroken} />}
          {isSimulating && (
            // It stays mounted: a simulation continues, and what was typed is kept, while the graph is shown.
            <div hidden={side !== "simulate"}>
              <SimulatePanel
                checker={checker}
                source={draft}
                plan={plan}
                isBroken={isBroken}
                launch={
                  draft === saved ? () => navigate(`/workflows/${encodeURIComponent(name)}?tab=editor&launch=1`) : null
                }
              />
            </div>
          )}
        </Tabs>
      </div>
    </div>
  );
}

/** While the text cannot be read, the last plan that could be stays in sight. */
function useLastPlan(report: CheckReport | null): DrawnPlan | null {
  const last = useRef<DrawnPlan | null>(null);
  if (report?.plan !== null && report?.plan !== undefined) last.current = report.plan;
  return last.current;
}

function LivePlan({ plan, isBroken }: { readonly plan: DrawnPlan | null; readonly isBroken: boolean }): JSX.Element {
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
      <PlanView plan={plan} isCompact />
    </div>
  );
}

function shownProblems(report: CheckReport | null): readonly EditorProblem[] {
  if (report === null) return [];
  return [
    ...report.problems.map((problem) => ({ ...problem, severity: "error" as const })),
    ...report.warnings.map((problem) => ({ ...problem, severity: "warning" as const })),
  ].sort((left, right) => left.line - right.line || left.column - right.column);
}

type Saving = ReturnType<typeof useAction<[]>>;

function useSaving(
  { name, saved, draft, isLocked = false, isFromCode = false, onSaved }: EditorTabProps,
  plan: DrawnPlan | null,
): Saving {
  const target = plan?.name ?? name;
  return useAction<[]>(async () => {
    if (isLocked || draft === saved || (isFromCode && target === name)) return;
    const made = await api.saveWorkflow(target, draft);
    cache.put(`version:${target}:${made.version}`, {
      ...made,
      source: draft,
      savedAt: new Date().toISOString(),
      plan: null,
    });
    cache.invalidate("workflows", `workflow:${target}`);
    await cache.refresh(`workflow:${target}`);
    onSaved();
    toast(`Saved ${target}, version ${made.version}.`);
    if (saved !== null && target !== name) navigate(`/workflows/${encodeURIComponent(target)}?tab=editor`);
  });
}

interface SaveBarProps extends EditorTabProps {
  readonly plan: DrawnPlan | null;
  readonly isBroken: boolean;
  readonly saving: Saving;
}

/** A copy has another name, so that the workflow of the code stays what the code makes. */
function copyOf(source: string, name: string): string {
  return source.replace(/^name:.*$/m, `name: ${name}-copy`).replace(/"name":\s*"[^"]*"/, `"name": "${name}-copy"`);
}

function SaveBar({
  name,
  saved,
  draft,
  isLocked = false,
  isFromCode = false,
  onChange,
  plan,
  isBroken,
  saving,
}: SaveBarProps): JSX.Element {
  const mayWrite = useMay("workflow:write");
  const isChanged = draft !== saved;
  const isRenamed = saved !== null && plan !== null && plan.name !== name;
  if (isFromCode && saved !== null && !isChanged) {
    return (
      <div className="spread">
        <span className="muted">Written in code: it can only be read here.</span>
        <Button icon="copy" disabled={!mayWrite} onClick={() => onChange(copyOf(saved, name))}>
          Copy to edit
        </Button>
      </div>
    );
  }
  return (
    <div className="spread">
      <span className="muted">
        {!mayWrite ? "You may read but not save." : isChanged ? "Not saved yet." : "Saved."} <kbd>Esc</kbd> then{" "}
        <kbd>Tab</kbd> leaves the text.
      </span>
      <span className="row">
        {saved !== null && isChanged && (
          <Button icon="undo" onClick={() => onChange(saved)}>
            Discard
          </Button>
        )}
        <Button
          kind="primary"
          icon="check"
          isBusy={saving.isBusy}
          disabled={!mayWrite || isLocked || !isChanged || isBroken || (isFromCode && !isRenamed)}
          onClick={() => void saving.run()}
        >
          {isRenamed ? `Save as ${plan.name}` : "Save version"}
        </Button>
      </span>
    </div>
  );
}
