import {
  type BrowserProvider,
  type BrowserRequest,
  type BrowserResult,
  checkBrowserRun,
  readWorkflow,
  runInBrowser,
} from "../../../../browser/index.ts";
import { fail, type Outcome, succeed } from "../../../../core/base/index.ts";
import {
  type Answers,
  type CheckReport,
  outlineOf,
  type PageSimulation,
  type Question,
  type Reply,
  type SimulationProblem,
} from "./protocol.ts";
import { answerByScript, EMPTY_SCRIPT, findEntry, readScript, type Script } from "../../../../core/script/index.ts";

/** The checker the server has, asked in the page. */
export async function answerQuestion(question: Question): Promise<Reply> {
  const { id, source } = question;
  if (question.type === "check") return { type: "checked", id, report: check(source) };
  return { type: "simulated", id, simulation: await simulate(question) };
}

function check(source: string): CheckReport {
  const { plan, problems, warnings } = readWorkflow(source);
  return { plan: plan === null ? null : outlineOf(plan), problems, warnings };
}

async function simulate(question: Extract<Question, { type: "simulate" }>): Promise<PageSimulation> {
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
  });
  return outcome.ok ? { ok: true, events: outcome.value.events } : { ok: false, problems: outcome.failure };
}

function providerOf(answers: Answers): Outcome<BrowserProvider, readonly SimulationProblem[]> {
  if (answers.kind === "model") {
    const { baseUrl, model, apiKey } = answers;
    return succeed({ kind: "openai-compatible", baseUrl, model, apiKey });
  }
  const { script, problems } =
    answers.script.trim() === "" ? { script: EMPTY_SCRIPT, problems: [] } : readScript(answers.script);
  if (problems.length > 0) return fail(problems);
  return succeed({ kind: "scripted", execute: (request) => Promise.resolve(answerFor(script, request)) });
}

/** The file the command line takes. A page has nobody who waits: what takes long is said at once, or said to time out. */
function answerFor(script: Script, request: BrowserRequest): BrowserResult {
  const entry = findEntry(script, request.context.workflow, request.stepId, request.attempt) ?? {};
  if (entry.hang !== true) return answerByScript(script, entry, request);
  return { status: "failed", failure: "timeout", message: "The script never answers this attempt." };
}
