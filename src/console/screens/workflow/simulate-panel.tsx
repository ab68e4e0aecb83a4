import { type JSX, lazy, Suspense, useEffect, useMemo, useState } from "react";
import type { SimulationReport } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { api } from "../../live/api.ts";
import { useMay, useSession } from "../../live/session-store.ts";
import { useAction } from "../../live/use-query.ts";
import { readArgs } from "../../parts/arg-values.ts";
import { ArgsForm } from "../../parts/args-form.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import type { Checker } from "./check/checker.ts";
import type { Answers, PlanOutline, SimulationProblem } from "./check/protocol.ts";
import { ForecastView } from "./forecast-view.tsx";
import { NO_MODEL, type OwnModel, OwnModelFields } from "./own-model.tsx";
import type { PageRun } from "./page-run-view.tsx";

/** The parts of the run page, for those who run something. */
const pageRuns = () => import("./page-run-view.tsx");
const PageRunView = lazy(async () => ({ default: (await pageRuns()).PageRunView }));

interface SimulatePanelProps {
  readonly checker: Checker;
  readonly source: string;
  readonly plan: PlanOutline | null;
  readonly isBroken: boolean;
}

type Where = "page" | "model" | "server";
type Result =
  | { readonly kind: "page"; readonly run: PageRun }
  | { readonly kind: "refused"; readonly problems: readonly SimulationProblem[] }
  | { readonly kind: "server"; readonly report: SimulationReport };

const SCRIPT_EXAMPLE = `nodes:
  greet: { stdout: "Hello Ada", cost_usd: 0.002 }`;

/** Tries the text as it stands: nothing is saved, nothing is spent. */
export function SimulatePanel({ checker, source, plan, isBroken }: SimulatePanelProps): JSX.Element {
  const [where, setWhere] = useState<Where>("page");
  const [script, setScript] = useState("");
  const { connect } = useSession();
  const [model, setModel] = useState<OwnModel>({ ...NO_MODEL, origin: connect[0] ?? "" });
  const [args, setArgs] = useArgs(plan);
  const [result, setResult] = useState<{ readonly source: string; readonly of: Result } | null>(null);
  const simulating = useAction(async () => {
    if (args === null || plan === null) return;
    const show = (of: Result): void => setResult({ source, of });
    if (where === "server") show(await onServer(source, args, script));
    else
      await inPage(
        checker,
        { source, args, plan, answers: where === "page" ? { kind: "script", script } : calling(model) },
        show,
      );
  });
  if (plan === null)
    return (
      <Empty icon="run" title="Nothing to simulate yet">
        Mend the problems first.
      </Empty>
    );
  return (
    <div className="stack">
      <WhereChoice where={where} onChange={setWhere} mayCall={connect.length > 0} />
      <ArgsForm key={Object.keys(plan.args).join()} fields={plan.args} onChange={setArgs} />
      {where === "model" ? (
        <OwnModelFields origins={connect} value={model} onChange={setModel} />
      ) : (
        <ScriptField script={script} onChange={setScript} />
      )}
      <div className="row">
        <Button
          kind="primary"
          icon="run"
          isBusy={simulating.isBusy}
          disabled={isBroken || args === null || (where === "model" && model.model.trim() === "")}
          onClick={() => void simulating.run()}
        >
          {where === "model" ? "Run in this page" : "Simulate"}
        </Button>
        {args === null && <span className="muted">Fill in the required args first.</span>}
        {result !== null && result.source !== source && <span className="muted">The text has changed since.</span>}
      </div>
      {simulating.problem !== null && <ProblemView problem={simulating.problem} />}
      {result !== null && (
        <ResultView result={result.of} isGoing={simulating.isBusy} onServer={() => setWhere("server")} />
      )}
    </div>
  );
}

interface ScriptFieldProps {
  readonly script: string;
  readonly onChange: (script: string) => void;
}

function ScriptField({ script, onChange }: ScriptFieldProps): JSX.Element {
  return (
    <details>
      <summary>Scripted answers</summary>
      <Field
        label="Script (YAML)"
        hint="By node: stdout, outputs, fail, cost_usd, tokens. Whatever is not scripted is made up."
      >
        <textarea
          className="mono"
          rows={5}
          spellCheck={false}
          placeholder={SCRIPT_EXAMPLE}
          value={script}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
    </details>
  );
}

