import { type CaseCall, answersFor, type CaseOutcome, type PersonAnswers, type TestCase } from "../core/cases/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import {
  answerAll,
  type AnswerQuestion,
  type BuiltEnvironment,
  type OutsideEvent,
  type Performance,
  type Piece,
  type Script,
  simulateGoverned,
  simulateOpen,
} from "../simulation/index.ts";
import { outcomeOf } from "./outcome-of.ts";

/** A workflow that can be run, and the rules that hold for it. */
export interface TestedWorkflow {
  readonly piece: Omit<Piece, "args" | "script">;
  /** Shared by all its cases. */
  readonly knownPlans: NonNullable<Performance["knownPlans"]>;
  /** The rules as they are at a moment; null: every gate is open. */
  environment(at: number): Promise<BuiltEnvironment | null>;
}

/** A case with everything it refers to. */
export interface ReadyCase extends Pick<TestCase, "people" | "events" | "at"> {
  /** Checked, with defaults. */
  readonly args: JsonObject;
  readonly script: Script;
}

export interface CaseRun {
  readonly outcome: CaseOutcome;
  /** Of the run and those it started. */
  readonly logs: readonly (readonly RunEvent[])[];
}

/** Runs a case in simulated time, on a store of its own: no case sees what another has done. */
export async function runCase(tested: TestedWorkflow, ready: ReadyCase, mayGoOn: () => boolean): Promise<CaseRun> {
  const { at, args, script, people } = ready;
  const piece: Piece = { ...tested.piece, args, script };
  const asked: AskedNode[] = [];
  const performance: Performance = {
    at,
    mayGoOn,
    knownPlans: tested.knownPlans,
    approve: answerBy(people),
    events: ready.events.map(outsideEvent),
    ledger: (request, _at, call) => {
      // The first call of the model has the text; the rounds after it follow from the answers.
      if (call !== undefined && (call.kind === "tool" || call.round > 0 || call.segment > 0)) return;
      const { runId, stepId, agentId, provider, message, stdin } = request;
      const text = stdin === undefined || stdin === "" ? message : `${message}\n${stdin}`;
      asked.push({ runId, nodeId: stepId, agent: agentId, provider, text });
    },
  };
  const environment = await tested.environment(at);
  const simulated =
    environment === null
      ? await simulateOpen(piece, performance)
      : await simulateGoverned(piece, environment, await launchOf(environment, piece), performance);
  return {
    outcome: outcomeOf(piece, simulated, asked),
    logs: simulated.family.map(({ log }) => log),
  };
}

/** A node as an adapter was asked to work on it. */
export interface AskedNode extends Pick<CaseCall, "agent" | "provider" | "text"> {
  readonly runId: string;
  readonly nodeId: string;
}

async function launchOf(environment: BuiltEnvironment, { plan }: Piece) {
  const record = await environment.workflow(plan.name);
  const { status = "active", posture = "bounded_autonomous" } = record ?? {};
  return { status, posture, hasApprovedLaunch: false, depth: 0, gateway: null };
}

function outsideEvent({ type, ...event }: TestCase["events"][number]): OutsideEvent {
  return { ...event, type: type ?? "" };
}

const PERSON = "person";

/** Each time a node asks it gets its next answer; what has none stays open. */
function answerBy(people: PersonAnswers): AnswerQuestion {
  if (people.kind === "all") return people.mode === "none" ? () => null : answerAll(people.mode);
  const times = new Map<string, number>();
  return ({ workflow, nodeId, choices }) => {
    const key = `${workflow}/${nodeId}`;
    const time = times.get(key) ?? 0;
    times.set(key, time + 1);
    const answers = answersFor(people.byNode, workflow, nodeId);
    const answer = answers[Math.min(time, answers.length - 1)];
    if (answer === undefined) return null;
    const { decision, by, reason, form, afterMs } = answer;
    // An approval means "again" where the choices are those after a failure, and a rejection means "no more".
    const meant = choices.includes(decision) ? decision : decision === "approve" ? "retry" : "abort";
    if (!choices.includes(meant)) return null;
    const entered = form === null ? {} : { form };
    return { decision: meant, by: by ?? PERSON, reason: reason ?? "answered by the case", afterMs, ...entered };
  };
}
