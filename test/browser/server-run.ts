import { createAiSdkAdapter } from "../../src/adapters/ai-sdk/index.ts";
import { OwnEngine } from "../../src/cli/own-engine.ts";
import { createSystemClock } from "../../src/clock/index.ts";
import { EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import type { RunEvent } from "../../src/core/event/index.ts";
import { checkSource, type Plan } from "../../src/core/plan/index.ts";
import { createAllowAllJudge } from "../../src/governance/index.ts";
import { compiledWorkflowOf } from "../own/play.ts";
import { settingsFor } from "../providers/vendor.ts";
import type { ProviderServer } from "../providers/index.ts";
import type { Scene } from "./workflows.ts";

export const MODEL = "llama";

export function planOf(source: string): Plan {
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  if (plan === null) throw new Error(problems.map(({ message }) => message).join(" "));
  return plan;
}

/** The events of a run as the server's own driver and adapter make it. */
export async function runOnServer(scene: Scene, provider: ProviderServer): Promise<readonly RunEvent[]> {
  const { env, config } = settingsFor(provider);
  const adapter = createAiSdkAdapter({ provider: "local", env });
  await adapter.initialize({ ...config, default_model: MODEL });
  const log: RunEvent[] = [];
  const engine = new OwnEngine({
    clock: createSystemClock(),
    adapters: [adapter],
    judge: createAllowAllJudge(new Set(), "local"),
    answer: null,
    onLeftOpen: () => undefined,
    onEvents: (_, events) => log.push(...events),
    jitter: () => 0.5,
    runId: "run_same",
  });
  try {
    await engine.start(compiledWorkflowOf(scene.source), scene.args, { trigger: "test" });
    await engine.whenSettled();
    return log;
  } finally {
    await engine.stop();
    await adapter.shutdown();
  }
}
