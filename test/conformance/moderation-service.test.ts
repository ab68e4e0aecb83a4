import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../src/adapters/index.ts";
import { createVirtualClock } from "../../src/clock/index.ts";
import { DurableDriver } from "../../src/driver/index.ts";
import { createAllowAllJudge } from "../../src/governance/index.ts";
import { createNodeModeration, type ContentCheck } from "../../src/driver/moderation/index.ts";
import { createMemoryStore, StoreUnavailable } from "../../src/store/index.ts";
import { launch, ORG } from "../integration/support/governed.ts";

const SCRIPT = 'default: echo\nnodes:\n  a: { chunks: ["a ", "word"], chunk_ms: 1, stdout: "a word", cost_usd: 0.5 }\n';

/** One node under moderation, by the service that is asked beyond the rules; what was really called, and the log. */
async function run(mode: string, gateway: ContentCheck) {
  const clock = createVirtualClock(1_000_000);
  const store = createMemoryStore({ now: () => clock.now() });
  const calls: string[] = [];
  const troubles: string[] = [];
  const { script } = readScript(SCRIPT);
  const ledger = ({ dispatchId }: { readonly dispatchId: string }): number => calls.push(dispatchId);
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [createScriptedAdapter({ script, clock, ledger })],
    judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
    moderation: createNodeModeration({ gateway }),
    monotonic: () => clock.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  });
  await driver.start();
  const ended = new Promise<void>((resolve) => {
    driver.onCommitted((_, events) => {
      if (events.some(({ type }) => type === "run.completed" || type === "run.failed")) resolve();
    });
  });
  let isEnded = false;
  void ended.then(() => (isEnded = true));
  const source = `format: lens-graph/v1\nname: w\nnodes: [{id: a, config: {template_body: hello, moderation: ${mode}}}]\nedges: []\n`;
  const started = launch(driver, store, source);
  await clock.run(() => isEnded);
  const events = await store.readEvents(ORG, await started, 0, 1_000);
  expect(troubles).toEqual([]);
  return { calls, types: events.map(({ type }) => type), text: JSON.stringify(events) };
}

const ANSWERS: readonly [string, ContentCheck][] = [
  ["throws", { moderate: () => Promise.reject(new Error("away")) }],
  [
    "throws at once",
    {
      moderate: () => {
        throw new Error("away");
      },
    },
  ],
  ["says nothing that can be read", { moderate: () => Promise.resolve(null as never) }],
];

describe("a moderation service that fails", () => {
  it.each(ANSWERS)("lets nothing be sent: it %s", async (_, gateway) => {
    const { calls, types } = await run("input", gateway);
    expect(calls).toEqual([]);
    expect(types).toContain("moderation.flagged");
    expect(types).toContain("node.failed");
    expect(types.at(-1)).toBe("run.failed");
  });

  it.each(ANSWERS)("lets nothing through that came back, nor a piece of it: it %s", async (_, gateway) => {
    const { calls, types, text } = await run("output", gateway);
    expect(calls).toHaveLength(1);
    expect(types).not.toContain("node.stream.delta");
    expect(text).not.toContain("a word");
    expect(text).toContain("moderation_blocked");
    expect(types).toContain("cost.recorded");
  });
});

describe("a moderation service that answers", () => {
  it("is asked once before the call and once after it, and not at all when moderation is off", async () => {
    const asked: string[] = [];
    const gateway: ContentCheck = {
      moderate: ({ phase }) => {
        asked.push(phase);
        return Promise.resolve({ allowed: true });
      },
    };
    expect((await run("both", gateway)).types.at(-1)).toBe("run.completed");
    expect(asked).toEqual(["input", "output"]);
    expect((await run('"off"', gateway)).types.at(-1)).toBe("run.completed");
    expect(asked).toHaveLength(2);
  });
});
