import type { Adapter, AdapterResult } from "../../../src/adapter/index.ts";
import type { Clock } from "../../../src/clock/index.ts";
import { deafAdapter } from "../../integration/support/machine.ts";
import { hashText, Prng } from "../prng.ts";

/**
 * Answers by the seed, the node and the attempt alone: late, wrongly, for more or less than was reserved, or never;
 * and some continue after they were called off, and report what that cost.
 */
export function seededAdapter(seed: number, clock: Clock): Adapter {
  const adapter = deafAdapter((request, { signal }) => {
    const { context, stepId, attempt } = request;
    const dice = new Prng(hashText(`${context.workflow}/${stepId}/${attempt}`, seed));
    const costUsd = (dice.below(10) * 100) / 1_000_000;
    const isStubborn = dice.chance(0.5);
    const delayMs = dice.chance(0.1) ? 60_000 : dice.below(1_500);
    const result: AdapterResult = dice.chance(0.75)
      ? { status: "completed", stdout: "done", costUsd, outputTokens: dice.below(50) }
      : { status: "failed", failure: dice.pick(["provider_error", "provider_auth"]), message: "no", costUsd };
    return new Promise((resolve) => {
      const stop = clock.after(delayMs, () => resolve(result));
      signal.addEventListener("abort", () => {
        if (isStubborn) return;
        stop();
        resolve({ status: "failed", failure: "cancelled", message: "called off", costUsd: costUsd / 2 });
      });
    });
  });
  // Nothing by that name is billed by token.
  return { ...adapter, provider: "scripted", cancel: () => Promise.resolve() };
}
