import { expect, it } from "vitest";
import { auditEntry } from "../core/audit/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import { openGateways } from "../gateway/index.ts";
import { createMemoryStore } from "../store/index.ts";
import type { LaunchToAdmit } from "./launch-admission.ts";
import { openGovernance } from "./open-governance.ts";

const ORG = "default";
const REQUEST: LaunchToAdmit = {
  workflow: "w",
  status: "active",
  posture: "approval_required",
  depth: 0,
  args: {},
  gateway: null,
  keyId: "key_1",
  version: 1,
  model: null,
  roleBindings: {},
  by: "ann",
  agentId: null,
};

it("an approval stays usable when the launch could not be judged, and starts one run", async () => {
  const clock = createVirtualClock(0);
  const memory = createMemoryStore({ now: () => clock.now() });
  let isAway = false;
  const takePlaces: typeof memory.takePlaces = async (...places) => {
    if (isAway) throw new Error("away");
    return memory.takePlaces(...places);
  };
  const store = { ...memory, takePlaces };
  const onTrouble = (what: string, error: unknown): never => {
    throw new Error(`${what}: ${String(error)}`);
  };
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const startRate = { count: 9, perSeconds: 60 };
  const { launches } = openGovernance({ store, directory, clock, isAlone: true, startRate, onTrouble });
  const outcomeOf = async () => (await launches.judge(ORG, REQUEST)).judgement.disposition;
  expect(await outcomeOf()).toBe("block");
  const { data } = await memory.listApprovals(ORG, "pending", { limit: 1, cursor: null });
  const id = data[0]?.id ?? "";
  const entry = auditEntry({ at: 1, type: "approval.resolved", actor: "bob", resource: `approval/${id}`, detail: {} });
  await memory.answerLaunch(ORG, { id, seen: 0, answers: [], status: "approved", choice: "approve" }, entry);
  isAway = true;
  await expect(outcomeOf()).rejects.toThrow("away");
  isAway = false;
  expect(await outcomeOf()).toBe("allow");
  expect(await outcomeOf()).toBe("block");
});
