import { setTimeout as pause } from "node:timers/promises";
import type { Json } from "../../../src/core/base/index.ts";
import type { Api } from "./api.ts";
import { readTurnLedger } from "./turn-ledger.ts";

/** What is answered: what goes with an approval, and what a call has returned that never reported. */
export interface Answers {
  readonly approved: { readonly modifications?: object };
  readonly result: Json;
}

/** Approves calls, and says what became of those that never reported, as the ledger of the tool shows it. */
export class Answerer {
  readonly #api: Api;
  readonly #ledger: string;
  readonly #answers: Answers;
  readonly #done: Promise<void>;
  #isStopped = false;
  held = 0;
  unknown = 0;

  constructor(api: Api, ledger: string, answers: Answers) {
    this.#api = api;
    this.#ledger = ledger;
    this.#answers = answers;
    this.#done = this.#run();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const open = await this.#api.listApprovals("pending").catch(() => []);
      for (const { id, runId } of open) {
        const answer = await this.#answerTo(runId, id).catch(() => null);
        if (answer === null || (await this.#api.tryPost(`/approvals/${id}/resolve`, answer.body)) !== 200) continue;
        if (answer.isUnknown) this.unknown += 1;
        else this.held += 1;
      }
      await pause(100);
    }
  }

  async #answerTo(runId: string, approvalId: string): Promise<{ body: object; isUnknown: boolean } | null> {
    const about = (await this.#api.readLog(runId)).filter(
      ({ payload }) => (payload as { approvalId?: string }).approvalId === approvalId,
    );
    const asked = about.find(({ type }) => type === "approval.requested")?.payload as { choices: string[] } | undefined;
    const held = about.findLast(({ type }) => type === "tool.decided")?.payload as { callId: string } | undefined;
    if (asked === undefined || held === undefined) return null;
    const { approved, result } = this.#answers;
    if (!asked.choices.includes("retry")) return { body: { decision: "approve", ...approved }, isUnknown: false };
    const isMade = readTurnLedger(this.#ledger).some((line) => line.kind === "tool" && line.callId === held.callId);
    const body = isMade ? { decision: "approve", modifications: { result } } : { decision: "retry" };
    return { body, isUnknown: true };
  }
}
