import type { Input, RequestVerdict, Verdict } from "../../../src/core/engine/index.ts";
import type { RunEvent } from "../../../src/core/event/index.ts";
import type { Profile } from "../profile.ts";
import type { Prng } from "../prng.ts";
import type { Sometimes } from "../sometimes.ts";
import { type AgentAccount, type Holding, RELEASING } from "./account.ts";
import {
  type AgentModel,
  type Asker,
  DEFAULT_ESTIMATE_MICROS,
  drawAgents,
  type LedgerBugs,
  type Waiting,
} from "./agents.ts";
import { heldBy, oddVerdict } from "./odd-verdict.ts";

/** Slots, rate windows, money: decided and changed inside a commit, undone together with it. */
export class Ledger {
  readonly agents = new Map<string, AgentModel>();
  private readonly accounts = new Map<string, AgentAccount>();
  private readonly holdings = new Map<string, Holding>();
  private readonly agentOfAttempt = new Map<string, string>();
  private readonly reported = new Set<string>();
  /** What each child run has reported so far, which is its whole cost by then. */
  private readonly reportedByChild = new Map<string, number>();
  private readonly costByRun = new Map<string, number>();
  private undo: (() => void)[] = [];
  private verdicts = 0;
  private readonly rng: Prng;
  private readonly profile: Profile;
  private readonly sometimes: Sometimes;
  private readonly bugs: LedgerBugs;

  constructor(rng: Prng, profile: Profile, startAt: number, sometimes: Sometimes, bugs: LedgerBugs) {
    this.rng = rng;
    this.profile = profile;
    this.sometimes = sometimes;
    this.bugs = bugs;
    for (const model of drawAgents(rng, profile, startAt)) {
      this.agents.set(model.id, model);
      this.accounts.set(model.id, { model, open: 0, spent: 0, reserved: 0, admissions: [], waiting: [] });
    }
  }

  begin(): void {
    this.undo = [];
  }

  rollback(): void {
    for (const step of this.undo.reverse()) step();
    this.undo = [];
  }

  costOf(runId: string): number {
    return this.costByRun.get(runId) ?? 0;
  }

  decide(asker: Asker, asked: RequestVerdict, at: number): Verdict {
    this.verdicts += 1;
    const verdictId = `vrd_${this.verdicts}`;
    const account = this.account(asked.assignedTo ?? asked.hints.agent ?? "default");
    const dice = this.rng.fork(`verdict ${asker.path}/${asked.nodeId}`);
    const odd = oddVerdict({ profile: this.profile, sometimes: this.sometimes }, asked, dice);
    if (odd !== null) return odd;
    if (at < account.model.pausedUntil) {
      this.sometimes.hit("paused_agent");
      const message = `${account.model.id} is paused`;
      return {
        disposition: "block",
        verdictId,
        gate: "agent_status",
        code: "agent_disabled",
        message,
        after: "paused",
      };
    }
    const wait = this.waitFor(account, asker, at);
    if (wait !== null) {
      const { code, until, gate, reason } = wait;
      this.enqueue(account, { runId: asker.runId, nodeId: asked.nodeId, epoch: asked.epoch }, asker.isWoken);
      const block = { disposition: "block", verdictId, gate, code, message: code, after: "queue" } as const;
      return {
        ...block,
        waitingReason: reason,
        queuePosition: account.waiting.length,
        ...(until === null ? {} : { until }),
      };
    }
    return this.decideMoney(account, asker, asked, verdictId, dice, at);
  }

