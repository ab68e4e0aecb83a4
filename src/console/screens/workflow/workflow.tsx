import { type JSX, useEffect, useState } from "react";
import { ApiProblem, type Workflow, type WorkflowStatus } from "../../../client/index.ts";
import { useShortcuts } from "../../page/keyboard.ts";
import { Link, navigate, useLeaveGuard, useSearchParams } from "../../page/router.tsx";
import type { ScreenProps } from "../../page/screen-props.ts";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Menu } from "../../parts/menu.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { toast } from "../../parts/toast.tsx";
import { type Checker } from "./check/checker.ts";
import { useCheck, useChecker } from "./check/use-checker.ts";
import { EditorTab } from "./editor-tab.tsx";
import { LaunchDialog } from "./launch-dialog.tsx";
import { NewWorkflow } from "./new-workflow.tsx";
import { PlanView } from "./plan-view.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { SchedulesTab } from "./schedules-tab.tsx";
import { VersionsTab } from "./versions-tab.tsx";
import "./workflow.css";

/** The name of a new workflow in the address. No real workflow can have this name. */
export const NEW_NAME = "-";

const TABS = [
  { id: "graph", label: "Graph" },
  { id: "editor", label: "Editor" },
  { id: "versions", label: "Versions" },
  { id: "runs", label: "Runs" },
  { id: "schedules", label: "Schedules" },
];

export function WorkflowScreen({ params }: ScreenProps): JSX.Element {
  const name = params["name"] ?? "";
  const tab = params["tab"];
  const { get } = useSearchParams();
  // The tab is stored in the query of the address, because changing the tab does not leave the page.
  useEffect(() => {
    if (tab === undefined) return;
    const search = new URLSearchParams(location.search);
    search.set("tab", tab);
    navigate(`/workflows/${encodeURIComponent(name)}?${search.toString()}`, { replace: true });
  }, [name, tab]);
  if (name === NEW_NAME) return <NewWorkflow template={get("template")} />;
  return <Known key={name} name={name} />;
}

function Known({ name }: { readonly name: string }): JSX.Element {
  const found = useQuery(`workflow:${name}`, () => api.getWorkflow(name), { tags: ["workflows", `workflow:${name}`] });
  const version = found.data?.version ?? null;
  const latest = useQuery(
    version === null ? null : `version:${name}:${version}`,
    () => api.getVersion(name, version ?? 1),
    {
      freshMs: 600_000,
    },
  );
  if (found.data === undefined || latest.data === undefined) {
    const problem = found.problem ?? latest.problem;
    return (
      <>
        <PageHead title={name} trail={<Link to="/workflows">Workflows</Link>} />
        {problem === null ? <Skeleton lines={8} /> : <Missing name={name} problem={problem} />}
      </>
    );
  }
  return <Page key={name} workflow={found.data} source={latest.data.source} />;
}

function Missing({ name, problem }: { readonly name: string; readonly problem: Error }): JSX.Element {
  if (!(problem instanceof ApiProblem) || problem.code !== "unknown_workflow") return <ProblemView problem={problem} />;
  return (
    <Empty
      icon="workflow"
      title={`There is no workflow "${name}"`}
      command={`sluice save ${name}.lobsterX`}
      action={
        <Button kind="primary" icon="plus" onClick={() => navigate(`/workflows/${NEW_NAME}?template=steps`)}>
          New workflow
        </Button>
      }
    >
      Write it here, or save a file of it.
    </Empty>
  );
}

interface PageProps {
  readonly workflow: Workflow;
  /** Text of the newest version. */
  readonly source: string;
}

