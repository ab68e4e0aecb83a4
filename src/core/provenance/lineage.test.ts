import { describe, expect, it } from "vitest";
import { type Children, play as playOut } from "../../../test/own/play.ts";
import type { JsonObject } from "../base/index.ts";
import type { RunEvent } from "../event/index.ts";
import { isoFromEpochMs } from "../view/index.ts";
import {
  type RelatedRuns,
  handoffsOf,
  type Lineage,
  lineageOf,
  type LineageStart,
  readRelatedRuns,
  relativesOf,
  toOpenLineage,
  toProv,
} from "./index.ts";

/** Real events: the engine under the driver, children included. */
async function play(
  source: string,
  { args = {}, children = {}, script = "{}" }: { args?: JsonObject; children?: Children; script?: string },
): Promise<RelatedRuns> {
  const world = {
    children,
    script,
    version: 3,
    answer: async () => ({ decision: "approve", by: "user:ann" }) as const,
  };
  const { logs } = (await playOut(source, world, args)).play;
  return readRelatedRuns(
    [...logs].map(([runId, events]) => {
      const [first] = events;
      return { runId, workflow: first?.type === "run.started" ? first.payload.workflow : "", events };
    }),
  );
}

const PARENT = `name: report
args: { topic: { type: string }, other: { type: string, default: x } }
steps:
  - { id: plan, command: "Plan \${topic}", outputs: { outline: string } }
  - { id: research, workflow_ref: dig, with: { subject: "\${plan.outputs.outline}", note: constant } }
  - { id: write, command: "Write \${research.outputs.sum.text}", outputs: { body: string } }
  - { id: aside, command: "Say \${other}" }
`;
const CHILD = `name: dig
args: { subject: { type: string }, note: { type: string, default: y } }
steps:
  - { id: look, command: "Look at \${subject}", outputs: { facts: string } }
  - { id: sum, command: "Sum \${look.outputs.facts} for \${note}", outputs: { text: string } }
`;

const linksOf = (lineage: Lineage): string[] =>
  lineage.links.map(({ from, to, input, transform }) => {
    const place = (id: number): string => {
      const point = lineage.points[id];
      return `${point?.workflow}/${point?.nodeId ?? "-"}:${point?.path}`;
    };
    return `${place(from)} → ${place(to)} as ${input}${transform === null ? "" : ` (${transform})`}`;
  });
const up = (related: RelatedRuns, start: LineageStart): string[] => linksOf(lineageOf(related, start, "up"));
const endsOf = (lineage: Lineage) =>
  lineage.points.flatMap(({ end, workflow, path }) => (end ? [`${end} ${workflow}:${path}`] : []));

