import type {
  RequestRoundVerdict,
  RequestToolVerdict,
  RoundVerdict,
  ToolVerdict,
} from "../../../src/core/engine/index.ts";
import type { Prng } from "../prng.ts";
import type { Profile } from "../profile.ts";
import type { Sometimes } from "../sometimes.ts";
import { type Asker, roundEstimate } from "./agents.ts";
import type { Ledger } from "./ledger.ts";
import { HOLD_RULE } from "./odd-verdict.ts";
import { effectsOf } from "./tool-server.ts";

const ROUNDS_MAX = 20;
const CALLS_MAX = 50;
const REPEATS_MAX = 3;
const MINUTE_MS = 60_000;

export interface TurnJudgeOptions {
  readonly rng: Prng;
  readonly profile: Profile;
  readonly ledger: Ledger;
  readonly sometimes: Sometimes;
}

/** Governs turns: whether another round may begin, and whether a call may be made. */
export class TurnJudge {
  private readonly options: TurnJudgeOptions;
  private verdicts = 0;

  constructor(options: TurnJudgeOptions) {
    this.options = options;
  }

  decideRound(asker: Asker, asked: RequestRoundVerdict): RoundVerdict {
    const { ledger, sometimes } = this.options;
    const { hints, rounds, extraRounds, contextTokens, nodeId } = asked;
    const stop = { disposition: "stop", verdictId: this.nextId(), message: "it may go no further" } as const;
    if (rounds >= (hints.turn?.maxRounds ?? ROUNDS_MAX) + extraRounds) {
      sometimes.hit("turn_out_of_rounds");
      return { ...stop, gate: "turn_limits", code: "turn_limits" };
    }
    if (ledger.reserveAnew(`${asker.runId}/${nodeId}`, roundEstimate(contextTokens))) return { disposition: "go" };
    sometimes.hit("turn_out_of_money");
    return { ...stop, gate: "budgets", code: "budget_exceeded" };
  }

  decideCall(asker: Asker, asked: RequestToolVerdict): ToolVerdict {
    const { rng, profile, sometimes } = this.options;
    const { nodeId, epoch, round, callId, call, callsBefore, repeatsBefore, isApproved, hints } = asked;
    const position = callId.slice(callId.lastIndexOf("/") + 1);
    const dice = rng.fork(`call ${asker.path}/${nodeId}/${epoch}/${round}/${position}/${String(isApproved)}`);
    const effects = effectsOf(call.tool);
    const decided = { verdictId: this.nextId(), action: "execute", effects } as const;
    const limits = hints.turn;
    const isBeyond =
      callsBefore >= (limits?.maxToolCalls ?? CALLS_MAX) || repeatsBefore >= (limits?.maxRepeats ?? REPEATS_MAX);
    if (isBeyond || dice.chance(isApproved ? 0.25 : 0.1)) {
      sometimes.hit(isApproved ? "changed_args_denied" : "call_denied");
      const code = isBeyond ? "turn_limits" : "policy_blocked";
      return { ...decided, disposition: "deny", gate: isBeyond ? code : "policy_rules", code, reason: "it may not be" };
    }
    if (isApproved || !dice.chance(profile.hold > 0.03 ? 0.25 : 0.08)) return { ...decided, disposition: "allow" };
    sometimes.hit("call_held");
    const rule = {
      ...HOLD_RULE,
      quorum: dice.chance(0.15) ? 2 : 1,
      otherwise: dice.chance(profile.reject) ? dice.pick(["approve", "reject", "abort", "skip"] as const) : null,
      // Where nothing is meant to go wrong, there is time to answer.
      expiresMs: profile.ignore === 0 ? 120 * MINUTE_MS : dice.pick([MINUTE_MS / 20, MINUTE_MS, 120 * MINUTE_MS]),
    };
    const facts = { provider: "scripted", model: null, trust: 1, estimateMicros: null, reasons: [] };
    const held = { ...decided, disposition: "hold", gate: "approval_required", message: "a person decides" } as const;
    return { ...held, agentId: null, policies: ["careful@1"], rule, facts };
  }

  private nextId(): string {
    this.verdicts += 1;
    return `vrd_t${this.verdicts}`;
  }
}
