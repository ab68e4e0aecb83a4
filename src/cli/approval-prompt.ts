import type { EventOf, RunEvent } from "../core/event/index.ts";
import type { AnswerApproval, ApprovalAnswer } from "./approvals.ts";

export type Asked = EventOf<"approval.requested">["payload"];

export interface ApprovalPromptOptions {
  /** Null: no person is asked. */
  readonly answer: AnswerApproval | null;
  /** Submits an answer, and returns why it was not taken; null when it was, or when it is not needed any more. */
  readonly handIn: (asked: Asked, given: ApprovalAnswer) => Promise<string | null>;
  /** A person was asked, and it could not be answered. */
  readonly onLeftOpen: (approvalId: string, why: string) => void;
  /** A question was answered, taken back, or left open. */
  readonly onDone?: () => void;
}

/** What it means to come too late with an answer. */
const CLOSED: ReadonlySet<string> = new Set(["approval_closed", "run_finished", "content_changed"]);

export function isClosed(code: string): boolean {
  return CLOSED.has(code);
}

/** Answers that were not taken before a question is left open: repeating it must not spin. */
const REFUSALS_MAX = 3;

/** Takes the questions of a run to the person who answers here, and the answers back. */
export class ApprovalPrompt {
  readonly #options: ApprovalPromptOptions;
  readonly #open = new Map<string, AbortController>();
  #asking = 0;
  #isClosed = false;

  constructor(options: ApprovalPromptOptions) {
    this.#options = options;
  }

  /** A question is open at the terminal, or its answer is on its way. */
  get isAsking(): boolean {
    return this.#asking > 0;
  }

  /** Another person may answer first, and then the question is dropped. */
  note(event: RunEvent): void {
    const { answer } = this.#options;
    if (event.type === "approval.resolved") {
      this.#open.get(event.payload.approvalId)?.abort();
      this.#open.delete(event.payload.approvalId);
    }
    if (event.type === "approval.requested" && answer !== null && !this.#isClosed)
      void this.#askPerson(event.payload, answer);
  }

  /** Takes back what is asked, and asks nothing more. */
  close(): void {
    this.#isClosed = true;
    for (const asked of this.#open.values()) asked.abort();
    this.#open.clear();
  }

  async #askPerson(asked: Asked, answer: AnswerApproval): Promise<void> {
    const { onLeftOpen, onDone } = this.#options;
    this.#asking += 1;
    try {
      const refusal = await this.#ask(asked, answer);
      if (refusal !== null) onLeftOpen(asked.approvalId, refusal);
    } catch (thrown) {
      onLeftOpen(asked.approvalId, wordsOf(thrown));
    }
    this.#asking -= 1;
    onDone?.();
  }

  /** Why it stays open although it was answered. */
  async #ask(asked: Asked, answer: AnswerApproval): Promise<string | null> {
    const controller = new AbortController();
    this.#open.set(asked.approvalId, controller);
    const { signal } = controller;
    let refusal: string | null = null;
    for (let refusals = 0; refusals < REFUSALS_MAX; refusals += 1) {
      const given = await answer(asked, { signal, refusal });
      if (signal.aborted) return null;
      if (given === null) return refusal;
      refusal = await this.#options.handIn(asked, given).catch(wordsOf);
      if (refusal === null || signal.aborted) return null;
    }
    return refusal;
  }
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