describe("lineage", () => {
  it("leads from an output back through a child run to the arg it came from", async () => {
    const related = await play(PARENT, { args: { topic: "sluices", other: "o" }, children: { dig: CHILD } });
    const lineage = lineageOf(related, { runId: "run_1", nodeId: "write", output: "body" }, "up");
    expect(linksOf(lineage)).toEqual([
      "report/research:outputs.sum.text → report/write:body as command",
      "dig/sum:outputs.text → report/research:outputs.sum.text as outputs.sum (child)",
      "dig/look:outputs.facts → dig/sum:outputs.text as command",
      "dig/-:args.note → dig/sum:outputs.text as command",
      "dig/-:args.subject → dig/look:outputs.facts as command",
      "report/plan:outputs.outline → dig/-:args.subject as args.subject",
      "report/-:args.topic → report/plan:outputs.outline as command",
    ]);
    expect(endsOf(lineage)).toEqual(["arg dig:args.note", "arg report:args.topic"]);
    expect(lineage).toMatchObject({ direction: "up", start: 0, isCut: false });
    const writer = lineage.attempts[lineage.points[0]?.attempt ?? -1];
    expect(writer).toMatchObject({ nodeId: "write", attempt: 1, workflow: "report", version: 3, provider: "scripted" });
  });

  it("leads the other way from an arg through the child to everything made from it", async () => {
    const related = await play(PARENT, { args: { topic: "sluices", other: "o" }, children: { dig: CHILD } });
    const lineage = lineageOf(related, { runId: "run_1", nodeId: null, output: "args.topic" }, "down");
    expect(lineage.points.map(({ nodeId, path }) => `${nodeId ?? "-"}:${path}`)).toEqual([
      "-:args.topic",
      "plan:outputs",
      "-:args.subject",
      "look:outputs",
      "sum:outputs",
      "research:outputs.sum",
      "write:outputs",
    ]);
    expect(endsOf(lineage)).toEqual(["unused report:outputs"]);
  });

  it("takes an element of a list from its own instance, and the instance's element from the list", async () => {
    const related = await play(
      `name: many
args: { files: { type: array } }
steps:
  - { id: each, for_each: files, command: "Read \${item.path}", outputs: { text: string } }
  - { id: first, command: "Show \${each.outputs.items[1].text}" }
  - { id: all, command: "Count \${each.outputs.count}" }
`,
      { args: { files: [{ path: "a" }, { path: "b" }] } },
    );
    expect(up(related, { runId: "run_1", nodeId: "first" })).toEqual([
      "many/each:outputs.items[1].text → many/first:outputs as command",
      "many/each[1]:outputs.text → many/each:outputs.items[1].text as items[1] (collect)",
      "many/-:args.files[1].path → many/each[1]:outputs.text as command",
    ]);
    expect(up(related, { runId: "run_1", nodeId: "all" })).toEqual([
      "many/each:outputs.count → many/all:outputs as command",
      "many/-:args.files → many/each:outputs.count as for_each",
    ]);
    expect(up(related, { runId: "run_1", nodeId: "each" })).toHaveLength(5);
    const down = lineageOf(related, { runId: "run_1", nodeId: null, output: "args.files[0]" }, "down");
    expect(down.points.map(({ nodeId }) => nodeId)).toEqual([null, "each", "each[0]", "all", "each"]);
  });

  it("ends at a node that was given nothing", async () => {
    const related = await play(`name: one\nsteps:\n  - { id: a, command: A }\n`, {});
    expect(lineageOf(related, { runId: "run_1", nodeId: "a" }, "up")).toMatchObject({
      points: [{ end: "source", nodeId: "a" }],
      links: [],
    });
  });

  it("says where it was cut: at its limits, and where a log is missing", async () => {
    const related = await play(PARENT, { args: { topic: "t", other: "o" }, children: { dig: CHILD } });
    const start = { runId: "run_1", nodeId: "write" };
    const whole = lineageOf(related, start, "up");
    const size = { points: whole.points.length, links: whole.links.length };
    expect(lineageOf(related, start, "up", size).isCut).toBe(false);
    for (const less of [
      { ...size, points: size.points - 1 },
      { ...size, links: size.links - 1 },
    ]) {
      expect(endsOf(lineageOf(related, start, "up", less))).toContainEqual(expect.stringMatching(/^cut /));
    }
    const alone = { ...related, runs: new Map([...related.runs].filter(([id]) => id === "run_1")) };
    expect(lineageOf(alone, start, "up").points.at(-1)).toMatchObject({
      nodeId: "research",
      end: "cut",
      cut: "log_missing",
    });
    expect(lineageOf(related, { runId: "run_0", nodeId: "a" }, "up").points).toMatchObject([{ cut: "log_missing" }]);
  });

  it("names model, verdict, policies, approver, cost and prompt of each attempt", async () => {
    const events = (await logOf(APPROVED)).events;
    const policies = new Map([["vrd_1", ["caution@2"]]]);
    const related = readRelatedRuns([{ runId: "run_1", workflow: "w", events, policies }]);
    expect(lineageOf(related, { runId: "run_1", nodeId: "pay" }, "up").attempts).toEqual([
      expect.objectContaining({
        agentId: "default",
        model: "m-1",
        verdictId: "vrd_1",
        policies: ["caution@2", "money@7"],
        costMicros: 40,
        inputTokens: 3,
        promptDigest: expect.stringMatching(/^sha256:/),
        approvals: [expect.objectContaining({ by: "user:ann", decision: "approve", changed: ["amount"] })],
      }),
    ]);
  });
});

