import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../../src/core/base/index.ts";
import { isTerminal } from "../../../src/core/event/index.ts";
import type { Prng } from "../../simulation/prng.ts";
import type { Api, RunOnWire } from "./api.ts";
import { emittedBy, type Family, judgeFamily, judgeFiles, readFamily } from "./family.ts";
import { REPORT } from "./flow-samples.ts";
import type { JudgeOptions } from "./judge.ts";
import { type Call, readLedger } from "./ledger.ts";
import { PATIENCE_MS, waitFor } from "./waiting.ts";
import { type Sample, SAMPLES, type SentEvent } from "./workload.ts";

const APPROVE_EVERY_MS = 150;
/** From at once to after the next kill or the one after it. */
const SEND_WITHIN_MS = 5_000;

/** What a scenario came to. */
export interface Verdict {
  readonly runs: number;
  /** Runs of blocks inside them. */
  readonly blocks: number;
  /** Events that were sent from outside, each twice. */
  readonly sent: number;
  readonly completed: number;
  readonly events: number;
  readonly calls: number;
  /** Calls beyond the first of an attempt: what the crashes cost. */
  readonly repeatedCalls: number;
  readonly violations: readonly string[];
}

interface Accepted {
  readonly run: RunOnWire;
  readonly sample: Sample;
  readonly args: JsonObject;
}

/** Runs under way, the person who approves them, the sender of what they wait for, and what was promised about each. */
export class Load {
  readonly #api: Api;
  readonly #dice: Prng;
  readonly #samples: readonly Sample[];
  readonly #starting: Promise<void>[] = [];
  readonly #accepted = new Map<string, Accepted>();
  readonly #sent: SentEvent[] = [];
  readonly #approved = new Set<string>();
  readonly #trouble: string[] = [];
  #asked = 0;
  #isSettling = false;
  #isApproving = true;
  readonly #approving: Promise<void>;

  constructor(api: Api, dice: Prng, samples: readonly Sample[] = SAMPLES) {
    this.#api = api;
    this.#dice = dice;
    this.#samples = samples;
    this.#approving = this.#approve();
  }

  static async saveSamples(api: Api, samples: readonly Sample[] = SAMPLES): Promise<void> {
    for (const { name, source } of samples) await api.putWorkflow(name, source);
  }

  /** Asks for so many runs and does not wait; each is asked for until a server has taken it. */
  start(count: number): void {
    for (let index = 0; index < count; index += 1) {
      // The first round has every sample once, whatever the dice say.
      const sample = this.#samples[this.#asked] ?? this.#dice.pick(this.#samples);
      const key = `key-${this.#asked}`;
      this.#asked += 1;
      const delays = (sample.events?.(key) ?? []).map(() => this.#dice.below(SEND_WITHIN_MS));
      this.#starting.push(
        this.#startOne(sample, key, delays).catch((error: unknown) => void this.#trouble.push(String(error))),
      );
    }
  }

  async #startOne(sample: Sample, key: string, delays: readonly number[]): Promise<void> {
    const send = () => this.#untilTaken(() => this.#api.sendFile(REPORT));
    const file = sample.takesFile === undefined ? {} : { [sample.takesFile]: await send() };
    const args = { ...sample.args?.(key), ...file };
    const run = await this.#untilTaken(() => this.#api.startRun(sample.name, key, args));
    this.#accepted.set(key, { run, sample, args });
    const sending = (sample.events?.(key) ?? []).map(async ({ takers, ...event }, index) => {
      await pause(delays[index] ?? 0);
      await this.#untilTaken(() => this.#api.sendEvent(event));
      // Sent again as by a client that got no answer: it is the same event.
      await this.#untilTaken(() => this.#api.sendEvent(event));
      this.#sent.push({ ...event, takers });
    });
    await Promise.all(sending);
  }

  /** On a slow machine no server may live long enough to answer, until the last was killed. */
  async #untilTaken<T>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      const wasSettling = this.#isSettling;
      try {
        return await send();
      } catch (error) {
        if (wasSettling) throw error;
      }
    }
  }

  /** Every run that was asked for is accepted and has ended. `besides`: workflows whose runs others have started. */
  async settle(patienceMs = PATIENCE_MS, besides: readonly string[] = []): Promise<void> {
    this.#isSettling = true;
    await Promise.all(this.#starting);
    // What was refused leaves runs that wait for it.
    if (this.#trouble.length > 0) throw new Error(this.#trouble.join("; "));
    let open: readonly RunOnWire[] = [];
    const haveEnded = async (): Promise<boolean> => {
      open = (await this.#api.listRuns("running")).filter(({ workflow }) => !besides.includes(workflow));
      return open.length === 0;
    };
    await waitFor("all runs to end", haveEnded, { patienceMs, everyMs: 250 }).catch((error: unknown) => {
      const left = open.map(({ id, workflow }) => `${workflow} ${id}`).join(", ");
      throw new Error(`${error instanceof Error ? error.message : String(error)}: ${left}`);
    });
    this.#isApproving = false;
    await this.#approving;
  }

  /** `besides`: workflows whose runs others have started. */
  async judge(ledger: string, options: JudgeOptions, besides: readonly string[] = []): Promise<Verdict> {
    const calls = readLedger(ledger);
    const violations = [...this.#trouble, ...(await this.#judgeAnswers(besides))];
    const families: Family[] = [];
    for (const [key, { run, sample }] of this.#accepted)
      families.push(await readFamily(this.#api, key, run.id, sample));
    const known = new Set(families.flatMap(({ all }) => all.map(({ run }) => run.id)));
    const stranger = calls.find(({ run }) => !known.has(run));
    if (stranger !== undefined) violations.push(`${stranger.dispatchId} belongs to no run that was accepted`);
    const sent = [...this.#sent.map((event) => ({ ...event, at: 0 })), ...families.flatMap(emittedBy)];
    for (const family of families) {
      violations.push(...judgeFamily(family, { ...options, calls, sent }), ...(await judgeFiles(this.#api, family)));
    }
    const completed = families.filter(({ root }) => root.status === "completed").length;
    const logs = families.flatMap(({ all }) => all);
    const events = logs.reduce((sum, { frames }) => sum + frames.length, 0);
    const repeatedCalls = calls.length - new Set(calls.map(({ dispatchId }: Call) => dispatchId)).size;
    const runs = this.#accepted.size;
    const counts = { runs, blocks: logs.length - runs, sent: this.#sent.length, completed, events };
    return { ...counts, calls: calls.length, repeatedCalls, violations };
  }

  /** What was answered with success is so: one run per key, the same when asked again, and approvals stay approved. */
  async #judgeAnswers(besides: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    const runs = (await this.#api.listRuns()).filter(({ workflow }) => !besides.includes(workflow));
    if (runs.length !== this.#asked) found.push(`${this.#asked} runs were asked for, and there are ${runs.length}`);
    for (const { id, status } of runs) if (!isTerminal(status)) found.push(`${id} is still ${status}`);
    for (const [key, { run, args }] of this.#accepted) {
      const again = await this.#api.startRun(run.workflow, key, args);
      if (again.id !== run.id) found.push(`${key} started ${run.id} and then ${again.id}`);
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
