import type {
  Effect,
  Input,
  RequestRoundVerdict,
  RequestToolVerdict,
  RequestVerdict,
  UnstampedInput,
} from "../../../src/core/engine/index.ts";
import type { Asker } from "./agents.ts";
import type { Ledger } from "./ledger.ts";
import type { TurnJudge } from "./turn-judge.ts";

type Asked = RequestVerdict | RequestRoundVerdict | RequestToolVerdict;

export function isQuestion(effect: Effect): effect is Asked {
  return (
    effect.type === "request-verdict" ||
    effect.type === "request-round-verdict" ||
    effect.type === "request-tool-verdict"
  );
}

/** The modelled governance: answers what the engine asks inside a commit. */
export function answerTo(
  { ledger, turns }: { readonly ledger: Ledger; readonly turns: TurnJudge },
  asker: Asker,
  asked: Asked,
  moment: Pick<Input, "at" | "jitter" | "countsBlocks">,
): Input {
  return { ...verdictOn(ledger, turns, asker, asked, moment.at), ...moment };
}

function verdictOn(ledger: Ledger, turns: TurnJudge, asker: Asker, asked: Asked, at: number): UnstampedInput {
  const { nodeId, epoch } = asked;
  switch (asked.type) {
    case "request-verdict":
      return { type: "verdict", nodeId, epoch, verdict: ledger.decide(asker, asked, at) };
    case "request-round-verdict":
      return { type: "round_verdict", nodeId, epoch, verdict: turns.decideRound(asker, asked) };
    case "request-tool-verdict":
      return { type: "tool_verdict", nodeId, epoch, callId: asked.callId, verdict: turns.decideCall(asker, asked) };
  }
}

/** The judge counts the nodes of blocks, as that of a server does: a node that runs a block fills no place of its run. */
export function judged<T extends Pick<Input, "at">>(given: T): T {
  return { ...given, countsBlocks: true };
}