/** A log written by hand, where the engine would need a governor. */
type Fact = readonly [RunEvent["type"], object];
const logOf = async (facts: readonly Fact[]) => ({
  events: facts.map(
    ([type, payload], index) => ({ eventId: index + 1, at: 1_000 + index, type, payload }) as unknown as RunEvent,
  ),
});
const STARTED: Fact = [
  "run.started",
  { workflow: "w", version: 1, hash: "h", args: { n: 1 }, nodeCount: 1, trigger: "t", recursionDepth: 0 },
];
const ROUTE = { wave: 0, agentId: "default", gatewayId: "local", provider: "p", model: "m", executionPath: "edge" };
const TOKENS = { inputTokens: 3, outputTokens: 4, thinkingTokens: 0, cachedTokens: 0 };
const DONE = {
  envelope: { kind: "text", artifactKind: "text", output: "" },
  durationMs: 1,
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
};
const takes = (nodeId: string, sourceNodeId: string | null, sourceOutputPath: string): Fact => [
  "node.provenance",
  { nodeId, sourceRunId: "run_1", sourceNodeId, sourceOutputPath, targetInputPath: "command" },
];
const begins = (nodeId: string, attempt: number): Fact => [
  "node.started",
  { nodeId, attempt, ...ROUTE, verdictId: "vrd_1" },
];
const completes = (nodeId: string, attempt: number, outputs: object): Fact => [
  "node.completed",
  { nodeId, attempt, outputs, ...DONE },
];
const APPROVED: readonly Fact[] = [
  STARTED,
  takes("pay", null, "args.n"),
  [
    "approval.requested",
    { nodeId: "pay", approvalId: "apr_1", source: "policy", policies: ["money@7"], rendered: "Pay 1" },
  ],
  [
    "approval.resolved",
    {
      nodeId: "pay",
      approvalId: "apr_1",
      source: "policy",
      status: "approved",
      decision: "approve",
      by: "user:ann",
      modifications: { amount: 1 },
    },
  ],
  begins("pay", 1),
  ["cost.recorded", { nodeId: "pay", attempt: 1, costMicros: 40, tokens: TOKENS, model: "m-1" }],
  completes("pay", 1, { ok: true }),
];