function Page({ workflow, source }: PageProps): JSX.Element {
  const saved = withoutReturns(source);
  const { name, version, origin } = workflow;
  const { get, set } = useSearchParams();
  const selected = TABS.find(({ id }) => id === get("tab"))?.id ?? "graph";
  const [draft, setDraft] = useState<string | null>(null);
  const isChanged = draft !== null && draft !== saved;
  const checker = useChecker();
  const mayRun = useMay("workflow:execute");
  const isLaunching = get("launch") !== null;
  useLeaveGuard(isChanged ? `The changes of ${name} are not saved.` : null);
  const launch = (isOpen: boolean): void => set({ launch: isOpen ? "1" : null });
  useShortcuts([
    { keys: "e", label: "Edit", group: "Workflow", run: () => set({ tab: "editor" }) },
    ...(mayRun ? [{ keys: "l", label: "Launch a run", group: "Workflow", run: () => launch(true) }] : []),
  ]);
  const tabs = TABS.map((tab) => (tab.id === "editor" && isChanged ? { ...tab, label: "Editor •" } : tab));
  return (
    <>
      <Head workflow={workflow} onLaunch={() => launch(true)} />
      <Tabs label="Parts of the workflow" tabs={tabs} selected={selected} onSelect={(tab) => set({ tab })}>
        {selected === "graph" && <GraphTab checker={checker} source={saved} />}
        {selected === "editor" && (
          <EditorTab
            checker={checker}
            name={name}
            saved={saved}
            draft={draft ?? saved}
            hasReturns={saved !== source}
            isFromCode={origin === "code"}
            onChange={setDraft}
            onSaved={() => setDraft(null)}
          />
        )}
        {selected === "versions" && (
          <VersionsTab
            name={name}
            latest={version}
            onTake={(text) => {
              setDraft(withoutReturns(text));
              set({ tab: "editor" });
            }}
          />
        )}
        {selected === "runs" && <RunsTab name={name} />}
        {selected === "schedules" && <SchedulesTab name={name} />}
      </Tabs>
      {isLaunching && <LaunchDialog name={name} latest={version} onClose={() => launch(false)} />}
    </>
  );
}

/** Returns the text with the line ends of the editor, so that a place in one is the same place in the other. */
function withoutReturns(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function Head({ workflow, onLaunch }: { readonly workflow: Workflow; readonly onLaunch: () => void }): JSX.Element {
  const { name, version, status, savedAt, format, posture, exposed } = workflow;
  const mayRun = useMay("workflow:execute");
  const mayWrite = useMay("workflow:write");
  const changing = useAction(async (next: WorkflowStatus) => {
    cache.put(`workflow:${name}`, await api.setWorkflowStatus(name, next));
    cache.invalidate("workflows");
    toast(`${name} is ${next} now.`, next === "active" ? "ok" : "info");
  });
  const steps = (["active", "paused", "deprecated"] as const).filter((each) => each !== status);
  const words = { active: "Activate", paused: "Pause", deprecated: "Deprecate" } as const;
  return (
    <>
      <PageHead
        title={name}
        trail={<Link to="/workflows">Workflows</Link>}
        subtitle={
          <span className="row workflow-facts">
            <StatusBadge status={status} />
            <span>version {version}</span>
            <span>
              saved <TimeText at={savedAt} />
            </span>
            <span>{format === "lobsterx" ? "steps" : "lens graph"}</span>
            <span>{posture.replaceAll("_", " ")}</span>
            {exposed && <span>exposed over MCP</span>}
          </span>
        }
        actions={
          <>
            {mayWrite && (
              <Menu
                label="Change status"
                items={steps.map((next) => ({ label: words[next], onSelect: () => void changing.run(next) }))}
              />
            )}
            <Button kind="primary" icon="run" disabled={!mayRun} onClick={onLaunch}>
              Launch
            </Button>
          </>
        }
      />
      {changing.problem !== null && <ProblemView problem={changing.problem} />}
    </>
  );
}

function GraphTab({ checker, source }: { readonly checker: Checker; readonly source: string }): JSX.Element {
  const { report } = useCheck(checker, source);
  if (report === null) return <Skeleton lines={8} height={24} />;
  if (report.plan === null) {
    return (
      <Empty icon="warn" title="This version can no longer be read">
        Open the editor to see what is wrong with it.
      </Empty>
    );
  }
  return <PlanView plan={report.plan} outline={report.outline} />;
}
