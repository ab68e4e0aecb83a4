import { type JSX, lazy, Suspense, useEffect, useMemo, useState } from "react";
import type { SimulationReport } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { api } from "../../live/api.ts";
import { sendFile } from "../../live/send-file.ts";
import { useMay, useSession } from "../../live/session-store.ts";
import { useAction } from "../../page/use-action.ts";
import { readArgs } from "../../parts/arg-values.ts";
import { ArgsForm } from "../../parts/args-form.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import type { Checker } from "./check/checker.ts";
import type { AnswerSource, DrawnPlan, SimulationProblem } from "./check/protocol.ts";
import { ForecastView } from "./forecast-view.tsx";
import { type Funding, obstacleTo, type Where } from "./funding.ts";
import { FundingChoice, WhereChoice } from "./funding-choice.tsx";
import { NO_MODEL, type OwnModel, OwnModelFields } from "./own-model.tsx";
import type { PageRun } from "./page-run-view.tsx";

/** The parts of the run page. They are loaded only when something is run. */
const pageRuns = () => import("./page-run-view.tsx");
const PageRunView = lazy(async () => ({ default: (await pageRuns()).PageRunView }));

interface SimulatePanelProps {
  readonly checker: Checker;
  readonly source: string;
  readonly plan: DrawnPlan | null;
  readonly isBroken: boolean;
  /** Starts the saved version on the server. Null when the present text is not saved. */
  readonly launch: (() => void) | null;
}

type Result =
  | { readonly kind: "page"; readonly run: PageRun }
  | { readonly kind: "refused"; readonly problems: readonly SimulationProblem[] }
  | { readonly kind: "server"; readonly report: SimulationReport };

const SCRIPT_EXAMPLE = `nodes:
  greet: { stdout: "Hello Ada", cost_usd: 0.002 }`;

/** Tries the present text. The funding is chosen first. The server's keys are never sent to this page. */
export function SimulatePanel(props: SimulatePanelProps): JSX.Element {
  const { checker, source, plan, isBroken, launch } = props;
  const [funding, setFunding] = useState<Funding | null>(null);
  const [where, setWhere] = useState<Where>("page");
  const [script, setScript] = useState("");
  const { connect } = useSession();
  const [model, setModel] = useState<OwnModel>({ ...NO_MODEL, origin: connect[0] ?? "" });
  const [args, setArgs] = useArgs(plan);
  const [result, setResult] = useState<{ readonly source: string; readonly of: Result } | null>(null);
  const mayLaunch = useMay("workflow:execute");
  const starting = useAction(async () => {
    if (funding === "server") return launch?.();
    if (args === null || plan === null) return;
    const show = (of: Result): void => setResult({ source, of });
    const answers: AnswerSource = funding === "own_key" ? ownModelSource(model) : { kind: "script", script };
    if (funding === "none" && where === "server") show(await onServer(source, args, script));
    else await inPage(checker, { source, args, plan, answers }, show);
  });
  if (plan === null)
    return (
      <Empty icon="run" title="Nothing to simulate yet">
        Fix the problems first.
      </Empty>
    );
  const isSaved = launch !== null;
  const trial = { funding, hasArgs: args !== null, isBroken, model: model.model, isSaved, mayLaunch };
  const obstacle = obstacleTo(trial);
  return (
    <div className="stack">
      <FundingChoice funding={funding} onChange={setFunding} mayCall={connect.length > 0} />
      {funding === "none" && <WhereChoice where={where} onChange={setWhere} />}
      {funding === "server" ? (
        <p className="note">
          The saved version runs on the server. Its keys stay there: this page never receives them.
        </p>
      ) : (
        <ArgsForm key={Object.keys(plan.args).join()} fields={plan.args} onChange={setArgs} sendFile={sendFile} />
      )}
      {funding === "own_key" && <OwnModelFields origins={connect} value={model} onChange={setModel} />}
      {funding === "none" && <ScriptField script={script} onChange={setScript} />}
      <div className="row">
        <Button
          kind="primary"
          icon="run"
          isBusy={starting.isBusy}
          disabled={obstacle !== null}
          onClick={() => void starting.run()}
        >
          {funding === null ? "Execute" : VERBS[funding]}
        </Button>
        {obstacle !== null && <span className="muted">{obstacle}</span>}
        {result !== null && result.source !== source && <span className="muted">The text has changed since.</span>}
      </div>
      {starting.problem !== null && <ProblemView problem={starting.problem} />}
      {result !== null && (
        <ResultView
          result={result.of}
          isGoing={starting.isBusy}
          onServer={() => {
            setFunding("none");
            setWhere("server");
          }}
        />
      )}
    </div>
  );
}

const VERBS: Readonly<Record<Funding, string>> = {
  none: "Simulate",
  own_key: "Run in this page",
  server: "Launch on the server",
};

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
        hint="By node: stdout, outputs, fail, cost_usd, tokens. Other answers are generated."
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

/** Returns the args. As long as the form is not touched, they are the defaults. */
export function useArgs(plan: DrawnPlan | null): [JsonObject | null, (args: JsonObject | null) => void] {
  const initial = useMemo(() => {
    const { args, problems } = readArgs(plan?.args ?? {}, {});
    return problems.size === 0 ? args : null;
  }, [plan?.args]);
  const names = Object.keys(plan?.args ?? {}).join();
  const [args, setArgs] = useState(initial);
  // A different set of arg names means a different form, so the args are reset.
  useEffect(() => setArgs(initial), [names]);
  return [args, setArgs];
}

function ownModelSource({ origin, path, model, apiKey }: OwnModel): AnswerSource {
  return { kind: "model", baseUrl: `${origin}/${path.trim().replace(/^\/+/, "")}`, model: model.trim(), apiKey };
}

interface PageQuery {
  readonly source: string;
  readonly args: JsonObject;
  readonly plan: DrawnPlan;
  readonly answers: AnswerSource;
}

/** Runs the text in the page. The run is shown from its first event on. A run that cannot begin has no events. */
async function inPage(checker: Checker, query: PageQuery, show: (result: Result) => void): Promise<void> {
  const { source, args, plan, answers } = query;
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
  const query = { source, args, governance: "live", ...(script.trim() === "" ? {} : { script }) } as const;
  return { kind: "server", report: await api.simulate(query) };
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
