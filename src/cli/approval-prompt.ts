import type { EventOf, RunEvent } from "../core/event/index.ts";
import type { AnswerApproval, ApprovalAnswer } from "./approvals.ts";

export type Asked = EventOf<"approval.requested">["payload"];

export interface ApprovalPromptOptions {
  /** Asks for answers. Null when questions are not answered here. */
  readonly answer: AnswerApproval | null;
  /** Submits an answer. Resolves to the reason why it was refused, or to null when it was accepted or is no longer needed. */
  readonly submitAnswer: (asked: Asked, given: ApprovalAnswer) => Promise<string | null>;
  /** Called when a question was asked but no answer could be submitted. */
  readonly onLeftOpen: (approvalId: string, why: string) => void;
  /** Called when a question was answered, withdrawn or left open. */
  readonly onDone?: () => void;
}

/** Codes that mean that an answer came too late. */
const CLOSED: ReadonlySet<string> = new Set(["approval_closed", "run_finished", "content_changed"]);

export function isClosed(code: string): boolean {
  return CLOSED.has(code);
}

/** Maximum number of refused answers before a question is left open, so that automatic answers cannot loop. */
const REFUSALS_MAX = 3;

/** Passes the approval requests of a run to the person at the terminal, and submits the answers. */
export class ApprovalPrompt {
  readonly #options: ApprovalPromptOptions;
  readonly #open = new Map<string, AbortController>();
  #asking = 0;
  #isClosed = false;

  constructor(options: ApprovalPromptOptions) {
    this.#options = options;
  }

  /** True while a question is shown or its answer is being submitted. */
  get isAsking(): boolean {
    return this.#asking > 0;
  }

  /** Reads an event of the run. When another person has answered a question, it is withdrawn here. */
  note(event: RunEvent): void {
    const { answer } = this.#options;
    if (event.type === "approval.resolved") {
      this.#open.get(event.payload.approvalId)?.abort();
      this.#open.delete(event.payload.approvalId);
    }
    if (event.type === "approval.requested" && answer !== null && !this.#isClosed)
      void this.#askPerson(event.payload, answer);
  }

  /** Withdraws open questions and asks no more. */
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

  /** Asks until an answer is accepted. Resolves to the last reason for a refusal, or to null. */
  async #ask(asked: Asked, answer: AnswerApproval): Promise<string | null> {
    const controller = new AbortController();
    this.#open.set(asked.approvalId, controller);
    const { signal } = controller;
    let refusal: string | null = null;
    for (let refusals = 0; refusals < REFUSALS_MAX; refusals += 1) {
      const given = await answer(asked, { signal, refusal });
      if (signal.aborted) return null;
      if (given === null) return refusal;
      refusal = await this.#options.submitAnswer(asked, given).catch(wordsOf);
      if (refusal === null || signal.aborted) return null;
    }
    return refusal;
  }
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