describe("hand-offs", () => {
  it("are one row per value that was really used, with args, parents and children as sources", async () => {
    const related = await play(PARENT, { args: { topic: "sluices", other: "o" }, children: { dig: CHILD } });
    const rows = handoffsOf(related, "run_1");
    const child = [...related.runs.keys()].find((id) => id !== "run_1") ?? "";
    expect(
      rows
        .map((row) => `${row.sourceNodeId ?? "-"} ${row.sourceOutputPath} → ${row.targetNodeId} ${row.targetInputPath}`)
        .sort(),
    ).toEqual([
      "- args.other → aside command",
      "- args.topic → plan command",
      "plan outputs.outline → research with.subject",
      "research outputs.sum.text → write command",
      "sum outputs → research outputs.sum",
    ]);
    expect(rows.find(({ transform }) => transform === "child")).toEqual({
      sourceRunId: child,
      sourceWorkflow: "dig",
      sourceNodeId: "sum",
      sourceOutputPath: "outputs",
      targetRunId: "run_1",
      targetWorkflow: "report",
      targetNodeId: "research",
      targetInputPath: "outputs.sum",
      transform: "child",
    });
    expect(handoffsOf(related, child)).toContainEqual({
      sourceRunId: "run_1",
      sourceWorkflow: "report",
      sourceNodeId: "plan",
      sourceOutputPath: "outputs.outline",
      targetRunId: child,
      targetWorkflow: "dig",
      targetNodeId: null,
      targetInputPath: "args.subject",
      transform: null,
    });
    expect(handoffsOf(related, "run_0")).toEqual([]);
  });

  it("do not count for a node that never began, and count once for one that was rewound", async () => {
    const { events } = await logOf([
      STARTED,
      takes("idle", null, "args.n"),
      takes("a", null, "args.n"),
      begins("a", 1),
      completes("a", 1, { x: 1 }),
      ["node.invalidated", { nodeId: "a", attempt: 1, reason: "rewound" }],
      takes("a", null, "args.n"),
      begins("a", 2),
      completes("a", 2, { x: 2 }),
    ]);
    const related = readRelatedRuns([{ runId: "run_1", workflow: "w", events }]);
    expect(handoffsOf(related, "run_1")).toHaveLength(1);
    expect(lineageOf(related, { runId: "run_1", nodeId: "a" }, "up").attempts).toMatchObject([
      { attempt: 2, isInvalidated: false },
    ]);
    const { wasInvalidatedBy } = toProv(related, "run_1", isoFromEpochMs);
    expect(Object.values(wasInvalidatedBy ?? {})).toHaveLength(1);
  });

  it("come from the run that results, args and inputs were taken from", async () => {
    const source = await logOf([STARTED, takes("a", null, "args.n"), begins("a", 1), completes("a", 1, { x: 1 })]);
    const elsewhere = await logOf([STARTED, begins("z", 1), completes("z", 1, { deep: { y: 2 } })]);
    const branch = await logOf([
      [
        "run.started",
        {
          ...STARTED[1],
          args: { n: 1, m: 2 },
          sourceRunId: "run_1",
          inputsFrom: { m: { runId: "run_9", nodeId: "z", output: "deep.y" } },
        },
      ],
      ["node.completed", { nodeId: "a", outputs: { x: 1 }, ...DONE, carried: true }],
      [
        "node.provenance",
        {
          nodeId: "b",
          sourceRunId: "run_2",
          sourceNodeId: "a",
          sourceOutputPath: "outputs.x",
          targetInputPath: "command",
        },
      ],
      [
        "node.provenance",
        {
          nodeId: "b",
          sourceRunId: "run_2",
          sourceNodeId: null,
          sourceOutputPath: "args.m",
          targetInputPath: "command",
        },
      ],
      begins("b", 1),
    ]);
    const logs = [
      { runId: "run_1", workflow: "w", ...source },
      { runId: "run_9", workflow: "v", ...elsewhere },
      { runId: "run_2", workflow: "w", ...branch },
    ];
    const related = readRelatedRuns(logs);
    expect(
      handoffsOf(related, "run_2").map(
        (row) => `${row.sourceRunId}/${row.sourceNodeId ?? "-"} ${row.targetInputPath} ${row.transform}`,
      ),
    ).toEqual([
      "run_1/- args.n carried",
      "run_9/z args.m null",
      "run_1/a outputs carried",
      "run_2/a command null",
      "run_2/- command null",
    ]);
    expect(up(related, { runId: "run_2", nodeId: "b" })).toEqual([
      "w/a:outputs.x → w/b:outputs as command",
      "w/-:args.m → w/b:outputs as command",
      "w/a:outputs.x → w/a:outputs.x as outputs.x (carried)",
      "w/z:deep.y → w/-:args.m as args.m",
      "w/-:args.n → w/a:outputs.x as command",
    ]);
    expect(
      lineageOf(related, { runId: "run_9", nodeId: "z", output: "deep" }, "down").points.map(({ runId }) => runId),
    ).toEqual(["run_9", "run_2", "run_2"]);
    expect(relativesOf(logs[2] ?? expect.fail("three logs"))).toEqual(["run_1", "run_9"]);
  });
});

