import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../src/clock/index.ts";
import { digestText } from "../src/core/base/index.ts";
import { EMPTY_CATALOG } from "../src/core/definition/index.ts";
import { checkSource, NO_PINS } from "../src/core/plan/index.ts";
import { readManifestStream } from "../src/registry/index.ts";
import { buildEnvironment, readScript, simulateGoverned, simulationOf } from "../src/simulation/index.ts";
import { type Api, createApi } from "./api/fixture.ts";
import { ACTIVE_WORKFLOW } from "./own/active-workflow.ts";
import { REPOSITORY } from "./law/source.ts";

const FOLDER = join(REPOSITORY, "examples");
const read = (file: string): string => readFileSync(join(FOLDER, file), "utf8");
const SOURCE = read("09-governed.lobsterX");
const SCRIPT = read("09-governed.script.yaml");
const REGISTRY = readdirSync(join(FOLDER, "09-registry"))
  .sort()
  .map((file) => read(join("09-registry", file)))
  .join("\n---\n");

interface Verdict {
  readonly nodeId: string;
  readonly disposition: string;
  readonly gate: string | null;
  readonly code: string | null;
  readonly policies: readonly string[];
  readonly explanation: { readonly message: string } | null;
}
const summariesOf = (verdicts: readonly Verdict[]) =>
  verdicts.map(({ nodeId, disposition, gate, code, policies, explanation }) => ({
    nodeId,
    disposition,
    gate,
    code,
    policies,
    message: explanation?.message ?? null,
  }));

const EXPECTED = [
  ["collect", "allow", null],
  ["assess", "allow", null],
  ["pay", "hold", "approval_required"],
  ["pay", "allow", null],
  ["letter", "block", "trust_level"],
  ["study", "block", "budget_envelopes"],
];

let api: Api;
beforeAll(async () => {
  api = await createApi({}, SCRIPT);
  const headers = { "content-type": "application/yaml" };
  const applied = await api.request("POST", "apply", { body: REGISTRY, headers });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  await api.save(SOURCE);
});
afterAll(() => api.close());

/** Runs it for real, with a person who says yes. */
async function runIt(): Promise<{ readonly runId: string; readonly status: string }> {
  const started = await api.request("POST", "runs", { body: { workflow: "governed-refund" } });
  expect(started.status).toBe(201);
  const runId = started.body.id;
  await api.settle(runId);
  const { body } = await api.request("GET", "approvals?status=pending");
  const [approval] = body.data;
  expect(approval).toMatchObject({ runId, nodeId: "pay", source: "policy" });
  const why = { override: true, reason: "the desk lead is away" };
  const answer = { decision: "approve", digest: approval.digest, ...why };
  expect((await api.request("POST", `approvals/${approval.id}/resolve`, { body: answer })).status).toBe(200);
  return { runId, status: await api.settle(runId) };
}

describe("the governed example", () => {
  it("meets the verdicts its simulation says it would meet, here and without a server", async () => {
    const there = await api.request("POST", "simulate", { body: { workflow: "governed-refund", script: SCRIPT } });
    expect(there.status).toBe(200);

    const { plan } = checkSource(SOURCE, EMPTY_CATALOG);
    if (plan === null) throw new Error("the example is not valid");
    const clock = createSystemClock();
    const { manifests, problems } = readManifestStream(new TextEncoder().encode(REGISTRY));
    expect(problems).toEqual([]);
    const built = await buildEnvironment(manifests, [plan], clock);
    if (!built.ok) throw new Error(JSON.stringify(built.applied));
    const piece = {
      source: SOURCE,
      hash: digestText(SOURCE),
      pins: NO_PINS,
      texts: new Map<string, string>(),
      plan,
      version: null,
      args: { customer: "Ada" },
      script: readScript(SCRIPT).script,
    };
    const how = { approve: "all", at: clock.now(), mayContinue: () => true } as const;
    const offline = simulationOf(plan, await simulateGoverned(piece, built.environment, ACTIVE_WORKFLOW, how));

    const { runId, status } = await runIt();
    const { body } = await api.request("GET", `runs/${runId}/verdicts`);
    const happened = summariesOf(body.data);
    expect(happened.map(({ nodeId, disposition, gate }) => [nodeId, disposition, gate])).toEqual(EXPECTED);
    expect(summariesOf(there.body.verdicts)).toEqual(happened);
    expect(summariesOf(offline.verdicts)).toEqual(happened);
    expect([there.body.status, offline.status]).toEqual([status, status]);

    const run = (await api.request("GET", `runs/${runId}`)).body;
    expect(there.body.forecast.costMicros).toBe(run.costMicros);
    expect(offline.forecast.costMicros).toBe(run.costMicros);
    const asked = { nodeId: "pay", approvers: ["role:desk-lead", "team:finance"] };
    expect(there.body.approvals).toMatchObject([asked]);
  });

  it("cannot begin its expensive part again on the same day, and its simulation says so first", async () => {
    const { body } = await api.request("POST", "simulate", { body: { workflow: "governed-refund", script: SCRIPT } });
    expect(body.status).toBe("failed");
    expect(body.nodes).toMatchObject([{ verdict: "allow" }, { nodeId: "assess", verdict: "block" }, {}, {}, {}]);
    const started = await api.request("POST", "runs", { body: { workflow: "governed-refund" } });
    expect(await api.settle(started.body.id)).toBe("failed");
    const { body: verdicts } = await api.request("GET", `runs/${started.body.id}/verdicts`);
    expect(summariesOf(verdicts.data)).toEqual(summariesOf(body.verdicts));
  });
});
