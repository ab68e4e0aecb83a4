import type { RunEvent, Tokens } from "../../../core/event/index.ts";

export interface Sum extends Tokens {
  readonly costMicros: number;
}

export const NO_SUM: Sum = { costMicros: 0, inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };

/** The cost and tokens of a run, of each of its nodes and of each model, summed from the event log. */
export class Sums {
  run: Sum = NO_SUM;
  readonly byNode = new Map<string, Sum>();
  readonly byModel = new Map<string, Sum>();

  take(event: RunEvent): void {
    if (event.type !== "cost.recorded") return;
    const { nodeId, model, costMicros, tokens } = event.payload;
    const spent = { costMicros, ...tokens };
    this.run = plus(this.run, spent);
    this.byNode.set(nodeId, plus(this.byNode.get(nodeId) ?? NO_SUM, spent));
    if (typeof model === "string") this.byModel.set(model, plus(this.byModel.get(model) ?? NO_SUM, spent));
  }
}

function plus(left: Sum, right: Sum): Sum {
  return {
    costMicros: left.costMicros + right.costMicros,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    thinkingTokens: left.thinkingTokens + right.thinkingTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
  };
}
