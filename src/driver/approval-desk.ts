import type { ApprovalInput, OpenApproval } from "../core/engine/index.ts";
import { isQuiet, type LiveRun, wakeAll } from "./live-run.ts";
import type { MemoryStore, PendingApproval } from "./memory-store.ts";
import type { Told } from "./told.ts";

export type ApprovalAnswer = Pick<ApprovalInput, "decision" | "by" | "byStarter" | "reason" | "modifications">;

/** Asks whoever can answer. Null leaves the question open; `refusal` says why the answer before was not taken. */
export type AnswerApproval = (
  approval: PendingApproval,
  about: { readonly signal: AbortSignal; readonly refusal: string | null },
) => Promise<ApprovalAnswer | null>;

/** Answers that were not taken before the question is left open: an answerer that insists must not spin. */
const REFUSALS_MAX = 3;

interface Question {
  readonly run: LiveRun;
  readonly approval: PendingApproval;
  readonly controller: AbortController;
  refusals: number;
}

/** Puts open approvals before a person and takes the answers back. */
export class ApprovalDesk {
  readonly #store: MemoryStore;
  readonly #answer: AnswerApproval;
  readonly #tell: (run: LiveRun, told: Told) => void;
  readonly #questions = new Map<string, Question>();

  constructor(store: MemoryStore, answer: AnswerApproval, tell: (run: LiveRun, told: Told) => void) {
    this.#store = store;
    this.#answer = answer;
    this.#tell = tell;
  }

  open(run: LiveRun, effect: OpenApproval): void {
    const approval = { ...effect, runId: run.state.runId, workflow: run.state.plan.name };
    this.#store.openApproval(approval);
    const question = { run, approval, controller: new AbortController(), refusals: 0 };
    this.#questions.set(approval.approvalId, question);
    void this.#ask(question, null);
  }

  close(approvalId: string): void {
    this.#store.closeApproval(approvalId);
    this.#questions.get(approvalId)?.controller.abort();
    this.#questions.delete(approvalId);
  }

  /** The engine did not take the answer; the person is told why and asked again. */
  refuse(approvalId: string, message: string): void {
    const question = this.#questions.get(approvalId);
    if (question === undefined) return;
    question.refusals += 1;
    if (question.refusals < REFUSALS_MAX) void this.#ask(question, message);
  }

  async #ask(question: Question, refusal: string | null): Promise<void> {
    const { run, approval, controller } = question;
    run.family.askedApprovals += 1;
    const answer = await this.#askSafely(approval, controller.signal, refusal);
    run.family.askedApprovals -= 1;
    if (answer === null || controller.signal.aborted) {
      if (isQuiet(run.family)) wakeAll(run.family);
      return;
    }
    this.#tell(run, { type: "approval", approvalId: approval.approvalId, ...answer });
  }

  /** An answerer that breaks has not answered. */
  async #askSafely(
    approval: PendingApproval,
    signal: AbortSignal,
    refusal: string | null,
  ): Promise<ApprovalAnswer | null> {
    try {
      return await this.#answer(approval, { signal, refusal });
    } catch {
      return null;
    }
  }
}