  private decideMoney(
    account: AgentAccount,
    asker: Asker,
    asked: RequestVerdict,
    verdictId: string,
    dice: Prng,
    at: number,
  ): Verdict {
    const real = asked.hints.estimatedCostMicros ?? DEFAULT_ESTIMATE_MICROS;
    const estimate = this.bugs.forgetsReservation === true ? 0 : real;
    const { spent, reserved, model } = account;
    if (spent + reserved + estimate > model.ceilingMicros) {
      this.sometimes.hit("budget_blocked");
      const code = "budget_exceeded";
      return { disposition: "block", verdictId, gate: "agent_budget", code, message: code, after: "final" };
    }
    if (dice.chance(this.profile.finalBlock)) {
      const code = "policy_blocked";
      return { disposition: "block", verdictId, gate: "policy_rules", code, message: code, after: "final" };
    }
    if (dice.chance(this.profile.hold) && !asked.grants.includes("careful@1")) {
      this.sometimes.hit("held");
      return heldBy(verdictId, model.id, dice);
    }
    this.admit(account, `${asker.runId}/${asked.nodeId}`, asked.nextAttempt, estimate, at);
    const route = {
      agentId: model.id,
      gatewayId: "gw",
      provider: "scripted",
      model: null,
      executionPath: "async",
    } as const;
    return { disposition: "allow", verdictId, route, maxOutputTokens: 100 };
  }

  private waitFor(account: AgentAccount, asker: Asker, at: number) {
    const isBehind = !asker.isWoken && account.waiting.length > 0;
    if (account.open >= this.slotsOf(account) || (isBehind && account.model.rate === null)) {
      this.sometimes.hit("queued_for_slot");
      return { gate: "concurrency", code: "agent_busy", reason: "queued", until: null } as const;
    }
    const until = this.windowFreeAt(account, at);
    if (until > at || isBehind) {
      this.sometimes.hit("rate_limited");
      return { gate: "rate_limit", code: "rate_limited", reason: "rate_limit", until } as const;
    }
    return null;
  }

  private slotsOf(account: AgentAccount): number {
    return account.model.maxConcurrent + (this.bugs.grantsTooMany === true ? 1 : 0);
  }

  private windowFreeAt(account: AgentAccount, at: number): number {
    const { rate } = account.model;
    if (rate === null) return at;
    const recent = account.admissions.filter((moment) => moment > at - rate.windowMs);
    const oldest = recent[recent.length - rate.max];
    return oldest === undefined ? at : oldest + rate.windowMs;
  }

  private enqueue(account: AgentAccount, waiting: Waiting, isFirst: boolean): void {
    const others = account.waiting.filter((entry) => entry.runId !== waiting.runId || entry.nodeId !== waiting.nodeId);
    this.setWaiting(account, isFirst ? [waiting, ...others] : [...others, waiting]);
  }

  private setWaiting(account: AgentAccount, waiting: readonly Waiting[]): void {
    const before = account.waiting;
    account.waiting = waiting;
    this.undo.push(() => void (account.waiting = before));
  }

  private admit(account: AgentAccount, key: string, attempt: number, estimateMicros: number, at: number): void {
    const before = account.admissions;
    account.open += 1;
    account.reserved += estimateMicros;
    account.admissions = [...before.slice(-8), at];
    this.holdings.set(key, { agentId: account.model.id, estimateMicros });
    this.agentOfAttempt.set(`${key}/${attempt}`, account.model.id);
    this.undo.push(() => {
      account.open -= 1;
      account.reserved -= estimateMicros;
      account.admissions = before;
      this.holdings.delete(key);
    });
  }

  /** A node that leaves its attempt gives slot and reservation back in the same commit. */
  observe(runId: string, event: RunEvent): void {
    if (!RELEASING.has(event.type) || !("nodeId" in event.payload)) return;
    if (this.bugs.keepsAt === event.type) return;
    this.release(`${runId}/${event.payload.nodeId}`);
  }

  release(key: string): void {
    const holding = this.holdings.get(key);
    if (holding === undefined) return;
    const account = this.account(holding.agentId);
    this.holdings.delete(key);
    account.open -= 1;
    account.reserved -= holding.estimateMicros;
    this.undo.push(() => {
      this.holdings.set(key, holding);
      account.open += 1;
      account.reserved += holding.estimateMicros;
    });
  }

