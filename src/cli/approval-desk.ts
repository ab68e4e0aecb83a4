import type { EventOf, RunEvent } from "../core/event/index.ts";
import { ApiProblem } from "../client/index.ts";
import type { Api } from "./api.ts";
import type { Answer } from "./approvals.ts";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

const CLOSED = new Set(["approval_closed", "run_finished", "content_changed"]);

/** Takes the questions of a run on a server to whoever answers here, and the answers back. */
export class ApprovalDesk {
  readonly #io: Io;
  readonly #api: Api;
  readonly #answer: Answer | null;
  readonly #signal: AbortSignal;
  readonly #open = new Map<string, AbortController>();

  constructor(io: Io, api: Api, answer: Answer | null, signal: AbortSignal) {
    this.#io = io;
    this.#api = api;
    this.#answer = answer;
    this.#signal = signal;
  }

  /** Somebody else may answer first, and then nobody has to be asked any more. */
  note(event: RunEvent): void {
    if (event.type === "approval.resolved") {
      this.#open.get(event.payload.approvalId)?.abort();
      this.#open.delete(event.payload.approvalId);
    }
    if (event.type === "approval.requested" && this.#answer !== null) {
      this.#ask(event.payload, this.#answer).catch((thrown: unknown) =>
        this.#stayOpen(event.payload.approvalId, thrown),
      );
    }
  }

  close(): void {
    for (const asked of this.#open.values()) asked.abort();
    this.#open.clear();
  }

  async #ask(question: EventOf<"approval.requested">["payload"], answer: Answer): Promise<void> {
    const { approvalId, digest } = question;
    const asked = new AbortController();
    this.#open.set(approvalId, asked);
    const signal = AbortSignal.any([asked.signal, this.#signal]);
    let refusal: string | null = null;
    while (!signal.aborted) {
      const given = await answer(question, { signal, refusal });
      if (given === null && refusal !== null) this.#stayOpen(approvalId, refusal);
      if (given === null || signal.aborted) return;
      const reason = given.reason === undefined ? {} : { reason: given.reason };
      try {
        await this.#api.resolveApproval(approvalId, { decision: given.decision, digest, ...reason });
        return;
      } catch (thrown) {
        if (thrown instanceof ApiProblem && CLOSED.has(thrown.code)) return;
        refusal = thrown instanceof Error ? thrown.message : String(thrown);
      }
    }
  }

  #stayOpen(approvalId: string, why: unknown): void {
    const reason = why instanceof Error ? why.message : String(why);
    this.#io.err.write(`sluice: ${approvalId} stays open: ${printable(reason)}\n`);
  }
}
