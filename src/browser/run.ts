import {
  advance,
  createRunState,
  type Dispatch,
  type Effect,
  type Input,
  type RequestVerdict,
  type RunState,
  type Timer,
  timerKey,
  type UnstampedInput,
  type Verdict,
} from "../core/engine/index.ts";
import { fail, type JsonObject, type Outcome, succeed } from "../core/base/index.ts";
import { checkArgs, type ModerationMode } from "../core/definition/index.ts";
import { dispatchIdOf, isTerminal, type RunEvent } from "../core/event/index.ts";
import { DEFAULT_AGENT_ID, type Plan } from "../core/plan/index.ts";
import { createModerator, DEFAULT_MODERATION, type ModerationRules, type Moderator } from "../core/moderation/index.ts";
import { type BrowserProblem, checkBrowserRun } from "./check-run.ts";
import { OpenDispatch, planNodeOf } from "./dispatch.ts";
import type { BrowserProvider } from "./provider.ts";
import { createPageClock, type PageClock } from "./timers.ts";

export interface BrowserRunOptions {
  readonly plan: Plan;
  readonly args: JsonObject;
  readonly provider: BrowserProvider;
  readonly runId: string;
  /** Digest of the source text of the plan, for the log. */
  readonly hash?: string;
  /** Called after each step of the engine with the new events and the resulting state. */
  readonly onEvents?: (events: readonly RunEvent[], state: RunState) => void;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** A number in [0, 1). */
  readonly random?: () => number;
  /** Rules for nodes with moderation. Default: the built-in rules. */
  readonly moderation?: ModerationRules;
}

export interface BrowserRun {
  readonly events: readonly RunEvent[];
  /** The final state. Not terminal when the run waits for input that only a person can give. */
  readonly state: RunState;
}

/**
 * Runs a plan in this page with the same engine as the server: the same inputs lead to the same events. Nothing is
 * stored outside the page, and only the calls to the provider leave it.
 */
export async function runInBrowser(
  options: BrowserRunOptions,
): Promise<Outcome<BrowserRun, readonly BrowserProblem[]>> {
  const { plan, provider, hash = "" } = options;
  const problems = checkBrowserRun(plan, provider.kind);
  if (problems.length > 0) return fail(problems);
  const args = checkArgs(plan.args, options.args);
  if (!args.ok) return fail(args.failure.map(({ code, message }) => ({ code, message })));
  const run = new PageRun(options);
  const start = { type: "start" as const, workflow: plan.name, version: null, hash, trigger: "browser" };
  return succeed(await run.run({ ...start, args: args.value, recursionDepth: 0 }));
}

type Performed = Exclude<Effect, RequestVerdict>;

class PageRun {
  readonly #options: BrowserRunOptions;
  readonly #state: RunState;
  readonly #clock: PageClock;
  readonly #moderator: Moderator;
  readonly #events: RunEvent[] = [];
  readonly #open = new Map<string, OpenDispatch>();
  readonly #timers = new Map<string, () => void>();
  /** Number of timers that can make the run progress. Deadlines are not counted, because they alone keep no run alive. */
  #progressTimers = 0;
  #waiting: UnstampedInput[] = [];
  #isDraining = false;
  #lastAt = 0;
  #end: { readonly resolve: (run: BrowserRun) => void; readonly reject: (bug: unknown) => void } | null = null;

  constructor(options: BrowserRunOptions) {
    this.#options = options;
    this.#state = createRunState(options.plan, options.runId);
    this.#clock = createPageClock(options.now ?? Date.now);
    this.#moderator = createModerator(options.moderation ?? DEFAULT_MODERATION);
  }

