import { setTimeout as pause } from "node:timers/promises";
import { isTerminal } from "../../../src/core/event/index.ts";
import type { Prng } from "../../simulation/prng.ts";
import type { Api, RunOnWire } from "./api.ts";
import { type JudgeOptions, judgeRun } from "./judge.ts";
import { type Call, readLedger } from "./ledger.ts";
import { PATIENCE_MS, waitFor } from "./waiting.ts";
import { type Sample, SAMPLES } from "./workload.ts";

const APPROVE_EVERY_MS = 150;

/** What a scenario came to. */
export interface Verdict {
  readonly runs: number;
  readonly completed: number;
  readonly events: number;
  readonly calls: number;
  /** Calls beyond the first of an attempt: what the crashes cost. */
  readonly repeatedCalls: number;
  readonly violations: readonly string[];
}

/** Runs under way, the person who approves them, and what was promised about either. */
export class Load {
  readonly #api: Api;
  readonly #dice: Prng;
  readonly #starting: Promise<void>[] = [];
  readonly #accepted = new Map<string, RunOnWire>();
  readonly #approved = new Set<string>();
  readonly #trouble: string[] = [];
  #asked = 0;
  #isApproving = true;
  readonly #approving: Promise<void>;

  constructor(api: Api, dice: Prng) {
    this.#api = api;
    this.#dice = dice;
    this.#approving = this.#approve();
  }

  static async saveSamples(api: Api): Promise<void> {
    for (const { name, source } of SAMPLES) await api.putWorkflow(name, source);
  }

  /** Asks for so many runs and does not wait; each is asked for until a server has taken it. */
  start(count: number): void {
    for (let index = 0; index < count; index += 1) {
      // The first round has every sample once, whatever the dice say.
      const sample = SAMPLES[this.#asked] ?? this.#dice.pick(SAMPLES);
      const key = `key-${this.#asked}`;
      this.#asked += 1;
      this.#starting.push(
        this.#api.startRun(sample.name, key).then(
          (run) => void this.#accepted.set(key, run),
          (error: unknown) => void this.#trouble.push(String(error)),
        ),
      );
    }
  }

  /** Every run that was asked for is accepted and has ended. */
  async settle(patienceMs = PATIENCE_MS): Promise<void> {
    await Promise.all(this.#starting);
    const haveEnded = async (): Promise<boolean> => (await this.#api.listRuns("running")).length === 0;
    await waitFor("all runs to end", haveEnded, { patienceMs, everyMs: 250 });
    this.#isApproving = false;
    await this.#approving;
  }

  async judge(ledger: string, options: JudgeOptions): Promise<Verdict> {
    const calls = readLedger(ledger);
    const violations = [...this.#trouble, ...(await this.#judgeAnswers())];
    const known = new Set([...this.#accepted.values()].map(({ id }) => id));
    const stranger = calls.find(({ run }) => !known.has(run));
    if (stranger !== undefined) violations.push(`${stranger.dispatchId} belongs to no run that was accepted`);
    let events = 0;
    let completed = 0;
    for (const { id } of this.#accepted.values()) {
      const run = await this.#api.getRun(id);
      const frames = await this.#api.readLog(id);
      events += frames.length;
      if (run.status === "completed") completed += 1;
      const own = calls.filter((call) => call.run === id);
      violations.push(...judgeRun({ sample: sampleOf(run), run, frames, calls: own }, options));
    }
    const repeatedCalls = calls.length - new Set(calls.map(({ dispatchId }: Call) => dispatchId)).size;
    return { runs: this.#accepted.size, completed, events, calls: calls.length, repeatedCalls, violations };
  }

  /** What was answered with success is so: one run per key, the same when asked again, and approvals stay approved. */
  async #judgeAnswers(): Promise<readonly string[]> {
    const found: string[] = [];
    const runs = await this.#api.listRuns();
    if (runs.length !== this.#asked) found.push(`${this.#asked} runs were asked for, and there are ${runs.length}`);
    for (const { id, status } of runs) if (!isTerminal(status)) found.push(`${id} is still ${status}`);
    for (const [key, { id, workflow }] of this.#accepted) {
      const again = await this.#api.startRun(workflow, key);
      if (again.id !== id) found.push(`${key} started ${id} and then ${again.id}`);
    }
    const approved = new Set((await this.#api.listApprovals("approved")).map((approval) => approval.id));
    for (const id of this.#approved) if (!approved.has(id)) found.push(`the answer to ${id} was lost`);
    return found;
  }

  async #approve(): Promise<void> {
    while (this.#isApproving) {
      const open = await this.#api.listApprovals("pending").catch(() => []);
      for (const { id } of open) {
        const status = await this.#api.tryPost(`/approvals/${id}/resolve`, { decision: "approve" });
        if (status === 200) this.#approved.add(id);
      }
      await pause(APPROVE_EVERY_MS);
    }
  }
}

function sampleOf({ workflow }: RunOnWire): Sample {
  const sample = SAMPLES.find(({ name }) => name === workflow);
  if (sample === undefined) throw new Error(`there is no sample ${workflow}`);
  return sample;
}
