import { createAiSdkAdapter } from "../../src/adapters/ai-sdk/index.ts";
import { createSystemClock } from "../../src/clock/index.ts";
import { EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import type { RunEvent } from "../../src/core/event/index.ts";
import { checkSource, type Plan } from "../../src/core/plan/index.ts";
import { LocalDriver } from "../../src/driver/index.ts";
import { createAllowAllJudge } from "../../src/governance/index.ts";
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
  const driver = new LocalDriver({
    adapters: [adapter],
    clock: createSystemClock(),
    judge: createAllowAllJudge(new Set(), "local"),
    newRunId: () => "run_same",
    jitter: () => 0.5,
    resolveWorkflow: () => null,
    answerApproval: () => Promise.resolve(null),
  });
  try {
    const runId = driver.start({ plan: planOf(scene.source), version: null, hash: "" }, scene.args, "test");
    await driver.whenSettled(runId);
    return driver.logOf(runId);
  } finally {
    driver.close();
    await adapter.shutdown();
  }
}