interface WhereChoiceProps {
  readonly where: Where;
  readonly onChange: (where: Where) => void;
  /** Somebody has said which services pages may call. */
  readonly mayCall: boolean;
}

function WhereChoice({ where, onChange, mayCall }: WhereChoiceProps): JSX.Element {
  const isGoverning = useMay("governance:read");
  return (
    <fieldset className="workflow-where">
      <legend>Where</legend>
      <label className="row">
        <input type="radio" name="where" checked={where === "page"} onChange={() => onChange("page")} />
        In this page, with scripted answers
      </label>
      <label className="row">
        <input
          type="radio"
          name="where"
          disabled={!isGoverning}
          checked={where === "server"}
          onChange={() => onChange("server")}
        />
        On the server, with today's gates, budgets and policies
      </label>
      {mayCall && (
        <label className="row">
          <input type="radio" name="where" checked={where === "model"} onChange={() => onChange("model")} />
          In this page, with a model of yours
        </label>
      )}
    </fieldset>
  );
}

/** The args of a form that was never touched are what its defaults make of them. */
export function useArgs(plan: PlanOutline | null): [JsonObject | null, (args: JsonObject | null) => void] {
  const initial = useMemo(() => {
    const { args, problems } = readArgs(plan?.args ?? {}, {});
    return problems.size === 0 ? args : null;
  }, [plan?.args]);
  const names = Object.keys(plan?.args ?? {}).join();
  const [args, setArgs] = useState(initial);
  // Another set of args is another form.
  useEffect(() => setArgs(initial), [names]);
  return [args, setArgs];
}

function calling({ origin, path, model, apiKey }: OwnModel): Answers {
  return { kind: "model", baseUrl: `${origin}/${path.trim().replace(/^\/+/, "")}`, model: model.trim(), apiKey };
}

interface PageWish {
  readonly source: string;
  readonly args: JsonObject;
  readonly plan: PlanOutline;
  readonly answers: Answers;
}

/** Shown from its first event on; one that cannot begin has none. */
async function inPage(checker: Checker, wish: PageWish, show: (result: Result) => void): Promise<void> {
  const { source, args, plan, answers } = wish;
  const { beginPageRun } = await pageRuns();
  let isShown = false;
  const simulating = checker.simulate(source, args, answers, (events) => {
    run.take(events);
    if (!isShown) show({ kind: "page", run });
    isShown = true;
  });
  const run = beginPageRun(plan, answers.kind === "model", simulating.stop);
  const simulation = await simulating.done;
  if (!simulation.ok) show({ kind: "refused", problems: simulation.problems });
}

async function onServer(source: string, args: JsonObject, script: string): Promise<Result> {
  const wish = { source, args, governance: "live", ...(script.trim() === "" ? {} : { script }) } as const;
  return { kind: "server", report: await api.simulate(wish) };
}

interface ResultViewProps {
  readonly result: Result;
  readonly isGoing: boolean;
  readonly onServer: () => void;
}

function ResultView({ result, isGoing, onServer: useServer }: ResultViewProps): JSX.Element {
  if (result.kind === "page") {
    return (
      <Suspense fallback={<Skeleton lines={4} height={32} />}>
        <PageRunView key={result.run.key} run={result.run} isGoing={isGoing} />
      </Suspense>
    );
  }
  if (result.kind === "server") return <ForecastView report={result.report} />;
  const isForServer = result.problems.some(({ code }) => code === "not_runnable_in_browser");
  return (
    <div className="note" role="alert">
      <p>It cannot run in this page:</p>
      <ul className="workflow-plain-list">
        {result.problems.map(({ code, message, line }, index) => (
          <li key={index}>
            {line !== undefined && <span className="muted num">script line {line}: </span>}
            {message} <code className="muted">{code}</code>
          </li>
        ))}
      </ul>
      {isForServer && <Button onClick={useServer}>Simulate on the server instead</Button>}
    </div>
  );
}