  run(start: UnstampedInput): Promise<BrowserRun> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#submit({ type: "cancel", reason: "cancelled in the page" });
    return new Promise<BrowserRun>((resolve, reject) => {
      this.#end = { resolve, reject };
      this.#submit(start);
      if (signal?.aborted === true) onAbort();
      signal?.addEventListener("abort", onAbort, { once: true });
    }).finally(() => {
      signal?.removeEventListener("abort", onAbort);
      this.#release();
    });
  }

  #submit(input: UnstampedInput): void {
    if (this.#end === null) return;
    this.#waiting.push(input);
    if (this.#isDraining) return;
    this.#isDraining = true;
    queueMicrotask(() => this.#drain());
  }

  #drain(): void {
    try {
      for (let input = this.#waiting.shift(); input !== undefined; input = this.#waiting.shift()) this.#commit(input);
    } catch (bug) {
      this.#end?.reject(bug);
      this.#end = null;
    }
    this.#isDraining = false;
    const isQuiet = this.#open.size + this.#progressTimers === 0;
    if (!isTerminal(this.#state.status) && !isQuiet) return;
    this.#end?.resolve({ events: this.#events, state: this.#state });
    this.#end = null;
  }

  /** Commits one input and every verdict it leads to. Effects are performed afterwards. */
  #commit(input: UnstampedInput): void {
    const state = this.#state;
    this.#lastAt = Math.max(this.#lastAt, this.#clock.now());
    const moment = { at: this.#lastAt, jitter: (this.#options.random ?? Math.random)() };
    const events: RunEvent[] = [];
    const effects: Performed[] = [];
    const inputs: Input[] = [{ ...input, ...moment }];
    for (const input of inputs) {
      const turn = advance(state, input);
      for (const event of turn.events) events.push(event);
      for (const effect of turn.effects) {
        if (effect.type !== "request-verdict") effects.push(effect);
        else {
          const { nodeId, epoch } = effect;
          inputs.push({ type: "verdict", nodeId, epoch, verdict: this.#judge(effect), ...moment });
        }
      }
    }
    for (const event of events) this.#events.push(event);
    if (input.type === "callback" && input.result.status !== "deferred")
      this.#dropDeadline(input.nodeId, input.attempt);
    if (events.length > 0) this.#options.onEvents?.(events, state);
    for (const effect of effects) this.#perform(effect);
  }

  /** Returns the verdict. A page has no gates, so only moderation can stop a node. */
  #judge({ nodeId, nextAttempt, hints, request, moderation }: RequestVerdict): Verdict {
    if (isOneOf(moderation, "input")) {
      const said = this.#moderator.text(request.message);
      const data = { stdin: request.stdin, inputs: request.inputs };
      const judged = said.allowed ? this.#moderator.json(data) : said;
      if (!judged.allowed) return { disposition: "moderated", decision: { ...judged.decision } };
    }
    const { plan, provider, runId } = this.#options;
    return {
      disposition: "allow",
      verdictId: `${dispatchIdOf({ runId, nodeId, attempt: nextAttempt })}/verdict`,
      route: {
        agentId: hints.agent ?? DEFAULT_AGENT_ID,
        gatewayId: "browser",
        provider: provider.kind,
        model: hints.model ?? plan.model,
        executionPath: "edge",
      },
    };
  }

  #perform(effect: Performed): void {
    switch (effect.type) {
      case "dispatch":
        this.#dispatch(effect);
        return;
      case "cancel-dispatch":
        this.#open.get(effect.dispatchId)?.abort();
        this.#open.delete(effect.dispatchId);
        return;
      case "set-timer":
        this.#setTimer(effect.timer, effect.dueAt);
        return;
      case "start-child":
      case "cancel-child":
      case "pause-child":
      case "open-approval":
      case "close-approval":
      case "notify":
      case "emit-event":
      case "request-round-verdict":
      case "request-tool-verdict":
        // `checkBrowserRun` refuses plans that need these effects. An approval that opens nevertheless stays open.
        return;
    }
  }

  #dispatch(dispatch: Dispatch): void {
    const { nodeId, attempt, dispatchId } = dispatch;
    const { body } = planNodeOf(this.#state, nodeId);
    const isModerated = body.kind === "lens" && isOneOf(body.moderation, "output");
    const open = new OpenDispatch(
      this.#clock,
      {
        stream: (deltas) => this.#submit({ type: "stream", nodeId, attempt, deltas }),
        callback: (result) => {
          this.#submit({ type: "callback", nodeId, attempt, result });
          // A deferred attempt stays open here until its deadline.
          if (result.status !== "deferred") this.#open.delete(dispatchId);
        },
      },
      isModerated ? this.#moderator : null,
    );
    this.#open.set(dispatchId, open);
    open.begin(this.#options.provider, dispatch, this.#state);
  }

  #setTimer(timer: Timer, dueAt: number): void {
    const key = timerKey(timer);
    this.#timers.get(key)?.();
    const weight = isProgress(timer) ? 1 : 0;
    this.#progressTimers += weight;
    const forget = (): void => {
      this.#timers.delete(key);
      this.#progressTimers -= weight;
    };
    const stop = this.#clock.after(Math.max(0, dueAt - this.#clock.now()), () => {
      this.#submit({ type: "timer", timer });
      forget();
    });
    this.#timers.set(key, () => {
      stop();
      forget();
    });
  }

  #dropDeadline(nodeId: string, attempt: number): void {
    this.#timers.get(timerKey({ kind: "attempt", nodeId, attempt }))?.();
  }

  #release(): void {
    for (const stop of this.#timers.values()) stop();
    for (const open of this.#open.values()) open.abort();
    this.#open.clear();
  }
}

function isOneOf(mode: ModerationMode, phase: "input" | "output"): boolean {
  return mode === phase || mode === "both";
}

function isProgress({ kind }: Timer): boolean {
  return kind === "retry" || kind === "queue" || kind === "wait" || kind === "round" || kind === "continue";
}