describe("exports", () => {
  const play2 = () => play(PARENT, { args: { topic: "sluices", other: "o" }, children: { dig: CHILD } });

  it("name in PROV which attempt used and made what, and who approved it", async () => {
    const prov = toProv(await play2(), "run_1", isoFromEpochMs);
    const planned = "sluice:run/run_1/node/plan/attempt/1";
    expect(prov["activity"]).toMatchObject({
      [planned]: {
        "prov:startTime": "2026-01-01T00:00:00.000Z",
        "sluice:provider": "scripted",
        "sluice:costMicros": 0,
      },
    });
    expect(Object.values(prov["used"] ?? {})).toContainEqual({
      "prov:activity": planned,
      "prov:entity": "sluice:run/run_1/args/topic",
      "prov:role": "command",
    });
    expect(Object.values(prov["wasAssociatedWith"] ?? {})).toContainEqual({
      "prov:activity": planned,
      "prov:agent": "sluice:agent/default",
      "prov:role": "agent",
    });
    const derived = Object.values(prov["wasDerivedFrom"] ?? {}) as Record<string, string>[];
    expect(derived.filter((fact) => fact["sluice:transform"] === "child")).toEqual([
      {
        "prov:generatedEntity": expect.stringMatching(/^sluice:run\/run_1\/node\/research\/result\//),
        "prov:usedEntity": expect.stringMatching(/\/node\/sum\/result\//),
        "sluice:transform": "child",
      },
    ]);
    expect(prov["wasInformedBy"]).toBeDefined();
    const approved = toProv(
      readRelatedRuns([{ runId: "run_1", workflow: "w", ...(await logOf(APPROVED)) }]),
      "run_1",
      isoFromEpochMs,
    );
    expect(Object.keys(approved["agent"] ?? {})).toEqual(["sluice:agent/default", "sluice:person/user%3Aann"]);
  });

  it("have in OpenLineage every run and attempt, field by field, children under their parents", async () => {
    const related = await play2();
    const events = toOpenLineage(related, "run_1", isoFromEpochMs) as unknown as {
      eventType: string;
      run: { runId: string; facets: { parent?: { run: object; root: { run: object } } } };
      job: { name: string };
      outputs: { name: string; facets: { columnLineage: { fields: Record<string, { inputFields: object[] }> } } }[];
    }[];
    const types = (name: string): string[] =>
      events.filter(({ job }) => job.name === name).map(({ eventType }) => eventType);
    for (const name of ["report", "report.plan", "report.research", "dig", "dig.look", "dig.sum"]) {
      expect([name, types(name)]).toEqual([name, ["START", "COMPLETE"]]);
    }
    const idOf = (name: string): string | undefined => events.find(({ job }) => job.name === name)?.run.runId;
    const parentOf = (name: string) => events.find(({ job }) => job.name === name)?.run.facets.parent;
    expect(parentOf("dig")).toMatchObject({
      run: { runId: idOf("report.research") },
      root: { run: { runId: idOf("report") } },
    });
    expect(parentOf("dig.look")).toMatchObject({ run: { runId: idOf("dig") } });
    expect(parentOf("report")).toBeUndefined();
    const columns = (name: string) =>
      events.find(({ job, outputs }) => job.name === name && outputs.length > 0)?.outputs[0]?.facets.columnLineage
        .fields;
    expect(columns("report.plan")).toMatchObject({
      outline: { inputFields: [{ name: "report.args", field: "topic" }] },
    });
    expect(columns("report.research")).toMatchObject({ sum: { inputFields: [{ name: "dig.sum", field: "text" }] } });
    expect(columns("report.write")).toMatchObject({
      body: { inputFields: [{ name: "report.research", field: "sum.text" }] },
    });
  });
});

describe("what a node returned that called tools", () => {
  const SOURCE = "name: w\nsteps:\n  - { id: a, command: Go, tools: [shop/find] }\n";
  const SCRIPT = `nodes:
  a:
    rounds:
      - { text: one, calls: [{tool: find, server: shop, args: {id: 7}, result: found}] }
      - { text: two }
`;

  it("is derived from their results, each made by a call of its server", async () => {
    const related = await play(SOURCE, { script: SCRIPT });
    const [runId = ""] = related.runs.keys();
    const prov = toProv(related, runId, isoFromEpochMs) as Record<string, Record<string, JsonObject>>;
    const entity = `sluice:run/${runId}/node/a/tool/0/0/0`;
    expect(prov["entity"]?.[entity]).toMatchObject({ "sluice:tool": "find", "sluice:server": "shop" });
    const stated = (section: string) => Object.values(prov[section] ?? {});
    expect(stated("wasGeneratedBy")).toContainEqual(
      expect.objectContaining({ "prov:entity": entity, "prov:activity": `${entity}/call` }),
    );
    expect(stated("wasAssociatedWith")).toContainEqual(
      expect.objectContaining({ "prov:activity": `${entity}/call`, "prov:agent": "sluice:server/shop" }),
    );
    expect(stated("wasDerivedFrom")).toContainEqual(
      expect.objectContaining({ "prov:usedEntity": entity, "sluice:transform": "tool" }),
    );
    // What was returned is named, and not in it.
    expect(JSON.stringify(prov)).not.toContain("found");
    const lineage = lineageOf(related, { runId, nodeId: "a" }, "up");
    expect(lineage.attempts[0]?.calls).toMatchObject([{ tool: "find", server: "shop", isError: false, by: null }]);
  });
});
