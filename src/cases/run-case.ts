import { type CaseCall, answersFor, type CaseOutcome, type PersonAnswers, type TestCase } from "../core/cases/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import {
  answerAll,
  type AnswerQuestion,
  type BuiltEnvironment,
  type OutsideEvent,
  type SimulationOptions,
  type SimulationInput,
  type Script,
  simulateGoverned,
  simulateOpen,
} from "../simulation/index.ts";
import { outcomeOf } from "./outcome-of.ts";

/** A workflow to test, with the governance rules that apply to it. */
export interface TestedWorkflow {
  readonly workflow: Omit<SimulationInput, "args" | "script">;
  /** Plans that all cases of the workflow share. */
  readonly knownPlans: NonNullable<SimulationOptions["knownPlans"]>;
  /** Returns the rules that apply at a moment. Null when every gate allows everything. */
  environment(at: number): Promise<BuiltEnvironment | null>;
}

/** A case with all the data that it refers to. */
export interface ReadyCase extends Pick<TestCase, "people" | "events" | "at"> {
  /** The checked args, with defaults. */
  readonly args: JsonObject;
  readonly script: Script;
}

export interface CaseRun {
  readonly outcome: CaseOutcome;
  /** The logs of the run and of the runs that it started. */
  readonly logs: readonly (readonly RunEvent[])[];
}

/** Runs a case in simulated time with its own store, so that cases do not affect each other. */
export async function runCase(tested: TestedWorkflow, ready: ReadyCase, mayContinue: () => boolean): Promise<CaseRun> {
  const { at, args, script, people } = ready;
  const input: SimulationInput = { ...tested.workflow, args, script };
  const asked: AskedNode[] = [];
  const options: SimulationOptions = {
    at,
    mayContinue,
    knownPlans: tested.knownPlans,
    approve: answerBy(people),
    events: ready.events.map(outsideEvent),
    ledger: (request, _at, call) => {
      // Only the first model call contains the text of the node. Later rounds follow from the answers.
      if (call !== undefined && (call.kind === "tool" || call.round > 0 || call.segment > 0)) return;
      const { runId, stepId, agentId, provider, message, stdin } = request;
      const text = stdin === undefined || stdin === "" ? message : `${message}\n${stdin}`;
      asked.push({ runId, nodeId: stepId, agent: agentId, provider, text });
    },
  };
  const environment = await tested.environment(at);
  const simulated =
    environment === null
      ? await simulateOpen(input, options)
      : await simulateGoverned(input, environment, await launchOf(environment, input), options);
  return {
    outcome: outcomeOf(input, simulated, asked),
    logs: simulated.family.map(({ log }) => log),
  };
}

/** A request of a node, as the adapter received it. */
export interface AskedNode extends Pick<CaseCall, "agent" | "provider" | "text"> {
  readonly runId: string;
  readonly nodeId: string;
}

async function launchOf(environment: BuiltEnvironment, { plan }: SimulationInput) {
  const record = await environment.workflow(plan.name);
  const { status = "active", posture = "bounded_autonomous" } = record ?? {};
  return { status, posture, hasApprovedLaunch: false, depth: 0, gateway: null };
}

function outsideEvent({ type, ...event }: TestCase["events"][number]): OutsideEvent {
  return { ...event, type: type ?? "" };
}

const PERSON = "person";

/** Answers the questions of each node in order and repeats the last answer. A node without an answer stays open. */
function answerBy(people: PersonAnswers): AnswerQuestion {
  if (people.kind === "all") return people.mode === "none" ? () => null : answerAll(people.mode);
  const times = new Map<string, number>();
  return ({ choices, ...node }) => {
    const { key, answers } = answersFor(people.byNode, node);
    const asked = `${key} ${node.workflow}/${node.nodeId}`;
    const time = times.get(asked) ?? 0;
    times.set(asked, time + 1);
    const answer = answers[Math.min(time, answers.length - 1)];
    if (answer === undefined) return null;
    const { decision, by, reason, form, afterMs } = answer;
    // When the choices are those after a failure, an approval means retry and a rejection means abort.
    const meant = choices.includes(decision) ? decision : decision === "approve" ? "retry" : "abort";
    if (!choices.includes(meant)) return null;
    const entered = form === null ? {} : { form };
    return { decision: meant, by: by ?? PERSON, reason: reason ?? "answered by the case", afterMs, ...entered };
  };
}
