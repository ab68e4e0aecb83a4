import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi } from "../../../test/api/fixture.ts";
import { ROUTES } from "../route-table.ts";

/** Its answers repeat what was asked; a letter has to be polite. */
const LETTER = `name: letter
args: { who: { type: string, default: Ada } }
steps:
  - { id: facts, command: "Facts about \${who}" }
  - id: write
    command: "Write to \${who}: \${facts.stdout}"
    success_criteria: ["contains(outputs.stdout, 'please')"]
  - { id: post, command: "Post \${write.stdout}" }
  - id: count
    command: Count
    outputs: { words: { type: integer, required: true } }
  - { id: ask, approval: required, depends_on: [count] }
`;
const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "letter/count": { outputs: { words: 3 } },
    "talk/say": { rounds: [{ text: "I look.", calls: [{ tool: "look", args: {}, result: 1 }] }, { text: "Done." }] },
  },
});
const TALK = `name: talk
steps:
  - { id: say, command: Speak., tools: [look] }
`;

let api: Api;
let id: string;
beforeAll(async () => {
  api = await createApi({}, SCRIPT);
  await api.save(LETTER);
  await api.save(TALK);
  id = await api.run("letter");
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

const lastEvent = async (): Promise<number> => (await api.request("GET", `runs/${id}`)).body.lastEventId;
const branch = async (edits: object, more: object = {}): Promise<Answer> =>
  api.request("POST", `runs/${id}/branch`, { body: { eventId: await lastEvent(), ...edits }, ...more });
const node = async (runId: string, nodeId: string) => (await api.request("GET", `runs/${runId}/nodes/${nodeId}`)).body;
const places = ({ status, body }: Answer) => [
  status,
  body.code,
  ...(body.problems ?? []).map(({ path }: { path: string }) => path),
];

function fits(operation: string, { status, body }: Answer): void {
  const schema = ROUTES.find((route) => route.operation === operation)?.replies[status]?.schema;
  expect(schema?.safeParse(body).error?.issues).toBeUndefined();
}

describe("a run that failed for its prompt", () => {
  it("is replayed with another one, and the edit is seen everywhere", async () => {
    expect((await node(id, "write")).node).toMatchObject({ status: "failed", errorCode: "criteria_failed" });
    const prompt = "Write to Ada, please: ${facts.stdout}";
    const edits = { prompts: { write: prompt } };
    const preview = await api.request("POST", `runs/${id}/branch/preview`, {
      body: { eventId: await lastEvent(), ...edits },
    });
    expect(preview).toMatchObject({ status: 200, body: { carriedOver: ["count", "facts"] } });
    const branched = await branch(edits);
    fits("runs.branch", branched);
    expect(branched).toMatchObject({ status: 201, body: { sourceRunId: id, carriedOver: ["count", "facts"] } });
    const next = branched.body.id;
    await api.settle(next);
    const written = await node(next, "write");
    fits("runs.node", { status: 200, headers: new Headers(), body: written });
    expect(written).toMatchObject({
      node: { status: "completed", output: prompt },
      request: { message: prompt },
      promptBy: "admin",
      resultBy: null,
    });
    expect((await node(next, "post")).node.output).toBe(`Post ${prompt}`);
    expect((await node(id, "write")).promptBy).toBeNull();

    const { data } = (await api.request("GET", `audit?type=run.started&run=${next}`)).body;
    expect(data[0].detail).toMatchObject({ sourceRunId: id, promptsBy: { write: "admin" } });
    expect(JSON.stringify(data)).not.toContain("please");
    const lineage = (await api.request("GET", `runs/${next}/provenance?node=write&output=stdout`)).body;
    expect(lineage.attempts[0]).toMatchObject({ nodeId: "write", promptBy: "admin" });
    const prov = (await api.request("GET", `runs/${next}/provenance?format=prov`)).body;
    expect(JSON.stringify(prov)).toContain("prompt author");

    const restarted = await api.request("POST", `runs/${next}/restart`, { body: { fromNode: "write" } });
    expect(restarted.status).toBe(409);
    await api.request("POST", `runs/${next}/cancel`, { body: {} });
    await api.settle(next);
    const again = await api.request("POST", `runs/${next}/restart`, { body: { fromNode: "write" } });
    await api.settle(again.body.id);
    expect(await node(again.body.id, "write")).toMatchObject({ request: { message: prompt }, promptBy: "admin" });
  });

  it("is started once under one key, and another text under it is another request", async () => {
    const headers = { "idempotency-key": "replay-1" };
    const first = await branch({ prompts: { write: "please" } }, { headers });
    const second = await branch({ prompts: { write: "please" } }, { headers });
    expect([first.status, second.status, second.body.id]).toEqual([201, 200, first.body.id]);
    expect(places(await branch({ prompts: { write: "please!" } }, { headers }))).toEqual([409, "idempotency_conflict"]);
    expect(places(await branch({ outputs: { count: { words: 3 } } }, { headers }))).toEqual([
      409,
      "idempotency_conflict",
    ]);
  });

  it("is refused with place and hint", async () => {
    const wrong: readonly (readonly [object, readonly unknown[]])[] = [
      [{ prompts: { none: "x" } }, [422, "unknown_node", "prompts.none"]],
      [{ prompts: { ask: "x" } }, [422, "no_prompt", "prompts.ask"]],
      [{ prompts: { write: "  " } }, [422, "invalid_prompt", "prompts.write"]],
      [{ prompts: { write: "x".repeat(524_289) } }, [422, "invalid_prompt", "prompts.write"]],
      [{ prompts: { write: 7 } }, [422, "invalid_request", "prompts.write"]],
      [{ outputs: { none: {} } }, [422, "unknown_node", "outputs.none"]],
      [{ outputs: { write: { stdout: "x" } } }, [409, "node_not_kept", "outputs.write"]],
      [{ outputs: { count: { words: "many" } } }, [422, "invalid_outputs", "outputs.count.words"]],
      [{ outputs: { count: 7 } }, [422, "invalid_request", "outputs.count"]],
    ];
    for (const [edits, expected] of wrong) {
      const refused = await branch(edits);
      expect(places(refused)).toEqual(expected);
      if (expected[1] !== "invalid_request") expect(refused.body.problems[0].hint).toEqual(expect.any(String));
      const preview = await api.request("POST", `runs/${id}/branch/preview`, {
        body: { eventId: await lastEvent(), ...edits },
      });
      expect(places(preview)).toEqual(expected);
    }
    const reader = await api.key("viewer");
    expect((await branch({ prompts: { write: "please" } }, { key: reader })).status).toBe(403);
  });
});

describe("a result that a person gives", () => {
  it("is kept in place of the one there was, and attributed to that person", async () => {
    const branched = await branch({ outputs: { facts: { stdout: "She wrote, please read." } } });
    expect(branched.body).toMatchObject({ carriedOver: ["count", "facts"], runsAgain: ["ask", "write", "post"] });
    const next = branched.body.id;
    await api.settle(next);
    expect((await node(next, "post")).node).toMatchObject({
      status: "completed",
      output: "Post Write to Ada: She wrote, please read.",
    });
    expect(await node(next, "facts")).toMatchObject({ resultBy: "admin", promptBy: null });
    const { data } = (await api.request("GET", `audit?run=${next}&type=node.completed`)).body;
    const entry = data.find((one: { node: string }) => one.node === "facts");
    expect(entry.detail).toMatchObject({ carried: true, by: "admin" });
    const lineage = (await api.request("GET", `runs/${next}/provenance?node=facts&output=stdout`)).body;
    expect(lineage.points).toHaveLength(1);
    const kept = (await api.request("GET", `runs/${next}/provenance?node=count&output=words`)).body;
    expect(kept.points.map(({ runId }: { runId: string }) => runId)).toContain(id);
    const { wasAttributedTo: attributed } = (await api.request("GET", `runs/${next}/provenance?format=prov`)).body;
    expect(JSON.stringify(attributed)).toContain("person/admin");
  });
});

describe("a turn that goes on", () => {
  it("has its rounds, and is asked something else", async () => {
    await api.request("PUT", "tools/look", { body: { name: "look", action: "read" } });
    const run = await api.run("talk");
    const turn = { node: "say", round: 0, prompt: "Speak louder." };
    const branched = await api.request("POST", `runs/${run}/branch`, { body: { turn } });
    expect(branched).toMatchObject({ status: 201, body: { continues: { nodeId: "say", rounds: 1 } } });
    await api.settle(branched.body.id);
    expect(await node(branched.body.id, "say")).toMatchObject({
      node: { status: "completed" },
      request: { message: "Speak louder." },
      promptBy: "admin",
    });
    const body = { turn: { ...turn, prompt: "" } };
    expect(places(await api.request("POST", `runs/${run}/branch`, { body }))).toEqual([
      422,
      "invalid_prompt",
      "turn.prompt",
    ]);
    for (const more of [{ prompts: { say: "x" } }, { outputs: { say: {} } }]) {
      const [path] = Object.keys(more);
      const mixed = await api.request("POST", `runs/${run}/branch`, { body: { turn, ...more } });
      expect(places(mixed)).toEqual([422, "invalid_request", path]);
    }
  });
});
