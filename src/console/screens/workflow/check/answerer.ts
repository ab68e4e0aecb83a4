import {
  type BrowserProvider,
  type BrowserRequest,
  type BrowserResult,
  checkBrowserRun,
  readWorkflow,
  runInBrowser,
} from "../../../../browser/index.ts";
import { fail, type Outcome, succeed } from "../../../../core/base/index.ts";
import { copySteps, editWorkflow, readOutline } from "../../../../core/edit/index.ts";
import type { RunEvent } from "../../../../core/event/index.ts";
import {
  type AnswerSource,
  type CheckReport,
  drawnPlanOf,
  type EditAnswer,
  type PageSimulation,
  type Question,
  type Reply,
  type SimulationProblem,
} from "./protocol.ts";
import { answerByScript, EMPTY_SCRIPT, findEntry, readScript, type Script } from "../../../../core/script/index.ts";

export interface AnswererOptions {
  readonly reply: (reply: Reply) => void;
  /** Calls back after a short delay, so that events that arrive close together are sent together. */
  readonly soon: (run: () => void) => void;
}

/** Answers the page's questions with the same checker and engine as the server, without a request to the server. */
export class Answerer {
  readonly #options: AnswererOptions;
  readonly #underWay = new Map<number, AbortController>();

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  /** Replies to every question, because the page does not continue before. */
  async take(question: Question): Promise<void> {
    try {
      await this.#answer(question);
    } catch (bug) {
      this.#options.reply({ type: "failed", id: question.id, message: messageOf(bug) });
    }
  }

  async #answer(question: Question): Promise<void> {
    const { id } = question;
    if (question.type === "check") this.#options.reply({ type: "checked", id, report: check(question.source) });
    else if (question.type === "edit") this.#options.reply({ type: "edited", id, answer: edit(question) });
    else if (question.type === "copy")
      this.#options.reply({ type: "copied", id, text: copySteps(question.source, question.paths) });
    else if (question.type === "stop") this.#underWay.get(id)?.abort();
    else await this.#simulate(question);
  }

  async #simulate(question: Simulate): Promise<void> {
    const { reply, soon } = this.#options;
    const { id } = question;
    const controller = new AbortController();
    this.#underWay.set(id, controller);
    let waiting: RunEvent[] = [];
    const flush = (): void => {
      if (waiting.length > 0) reply({ type: "progress", id, events: waiting });
      waiting = [];
    };
    const onEvents = (events: readonly RunEvent[]): void => {
      if (waiting.length === 0) soon(flush);
      for (const event of events) waiting.push(event);
    };
    const simulation = await simulate(question, onEvents, controller.signal).catch(failedSimulation);
    this.#underWay.delete(id);
    flush();
    reply({ type: "simulated", id, simulation });
  }
}

type Simulate = Extract<Question, { type: "simulate" }>;

function failedSimulation(bug: unknown): PageSimulation {
  const message = `The engine in this page failed: ${messageOf(bug)}`;
  return { ok: false, problems: [{ code: "internal_error", message }] };
}

function messageOf(bug: unknown): string {
  return bug instanceof Error ? bug.message : String(bug);
}

function check(source: string): CheckReport {
  const { plan, problems, warnings } = readWorkflow(source);
  return { plan: plan === null ? null : drawnPlanOf(plan), problems, warnings, outline: readOutline(source) };
}

function edit({ source, edit: wanted }: Extract<Question, { type: "edit" }>): EditAnswer {
  const outcome = editWorkflow(source, wanted);
  return { outcome, outline: outcome.ok ? readOutline(outcome.value.text) : null };
}

async function simulate(
  question: Simulate,
  onEvents: (events: readonly RunEvent[]) => void,
  signal: AbortSignal,
): Promise<PageSimulation> {
  const { plan, problems, hash } = readWorkflow(question.source);
  if (plan === null) return { ok: false, problems };
  const provider = providerOf(question.answers);
  if (!provider.ok) return { ok: false, problems: provider.failure };
  const obstacles = checkBrowserRun(plan, provider.value.kind);
  if (obstacles.length > 0) return { ok: false, problems: obstacles };
  const outcome = await runInBrowser({
    plan,
    hash,
    args: question.args,
    runId: "run_in_this_page",
    provider: provider.value,
    onEvents,
    signal,
  });
  return outcome.ok ? { ok: true } : { ok: false, problems: outcome.failure };
}

function providerOf(answers: AnswerSource): Outcome<BrowserProvider, readonly SimulationProblem[]> {
  if (answers.kind === "model") {
    const { baseUrl, model, apiKey } = answers;
    return succeed({ kind: "openai-compatible", baseUrl, model, apiKey });
  }
  const { script, problems } =
    answers.script.trim() === "" ? { script: EMPTY_SCRIPT, problems: [] } : readScript(answers.script);
  if (problems.length > 0) return fail(problems);
  return succeed({ kind: "scripted", execute: (request) => Promise.resolve(answerFor(script, request)) });
}

/** Answers from a script, in the format of `sluice run --script`. Delays are skipped: an answer comes at once, or times out. */
function answerFor(script: Script, request: BrowserRequest): BrowserResult {
  const { workflow } = request.context;
  const entry = findEntry(script, { workflow, nodeId: request.stepId, path: "" }, request.attempt) ?? {};
  if (entry.hang !== true) return answerByScript(script, entry, request);
  return { status: "failed", failure: "timeout", message: "The script never answers this attempt." };
}
