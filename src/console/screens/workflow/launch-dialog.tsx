import { type JSX, useEffect, useState } from "react";
import { ApiProblem, type Run, type SimulationReport, type Start } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { Link, navigate } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { sendFile } from "../../live/send-file.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useRegistered } from "../../live/use-registered.ts";
import { asError, useAction } from "../../page/use-action.ts";
import { ArgsForm } from "../../parts/args-form.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Money } from "../../parts/money.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Select } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { toast } from "../../parts/toast.tsx";
import { useCheck, useChecker } from "./check/use-checker.ts";
import { ExplanationView } from "./explanation-view.tsx";
import { Launch } from "./forecast-view.tsx";
import { useArgs } from "./simulate-panel.tsx";
import { VersionSelect } from "./version-select.tsx";

interface LaunchDialogProps {
  readonly name: string;
  readonly latest: number;
  readonly onClose: () => void;
}

interface Choices {
  readonly version: number;
  readonly gateway: string;
  readonly team: string;
  readonly model: string;
}

/** Starts a run: asks for its args and its gateway, and shows the present verdicts of the gates. */
export function LaunchDialog({ name, latest, onClose }: LaunchDialogProps): JSX.Element {
  // The dialog needs its own checker: a checker reports on the newest text only, and the page behind the dialog uses another text.
  const checker = useChecker();
  const [choices, setChoices] = useState<Choices>({ version: latest, gateway: "", team: "", model: "" });
  const { version } = choices;
  const text = useQuery(`version:${name}:${version}`, () => api.getVersion(name, version), { freshMs: 600_000 });
  const { report, isCurrent } = useCheck(checker, text.data?.source ?? "");
  const plan = isCurrent && text.data !== undefined ? (report?.plan ?? null) : null;
  const [args, setArgs] = useArgs(plan);
  const forecast = useForecast(name, choices, plan === null ? null : args);
  const starting = useAction(async () => {
    if (args === null) return;
    const run: Run = await api.startRun(startOf(name, choices, args), { idempotencyKey: crypto.randomUUID() });
    cache.invalidate("runs");
    toast(`Started ${run.id}.`);
    navigate(`/runs/${run.id}`);
  });
  return (
    <Dialog
      title={`Launch ${name}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            icon="run"
            disabled={plan === null || args === null}
            isBusy={starting.isBusy}
            onClick={() => void starting.run()}
          >
            Start run
          </Button>
        </>
      }
    >
      {text.problem !== null && <ProblemView problem={text.problem} />}
      {plan === null && text.problem === null && <Skeleton lines={4} />}
      {plan !== null && <ArgsForm key={`${version}`} fields={plan.args} onChange={setArgs} sendFile={sendFile} />}
      <ChoiceFields choices={choices} latest={latest} onChange={setChoices} />
      <ForecastLine forecast={forecast} isReady={args !== null} />
      {starting.problem !== null && <Refusal problem={starting.problem} />}
    </Dialog>
  );
}

/** Explains a refusal by a gate. A held launch is listed among the approvals, where a person can approve it. */
function Refusal({ problem }: { readonly problem: Error }): JSX.Element {
  if (!(problem instanceof ApiProblem) || problem.explanation === null) return <ProblemView problem={problem} />;
  const isHeld = problem.explanation.unblock.some(({ action }) => action === "approve_launch");
  return (
    <div role="alert">
      <ExplanationView subject={problem.title} verdict={isHeld ? "hold" : "block"} explanation={problem.explanation} />
      {isHeld && (
        <p>
          <Link to="/approvals">Approvals</Link>: once it is approved, start it again.
        </p>
      )}
    </div>
  );
}

function startOf(workflow: string, { version, gateway, team, model }: Choices, args: JsonObject): Start {
  const start: Start & { readonly team?: string } = {
    workflow,
    version,
    args,
    ...(gateway === "" ? {} : { gateway }),
    ...(team === "" ? {} : { team }),
    ...(model.trim() === "" ? {} : { model: model.trim() }),
  };
  return start;
}

interface ChoiceFieldsProps {
  readonly choices: Choices;
  readonly latest: number;
  readonly onChange: (choices: Choices) => void;
}

function ChoiceFields({ choices, latest, onChange }: ChoiceFieldsProps): JSX.Element {
  const isGoverning = useMay("governance:read");
  const gateways = useQuery(isGoverning ? "gateways" : null, () => api.listGateways(), { tags: ["gateways"] });
  const teams = useRegistered("teams", isGoverning);
  return (
    <div className="workflow-choices">
      <VersionSelect
        label="Version"
        value={choices.version}
        latest={latest}
        onChange={(version) => onChange({ ...choices, version: Number(version) })}
      />
      <Field label="Gateway">
        <Select
          value={choices.gateway}
          options={[
            ["", "Chosen by the gates"],
            ...(gateways.data?.data ?? []).map(({ id, status }) => [id, `${id} (${status})`] as const),
          ]}
          onChange={(gateway) => onChange({ ...choices, gateway })}
        />
      </Field>
      <Field label="Team">
        <Select
          value={choices.team}
          options={[["", "None"], ...(teams.data ?? []).map(({ id }) => id)]}
          onChange={(team) => onChange({ ...choices, team })}
        />
      </Field>
      <Field label="Model">
        <input
          placeholder="As the workflow sets it"
          value={choices.model}
          onChange={(event) => onChange({ ...choices, model: event.target.value })}
        />
      </Field>
    </div>
  );
}

type Forecast = { readonly report: SimulationReport } | { readonly problem: Error } | null;

const PAUSE_MS = 400;

/** Requests the verdicts of the gates shortly after the last change of the version, gateway or args. */
function useForecast(workflow: string, { version, gateway }: Choices, args: JsonObject | null): Forecast {
  const [forecast, setForecast] = useState<Forecast>(null);
  const key = args === null ? null : JSON.stringify([workflow, version, gateway, args]);
  useEffect(() => {
    if (key === null || args === null) return undefined;
    let isWanted = true;
    const ask = async (): Promise<void> => {
      const start = { workflow, version, args, governance: "live", ...(gateway === "" ? {} : { gateway }) } as const;
      const found = await api.simulate(start).then(
        (report): Forecast => ({ report }),
        (thrown: unknown): Forecast => ({ problem: asError(thrown) }),
      );
      if (isWanted) setForecast(found);
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key]);
  return forecast;
}

function ForecastLine({ forecast, isReady }: { readonly forecast: Forecast; readonly isReady: boolean }): JSX.Element {
  if (!isReady) return <p className="muted">Fill in the required args to see what it would cost.</p>;
  if (forecast === null) return <p className="muted">Asking the gates …</p>;
  if ("problem" in forecast) return <ProblemView problem={forecast.problem} />;
  const { report } = forecast;
  const stopped = report.nodes.filter(({ verdict, explanation }) => verdict === "block" && explanation !== null);
  const people = report.forecast.waitsForPerson;
  return (
    <section className="stack" aria-label="Forecast" aria-live="polite">
      <p className="row">
        <span>
          Forecast cost{" "}
          <strong>
            <Money micros={report.forecast.costMicros} />
          </strong>
        </span>
        <span className="muted">
          reserves at most <Money micros={report.forecast.reservedMicros} />
        </span>
        {people.length > 0 && <span>waits for a person at {people.join(", ")}</span>}
      </p>
      <Launch report={report} />
      {stopped.map((node) => (
        <ExplanationView key={node.nodeId} subject={node.nodeId} verdict="block" explanation={node.explanation} />
      ))}
    </section>
  );
}
