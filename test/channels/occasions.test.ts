import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/clock/index.ts";
import { LaunchWatch } from "../../src/governance/index.ts";
import { AlertWatch } from "../../src/outside/alert/index.ts";
import { auditEntry } from "../../src/core/audit/index.ts";
import { compareCodeUnits } from "../../src/core/base/index.ts";
import { ORG } from "../api/fixture.ts";
import { type Ground, openGround } from "./ground.ts";
import { fillForm } from "./browser-form.ts";
import { linkOf, openPostOffice, type PostOffice } from "./post-office.ts";

const HOUR_MS = 3_600_000;
const ASK = `name: ask
steps:
  - { id: decide, name: "Send it?", approval: required, approvers: ["user:ann@example.com"] }
`;

let ground: Ground;
let office: PostOffice;
beforeEach(async () => {
  [ground, office] = await Promise.all([openGround(), openPostOffice()]);
});
afterEach(async () => {
  await ground.close();
  await office.close();
  expect(ground.troubles).toEqual([]);
});

function useMail(notify: readonly object[], more: object = {}): Promise<void> {
  const to = ["approvers", "ops@example.com"];
  const spec = { type: "email", host: "127.0.0.1", port: office.port, from: "sluice@example.com", to, notify, ...more };
  return ground.put("mail", spec);
}

function subjects(): readonly string[] {
  return office.letters.map(({ subject = "" }) => subject).toSorted(compareCodeUnits);
}

describe("people are notified of", () => {
  it("a launch that waits for an approval, and the letter answers it", async () => {
    await useMail([{ on: "approval.requested", where: "workflow == 'hello'" }]);
    await ground.api.save("name: hello\nsteps:\n  - { id: a, command: A }\n");
    const policy = { category: "run_creation", condition: "true", action: "require_approval", reason: "Ask first" };
    await ground.api.request("PUT", "policies/ask", { body: policy });
    expect((await ground.api.request("POST", "runs", { body: { workflow: "hello" } })).status).toBe(403);
    await ground.round();
    const [letter] = office.letters;
    if (letter === undefined) throw new Error(JSON.stringify(await ground.deliveries("mail")));
    const link = linkOf(letter);
    expect(await (await fetch(link)).text()).toContain("Ask first");
    expect((await fillForm(link, { decision: "approve" })).status).toBe(200);
    expect((await ground.api.request("POST", "runs", { body: { workflow: "hello" } })).status).toBe(201);
  });

  it("an alert that fires, once, and what a budget has spent", async () => {
    await useMail([{ on: "alert", where: "alert == 'slow'" }, { on: "budget.warning" }]);
    for (const name of ["slow", "other"]) {
      const alert = { on: "approval_age", threshold: 60, to: ["log"] };
      await ground.api.request("PUT", `alerts/${name}`, { body: alert });
    }
    await ground.api.save(ASK);
    await ground.api.run("ask");
    ground.ahead = 2 * HOUR_MS;
    const { store } = ground.api;
    const clock = { ...createSystemClock(), now: () => Date.now() + ground.ahead };
    const onTrouble = (what: string): never => expect.fail(what);
    const { rounds: alerts } = new AlertWatch({
      store,
      clock,
      deliveriesOf: (notice) => ground.noticesOf(notice),
      onFired: () => undefined,
      onTrouble,
    });
    await alerts.go();
    await alerts.go();
    await ground.round();
    expect(subjects()).toEqual(["Alert: slow"]);
    expect(office.letters[0]?.text).toContain("waits for");
  });

  it("a budget that has reached one of its marks, by the rule that names it", async () => {
    await useMail([{ on: "budget.warning", where: "budget == 'team' and share >= 0.8" }]);
    const mark = (budget: string, share: number) =>
      auditEntry({
        at: Date.now(),
        type: "budget.alert",
        actor: "engine",
        resource: `budget/${budget}`,
        detail: { share, spentUsd: "8.00", amountUsd: "10.00", periodStart: 0 },
      });
    await ground.api.store.appendAudit(ORG, [mark("team", 0.5), mark("other", 0.8), mark("team", 0.8)]);
    await ground.round();
    await ground.round();
    expect(subjects()).toEqual(["Budget warning: team"]);
    expect(office.letters[0]?.text).toContain("8.00 of 10.00 dollars are spent.");
  });

  it("a reminder of a launch, and a critical one also in quiet hours", async () => {
    // Quiet around this hour and around the next one, in which the reminders come: no quiet hours have the whole day.
    const at = (hours: number): string => `${new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 13)}:00`;
    const quiet = { quiet_hours: { from: at(-1), to: at(4), zone: "UTC" } };
    await useMail([{ on: "approval.reminded" }], quiet);
    await ground.api.save("name: hello\nsteps:\n  - { id: a, command: A }\n");
    const policy = { category: "run_creation", condition: "true", action: "require_approval" };
    await ground.api.request("PUT", "policies/ask", { body: policy });
    await ground.api.request("POST", "runs", { body: { workflow: "hello" } });
    const { store } = ground.api;
    const clock = { ...createSystemClock(), now: () => Date.now() + ground.ahead };
    const onTrouble = (what: string): never => expect.fail(what);
    const { rounds: launches } = new LaunchWatch({
      store,
      clock,
      deliveriesOf: (notice) => ground.noticesOf(notice),
      onTrouble,
    });
    ground.ahead = 73 * HOUR_MS;
    await launches.go();
    await ground.round();
    // Of three reminders only the critical one is sent now.
    expect(office.letters.map(({ text }) => text?.includes("critical"))).toEqual([true]);
    expect((await ground.deliveries("mail")).map(({ state }) => state).toSorted(compareCodeUnits)).toEqual([
      "delivered",
      "pending",
      "pending",
    ]);
  });
});

describe("any number of replicas", () => {
  it("send each letter once, also when all look at the same moment", async () => {
    await useMail([{ on: "approval.requested" }]);
    const rivals = await Promise.all([ground.replica(), ground.replica(), ground.replica()]);
    await ground.api.save(ASK);
    for (let runs = 0; runs < 5; runs += 1) await ground.api.run("ask");
    await ground.seal();
    for (let rounds = 0; rounds < 3; rounds += 1) await Promise.all(rivals.map((rival) => rival.round()));
    expect(office.letters).toHaveLength(10);
    expect(new Set(office.letters.map(({ messageId }) => messageId)).size).toBe(10);
    await Promise.all(rivals.map((rival) => rival.stop()));
  });
});
