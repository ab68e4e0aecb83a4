/** Cost of the engine alone per node: `npm run bench -- engine`. Flat from 100 to 10,000 nodes is the bar. */
import { checkArgs } from "../src/core/definition/index.ts";
import { advance, createRunState, type Input, NO_TOKENS, type Verdict } from "../src/core/engine/index.ts";
import type { Plan } from "../src/core/plan/index.ts";
import { planOf, SHAPES } from "./shapes.ts";

const ALLOW: Verdict = {
  disposition: "allow",
  verdictId: "vrd",
  route: { agentId: "default", gatewayId: "local", provider: "scripted", model: null, executionPath: "edge" },
};

/** Runs a plan to its end with answers given at once; returns how many nodes settled. */
export function runToEnd(plan: Plan): number {
  const args = checkArgs(plan.args, {});
  if (!args.ok) throw new Error("the benchmark's args are wrong");
  const state = createRunState(plan, "run_bench");
  const start = { workflow: plan.name, version: null, hash: "", args: args.value, trigger: "bench", recursionDepth: 0 };
  const inputs: Input[] = [{ type: "start", at: 0, jitter: 0, ...start }];
  for (const input of inputs) {
    for (const effect of advance(state, input).effects) {
      const common = { at: 0, jitter: 0 };
      if (effect.type === "request-verdict") {
        inputs.push({ ...common, type: "verdict", nodeId: effect.nodeId, epoch: effect.epoch, verdict: ALLOW });
      } else if (effect.type === "dispatch") {
        const result = { status: "completed", stdout: "done", tokens: NO_TOKENS, costMicros: 1 } as const;
        inputs.push({ ...common, type: "callback", nodeId: effect.nodeId, attempt: effect.attempt, result });
      }
    }
  }
  if (state.status !== "completed") throw new Error(`the run ended ${state.status}`);
  return state.nodes.length;
}

const SIZES = [100, 1_000, 10_000] as const;

export interface EngineFigure {
  readonly shape: string;
  readonly nodes: number;
  readonly planMs: number;
  readonly microsPerNode: number;
}

export function measureEngine(): readonly EngineFigure[] {
  return SHAPES.flatMap((shape) =>
    SIZES.map((size) => {
      const source = shape.source(size);
      const before = performance.now();
      const plan = planOf(source);
      const planMs = performance.now() - before;
      // Small plans run many times, so that every figure rests on about as much work.
      const rounds = Math.max(3, Math.round(30_000 / size));
      runToEnd(plan);
      const begin = performance.now();
      let nodes = 0;
      for (let round = 0; round < rounds; round += 1) nodes += runToEnd(plan);
      return { shape: shape.name, nodes: size, planMs, microsPerNode: ((performance.now() - begin) * 1_000) / nodes };
    }),
  );
}
