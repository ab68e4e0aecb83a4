import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi } from "../api/fixture.ts";

const WELCOME = `name: welcome
args: { who: { type: string, required: true } }
steps:
  - { id: first, command: "Greet \${who}" }
  - { id: second, command: "Thank \${who}", depends_on: [first] }
`;

let api: Api;

beforeEach(async () => {
  api = await createApi();
  await api.save(WELCOME);
});

afterEach(() => api.close());

const block = (condition: string) =>
  api.request("PUT", "policies/rule", { body: { category: "guardrail", condition, action: "block" } });

const codes = async (runId: string): Promise<readonly (string | null)[]> =>
  (await api.request("GET", `runs/${runId}/state`)).body.nodeResults.map(
    (node: { errorCode: string | null }) => node.errorCode,
  );

describe("a policy", () => {
  it("sees the args of a run from its very first node on", async () => {
    await block("run.args.who == 'Ada'");
    expect(await codes(await api.run("welcome", { who: "Ada" }))).toEqual(["policy_blocked", "upstream_failure"]);
    expect(await codes(await api.run("welcome", { who: "Bob" }))).toEqual([null, null]);
  });

  it("sees how deep a child run is from its very first node on", async () => {
    await api.save(`name: outer\nsteps:\n  - { id: down, workflow_ref: welcome, with: { who: Eve } }\n`);
    await block("run.depth > 0");
    const runId = await api.run("outer");
    const { body } = await api.request("GET", `runs?parent=${runId}`);
    expect(await codes(body.data[0].id)).toEqual(["policy_blocked", "upstream_failure"]);
    expect(await codes(await api.run("welcome", { who: "Eve" }))).toEqual([null, null]);
  });
});
