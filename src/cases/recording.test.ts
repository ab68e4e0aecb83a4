import { describe, expect, it } from "vitest";
import { digestText, type JsonObject } from "../core/base/index.ts";
import { readRecording, recordRun } from "../core/cases/index.ts";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { outputsOfRun } from "../core/engine/index.ts";
import { checkSource, NO_PINS } from "../core/plan/index.ts";
import { readScript } from "../core/script/index.ts";
import {
  type AnswerQuestion,
  EMPTY_SCRIPT,
  type Script,
  type SimulationInput,
  simulateOpen,
} from "../simulation/index.ts";
import { runCase } from "./run-case.ts";

const AT = Date.UTC(2026, 10, 15, 12);

/** Blocks that run several times, with steps of the same id in each of them and outside. */
const SOURCE = `name: w
steps:
  - { id: begin, command: Begin }
  - id: each
    for_each: [1, 2, 3]
    steps:
      - { id: step, command: "Do \${item}" }
      - { id: check, approval: required, form: { mark: { type: integer } }, depends_on: [step] }
    outputs: { did: "\${step.stdout}", mark: "\${check.mark}" }
  - id: improve
    depends_on: [each]
    repeat: { until: "outputs.did == 'round 2'", max: 5 }
    steps: [{ id: step, command: Again }]
    outputs: { did: "\${step.stdout}" }
  - id: again
    depends_on: [improve]
    on_failure: { retry: { attempts: 2 } }
    steps: [{ id: step, command: Try }]
    outputs: { did: "\${step.stdout}" }
  - { id: look, command: Look, tools: [{ name: find, action: read }], depends_on: [again] }
outputs: { begun: "\${begin.stdout}", each: "\${each.items}", improved: "\${improve.did}", tried: "\${again.did}", seen: "\${look.stdout}" }
finally: [{ id: end, command: End }]
`;

const SCRIPT = `nodes:
  begin: { stdout: begun }
  each[0]/step: { stdout: one, cost_usd: 0.5 }
  each[1]/step: { stdout: two }
  each/step: { stdout: any }
  improve[0]/step: { stdout: round 0 }
  improve[1]/step: { stdout: round 1 }
  improve[2]/step: { stdout: round 2 }
  again/step: { fail: provider_error }
  again#2/step: { stdout: second }
  look:
    rounds:
      - { text: I look., cost_usd: 0.25, calls: [{ tool: find, args: {}, result: 1 }] }
      - { text: Found., tokens: { input: 5, output: 2 } }
  finally/end: { stdout: ended }
`;

function inputOf(script: Script): SimulationInput {
  const { plan, problems } = checkSource(SOURCE, EMPTY_CATALOG);
  if (plan === null) throw new Error(JSON.stringify(problems));
  return {
    source: SOURCE,
    hash: digestText(SOURCE),
    pins: NO_PINS,
    texts: new Map(),
    plan,
    version: null,
    args: {},
    script,
  };
}

const MARKS: ReadonlyMap<string, number> = new Map([
  ["each[0]/", 1],
  ["each[1]/", 2],
  ["each[2]/", 3],
]);

/** Each element gets another mark, and the first gets it last. */
const approve: AnswerQuestion = ({ path }) => ({
  decision: "approve",
  by: "ann",
  reason: "",
  form: { mark: MARKS.get(path) ?? 0 },
  afterMs: path === "each[0]/" ? 60_000 : 0,
});

describe("a recording", () => {
  it("repeats each run of a block with its own answers", async () => {
    const { script, problems } = readScript(SCRIPT);
    expect(problems).toEqual([]);
    const real = await simulateOpen(inputOf(script), { approve, at: AT, mayContinue: () => true });
    const outputs = real.state === null ? {} : outputsOfRun(real.state);
    expect(outputs).toEqual({
      begun: "begun",
      each: [
        { did: "one", mark: 1 },
        { did: "two", mark: 2 },
        { did: "any", mark: 3 },
      ],
      improved: "round 2",
      tried: "second",
      seen: "Found.",
    });
    const document: JsonObject = recordRun(real.family);
    const { recording, problems: flaws } = readRecording(JSON.stringify({ ...document, snapshot: {} }));
    expect(flaws).toEqual([]);
    if (recording === null) return;
    const { args, answers, people, events, at } = recording.case;
    const workflow = inputOf(EMPTY_SCRIPT);
    const again = answers.kind === "script" ? answers.script : EMPTY_SCRIPT;
    const tested = { workflow, knownPlans: new Map(), environment: () => Promise.resolve(null) };
    const { outcome } = await runCase(tested, { args, script: again, people, events, at }, () => true);
    expect(outcome.outputs).toEqual(outputs);
    expect(outcome.costUsd).toBe(0.75);
  });

  it.each([
    ["function_error", { fail: "provider_error", message: "TypeError: no" }],
    ["gateway_unreachable", { fail: "provider_error", message: "TypeError: no" }],
    ["timeout", { fail: "timeout", message: "TypeError: no" }],
    ["output_contract_violation", { raw: "" }],
  ])("repeats an attempt that failed with %s", (errorCode, answer) => {
    const failed = { nodeId: "a", errorCode, errorMessage: "TypeError: no" };
    const log = [
      { type: "run.started", at: AT, payload: { workflow: "w", args: {} } },
      { type: "node.started", at: AT, payload: { nodeId: "a", provider: "worker" } },
      { type: "node.failed", at: AT, payload: failed },
    ] as unknown as readonly RunEvent[];
    expect(recordRun([{ runId: "run_1", log }])).toMatchObject({ answers: { nodes: { a: [answer] } } });
  });
});
