import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi, STRANGER } from "../../../test/api/fixture.ts";

const CHAIN = `name: chain
args: { topic: { type: string, default: sluices }, size: { type: integer, default: 1 } }
steps:
  - { id: outline, command: "Outline \${topic}", outputs: { plan: string, parts: integer } }
  - { id: write, command: "Write \${outline.outputs.plan} of \${size}", outputs: { body: string } }
  - { id: say, command: "Say \${write.outputs.body}" }
`;
const SCRIPT = `nodes:
  chain/outline: { outputs: { plan: Begin and end, parts: 3 } }
  chain/write: { outputs: { body: All of it } }
  chain/say: { stdout: Said }
`;

describe("provenance", () => {
  let api: Api;
  let id: string;
  beforeAll(async () => {
    api = await createApi({}, SCRIPT);
    await api.save(CHAIN);
    id = await api.run("chain", { topic: "locks" });
  });
  afterAll(() => api.close());
  const ask = (query: string, key?: string): Promise<Answer> =>
    api.request("GET", `runs/${id}/provenance${query}`, key === undefined ? {} : { key });
  const branch = (body: object): Promise<Answer> => api.request("POST", `runs/${id}/branch`, { body });

  it("lists each hand-off once", async () => {
    const { status, body } = await ask("");
    expect(status).toBe(200);
    expect(body.data).toHaveLength(4);
    expect(body.data[0]).toEqual({
      sourceRunId: id,
      sourceWorkflow: "chain",
      sourceNodeId: null,
      sourceOutputPath: "args.topic",
      targetRunId: id,
      targetWorkflow: "chain",
      targetNodeId: "outline",
      targetInputPath: "command",
      transform: null,
    });
    expect((await ask("?format=json")).body).toEqual(body);
  });

  it("leads an output back to the args, with who made it", async () => {
    const { status, body } = await ask("?node=write&output=body");
    expect(status).toBe(200);
    expect(body).toMatchObject({ direction: "up", start: 0, isCut: false });
    const ends = body.points.filter((point: { end: string | null }) => point.end !== null);
    expect(ends.map(({ path, end }: { path: string; end: string }) => [path, end])).toEqual([
      ["args.size", "arg"],
      ["args.topic", "arg"],
    ]);
    expect(body.attempts[0]).toMatchObject({
      nodeId: "write",
      agentId: "default",
      provider: "scripted",
      verdictId: expect.any(String),
      promptRef: `/api/v1/runs/${id}/nodes/write`,
      startedAt: expect.stringMatching(/Z$/),
    });
    const down = await ask("?output=args.topic&direction=down");
    expect(down.body.points.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual([null, "outline", "write", "say"]);
  });

  it("says what is wrong with the question", async () => {
    const replied = async (query: string): Promise<unknown[]> => {
      const { status, body } = await ask(query);
      return [status, body.code];
    };
    expect(await replied("?node=missing")).toEqual([404, "unknown_node"]);
    expect(await replied("?node=write&output=title")).toEqual([404, "unknown_output"]);
    expect((await ask("?node=write&output=title")).body.detail).toBe(
      'Node "write" has no output "title"; it has body.',
    );
    expect(await replied("?node=say&output=stdout")).toEqual([200, undefined]);
    expect(await replied("?output=args.nothing")).toEqual([404, "unknown_output"]);
    expect(await replied("?output=topic")).toEqual([404, "unknown_output"]);
    expect(await replied("?format=rdf")).toEqual([422, "invalid_request"]);
    expect(await replied("?format=prov&node=write")).toEqual([422, "invalid_request"]);
    expect(await replied("?direction=sideways")).toEqual([422, "invalid_request"]);
    expect((await api.request("GET", "runs/run_nothing/provenance")).body.code).toBe("unknown_run");
    expect((await ask("", STRANGER)).status).toBe(404);
    expect((await ask("", await api.key(["workflow:read"]))).status).toBe(403);
  });

  it("exports both standards", async () => {
    const prov = await ask("?format=prov");
    expect(Object.keys(prov.body)).toEqual(expect.arrayContaining(["prefix", "entity", "activity", "agent", "used"]));
    const { status, body } = await ask("?format=openlineage");
    expect(status).toBe(200);
    expect(body[0]).toMatchObject({ eventType: "START", job: { namespace: "sluice", name: "chain" } });
    expect(body.at(-1)).toMatchObject({ eventType: "COMPLETE", producer: "urn:sluice:engine" });
  });

  it("goes on in the run a branch was made from", async () => {
    const { body: at } = await api.request("GET", `runs/${id}/checkpoints`);
    const settled = at.data.find(({ nodeId }: { nodeId: string }) => nodeId === "outline");
    const { body: branched } = await branch({ eventId: settled.eventId, args: { size: 5 } });
    await api.settle(branched.id);
    const { body } = await api.request("GET", `runs/${branched.id}/provenance?node=write`);
    const points = body.points.map(({ runId, nodeId, path }: Record<string, string>) => [runId === id, nodeId, path]);
    expect(points).toEqual([
      [false, "write", "outputs"],
      [false, "outline", "outputs.plan"],
      [false, null, "args.size"],
      [true, "outline", "outputs.plan"],
      [true, null, "args.topic"],
    ]);
  });

  it("takes args of a branch from outputs of other runs", async () => {
    const from = (nodeId: string, output: string, runId = id) => ({ runId, nodeId, output });
    const { status, body } = await branch({
      eventId: 1,
      inputsFrom: { size: from("outline", "parts"), topic: from("say", "stdout") },
    });
    expect(status).toBe(201);
    expect(body.args).toEqual({ size: 3, topic: "Said" });
    const refused = async (inputsFrom: object, args: object = {}): Promise<unknown[]> => {
      const answer = await branch({ eventId: 1, args, inputsFrom });
      return [answer.status, answer.body.code];
    };
    expect(await refused({ size: from("outline", "parts", "run_nothing") })).toEqual([404, "unknown_run"]);
    expect(await refused({ size: from("missing", "parts") })).toEqual([422, "unknown_node"]);
    expect(await refused({ size: from("outline", "pages") })).toEqual([422, "unknown_output"]);
    expect(await refused({ size: from("outline", "plan") })).toEqual([422, "invalid_args"]);
    expect(await refused({ whom: from("outline", "plan") })).toEqual([422, "invalid_args"]);
    expect(await refused({ size: from("outline", "parts") }, { size: 1 })).toEqual([422, "invalid_request"]);
    expect(await refused({ size: { runId: id } })).toEqual([422, "invalid_request"]);
    const foreign = await api.request("POST", `runs/${id}/branch`, {
      key: STRANGER,
      body: { eventId: 1, inputsFrom: { size: from("outline", "parts") } },
    });
    expect(foreign.status).toBe(404);
  });
});
