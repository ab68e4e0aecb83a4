import { describe, expect, it } from "vitest";
import { policyFrom } from "../../test/governance/policy-from.ts";
import { type Manifest, ORG } from "../../test/integration/support/governed.ts";
import { GovernedMachine } from "../../test/integration/support/governed-machine.ts";
import { DISPATCH_GATES, type Policy } from "../core/governance/index.ts";
import type { AuditEntry } from "../core/audit/index.ts";
import { backtestPolicy } from "./backtest.ts";

const NO_SHELL: Manifest = [
  "Policy",
  "no-shell",
  {
    category: "guardrail",
    scope: "global",
    condition: "true",
    action: "log",
    enforcement: "audit",
    forbids: { tools: ["shell"] },
  },
];
const SOURCE = JSON.stringify({
  name: "w",
  steps: [
    { id: "clean", command: "Clean up", tools: ["shell"], on_failure: "skip" },
    { id: "other", command: "Go on" },
  ],
});
const MESSAGE =
  "the instructions of clean contradict each other: node clean (layer 6) asks for tool shell, " +
  "which policy no-shell@1 (layer 2) forbids";

async function contradictedRun() {
  const machine = await GovernedMachine.open([NO_SHELL]);
  const runId = await machine.launch(SOURCE);
  expect(await machine.end(runId)).toBe("completed");
  return { machine, runId };
}

describe("a node whose instructions contradict each other", () => {
  it("leaves a verdict like any other that was blocked", async () => {
    const { machine, runId } = await contradictedRun();
    const verdicts = await machine.store.verdictsOf(ORG, runId);
    expect(verdicts.map(({ nodeId, disposition, gate, code }) => [nodeId, disposition, gate, code])).toEqual([
      ["clean", "block", "instructions", "contract_violated"],
      ["other", "allow", null, null],
    ]);
    const [first] = verdicts;
    if (first === undefined) throw new Error("there is no verdict");
    const { verdictId, attempt, body } = first;
    expect([verdictId.startsWith(`vrd_${runId}/clean/`), attempt]).toEqual([true, null]);
    expect(body).toMatchObject({
      explanation: {
        gate: "instructions",
        code: "contract_violated",
        message: expect.stringContaining(MESSAGE),
        facts: {
          node: "clean",
          conflicts: [{ kind: "tool", subject: "shell", askedBy: "node clean", forbiddenBy: "policy no-shell@1" }],
        },
        unblock: [
          { action: "ask_for_less", target: "clean", detail: "do without tool shell" },
          { action: "forbid_less", target: "Policy/no-shell", detail: "let it use tool shell" },
        ],
      },
      matched: [{ name: "no-shell", version: 1 }],
      facts: { agentId: "default", node: { id: "clean", tools: ["shell"] } },
      hash: expect.stringMatching(/^sha256:/),
    });
    const trail = body["trail"] as readonly { readonly gate: string; readonly outcome: string }[];
    expect(trail.map(({ gate }) => gate)).toEqual([...DISPATCH_GATES.map(({ name }) => name), "instructions"]);
    expect(trail.filter(({ outcome }) => outcome === "block").map(({ gate }) => gate)).toEqual(["instructions"]);
  });

  it("fails as it always did, takes nothing, and is audited with its verdict", async () => {
    const { machine, runId } = await contradictedRun();
    const log = await machine.log(runId);
    const violated = log.find(({ type }) => type === "contract.violated");
    expect(violated?.payload).toMatchObject({ nodeId: "clean", phase: "instructions" });
    expect(log.find(({ type }) => type === "node.skipped")?.payload).toMatchObject({ errorCode: "contract_violated" });
    expect((await machine.store.readCounters(ORG, 0)).agents).toEqual([{ agentId: "default", open: 0, hits: [] }]);
    const entries: AuditEntry[] = [];
    await machine.store.seal(ORG, 100, (head, pending) => {
      for (const one of pending) entries.push(...one.entries);
      return { head, records: [], segments: [] };
    });
    expect(entries.filter(({ type }) => type === "gate.rejected")).toMatchObject([
      { run: runId, node: "clean", detail: { gate: "instructions", code: "contract_violated" } },
    ]);
  });

  it("is no change that a draft policy makes", async () => {
    const { machine } = await contradictedRun();
    const draft = (condition: string): Policy =>
      policyFrom("draft", { category: "guardrail", condition, action: "require_approval" });
    expect(await backtestPolicy(machine.store, ORG, draft("false"), 0)).toMatchObject({ looked: 2, changed: 0 });
    const held = await backtestPolicy(machine.store, ORG, draft("node.id == 'clean'"), 0);
    expect(held.counts).toContainEqual({ before: "block", after: "hold", count: 1 });
  });
});