  /** The money of the next round in place of what is held; false: there is none. */
  reserveAnew(key: string, estimateMicros: number): boolean {
    const holding = this.holdings.get(key);
    if (holding === undefined) return true;
    const account = this.account(holding.agentId);
    const more = estimateMicros - holding.estimateMicros;
    if (account.spent + account.reserved + more > account.model.ceilingMicros) return false;
    account.reserved += more;
    this.holdings.set(key, { ...holding, estimateMicros });
    this.undo.push(() => {
      account.reserved -= more;
      this.holdings.set(key, holding);
    });
    return true;
  }

  holds(key: string): boolean {
    return this.holdings.has(key);
  }

  /** Books what an input reports. */
  take(runId: string, input: Input, isOpen: boolean): void {
    if (input.type === "child_finished") this.settleChild(runId, input.childRunId, input.costMicros);
    if (input.type !== "callback" && input.type !== "round") return;
    const attempt = `${runId}/${input.nodeId}/${input.attempt}`;
    const execution = `${attempt}#${input.segment ?? 0}`;
    if (input.type === "round") this.takeRound(runId, input, attempt, isOpen);
    else if (input.result.status !== "deferred" && input.result.status !== "suspended")
      this.settle(runId, execution, input.result.costMicros, attempt);
  }

  /** A round is known by its execution; another answer to it counts while that is under way. */
  private takeRound(
    runId: string,
    { segment = 0, round, text, costMicros }: Extract<Input, { readonly type: "round" }>,
    attempt: string,
    isOpen: boolean,
  ): void {
    const place = `${attempt}#${segment}/${round}`;
    if (!isOpen && this.reported.has(place)) return;
    this.settle(runId, `${place} ${text}`, costMicros, attempt);
    this.settle(runId, place, 0, attempt);
  }

  /** A child reports again when it costs more; what comes after a later report is outdated. */
  private settleChild(runId: string, childRunId: string, costMicros: number): void {
    const input = this.reportedByChild.get(childRunId) ?? 0;
    if (costMicros <= input) return;
    this.settle(runId, `${childRunId} ${costMicros}`, costMicros - input, "");
    this.reportedByChild.set(childRunId, costMicros);
    this.undo.push(() => this.reportedByChild.set(childRunId, input));
  }

  /** Books what an attempt cost, once per report key, however late it arrives. */
  private settle(runId: string, key: string, costMicros: number, attempt: string): void {
    if (this.reported.has(key)) return;
    this.reported.add(key);
    const before = this.costOf(runId);
    this.costByRun.set(runId, before + costMicros);
    const agentId = this.agentOfAttempt.get(attempt);
    const account = agentId === undefined ? null : this.account(agentId);
    if (account !== null) account.spent += costMicros;
    this.undo.push(() => {
      this.reported.delete(key);
      this.costByRun.set(runId, before);
      if (account !== null) account.spent -= costMicros;
    });
  }

  /** Agents that nodes wait for, and when the first of the queue can be asked again. */
  wakeups(at: number): readonly { readonly agentId: string; readonly dueAt: number }[] {
    const due: { agentId: string; dueAt: number }[] = [];
    for (const account of this.accounts.values()) {
      if (account.waiting.length === 0 || account.open >= this.slotsOf(account)) continue;
      due.push({ agentId: account.model.id, dueAt: this.windowFreeAt(account, at) });
    }
    return due;
  }

  takeFirst(agentId: string): Waiting | undefined {
    const account = this.account(agentId);
    const [first, ...rest] = account.waiting;
    account.waiting = rest;
    return first;
  }

  putBack(agentId: string, waiting: Waiting): void {
    const account = this.account(agentId);
    account.waiting = [waiting, ...account.waiting];
  }

  private account(agentId: string): AgentAccount {
    const account = this.accounts.get(agentId);
    if (account === undefined) throw new Error(`no agent ${agentId}`);
    return account;
  }
}
