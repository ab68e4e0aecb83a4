import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonLines } from "../../test/cli/json-lines.ts";
import { NESTED } from "../../test/cli/nested-workflow.ts";
import type { Command } from "commander";
import { type Clock, createVirtualClock } from "../clock/index.ts";
import type { Interruption, Io, Screen } from "./io.ts";
import { main } from "./command-line.ts";
import { createProgram } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-cli-"));
beforeAll(() => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, "empty"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  "good.lobsterX":
    "name: good\nargs: { topic: { type: string, default: tides } }\nsteps:\n  - { id: write, command: 'Write about ${topic}' }\n",
  "typed.lobsterX": `name: typed
args:
  n: { type: integer, required: true, minimum: 1 }
  on: { type: boolean, default: false }
  list: { type: array, default: [] }
  map: { type: object, default: {} }
  text: { type: string, default: "" }
steps:
  - { id: say, command: '\${n} \${on} \${list} \${map} \${text}' }
`,
  "bad.lobsterX": "name: bad\nsteps:\n  - id: a\n    comand: x\n    on_failure: hlat\n",
  "hostile.lobsterX": 'name: "\\e[31mred\\a"\nsteps: []\n',
  "gate.lobsterX":
    "name: gate\nsteps:\n  - { id: ok, name: Ship it, approval: required }\n  - { id: ship, command: Ship, depends_on: [ok] }\n",
  "two.lobsterX": "name: two\nsteps:\n  - { id: a, command: A }\n  - { id: b, command: B }\n",
  "slow.lobsterX": "name: slow\nsteps:\n  - { id: a, command: A, timeout: 100 }\n",
  "flaky.lobsterX": "name: flaky\nsteps:\n  - { id: a, command: A, on_failure: retry_once_then_escalate }\n",
  "borrowed.lobsterX": "name: borrowed\nsteps:\n  - { id: a, library_step: greeting }\n",
  "library.yaml": "kind: LibraryStep\nname: greeting\nspec: { command: Say hello }\n",
  "parent.lobsterX": "name: parent\nsteps:\n  - { id: sub, workflow_ref: good, with: { topic: moons } }\n",
  "orphan.lobsterX": "name: orphan\nsteps:\n  - { id: sub, workflow_ref: goood }\n",
  "wrong-version.lobsterX": "name: wrong-version\nsteps:\n  - { id: sub, workflow_ref: good@9 }\n",
  "echo.yaml": "default: echo\n",
  "child.yaml": "nodes: { good/write: { outputs: { text: moons } }, write: { fail: provider_error } }\n",
  "hang.yaml": "nodes: { a: { hang: true } }\n",
  "fail.yaml": "nodes: { a: { fail: provider_refused, message: 'not this one' } }\n",
  "stranger.yaml": "nodes: { writ: { stdout: x } }\n",
  "broken.yaml": "nodes: { a: { dealy_ms: 1 } }\n",
  "rules.yaml": `kind: Policy
name: costly
spec: { category: budget, condition: node.estimated_cost > 1, action: block }
---
kind: Lens
name: judge
spec:
  versions: [{ id: v1, template_body: "Judge [[answer]].", output_contract: { kind: j, artifact_kind: j, schema: { score: { type: number } } } }]
---
kind: Workflow
name: graph
spec:
  source: |
    format: lens-graph/v1
    name: graph
    nodes: [{ id: a, lens_id: judge }, { id: b }]
    edges: [{ id: e, source_node_id: a, target_node_id: b, target_param_label: x, source_output_key: scroe }]
---
kind: Policy
name: costly
spec: { category: budget, condition: "true", action: log }
---
kind: Webhook
name: out
spec: { url: "http:///path", events: [run.completd] }
`,
  "fine.yaml":
    "kind: Agent\nname: a\nspec: { trust_level: 3 }\n---\nkind: Model\nname: m\nspec: { provider: p, input_usd_per_mtok: 1, output_usd_per_mtok: 2 }\n",
  "bridge.yaml":
    "default_provider: http\nadapters:\n  http: { allow: [example.com], targets: { billing: { url: https://billing.example/api } } }\n",
  "bad-bridge.yaml": `adapters:
  htpp: {}
  http: { targts: {} }
  process: { commands: { list: { comand: ls } } }
moderation: { rules: { wrods: [] } }
secret: [X]
`,
  "nested.lobsterX": NESTED,
  "args.json": '{"n": 3, "text": "from file"}\n',
  "list.json": "[1]\n",
};

/** Noun and verb of every command there is. */
function everyCommand(): readonly string[] {
  const names = (command: Command, prefix: string): readonly string[] =>
    command.commands.flatMap((sub) => [`${prefix}${sub.name()}`, ...names(sub, `${prefix}${sub.name()} `)]);
  const silent: Screen = { isTty: false, size: () => ({ columns: 80, rows: 24 }), write: () => undefined };
  return names(
    createProgram({ out: silent, err: silent } as unknown as Io, () => Promise.resolve()),
    "",
  );
}

interface Options {
  readonly tty?: boolean;
  readonly env?: Record<string, string>;
  readonly lines?: readonly string[];
  readonly input?: string;
  /** Ctrl-C after so many milliseconds, each. */
  readonly interrupts?: readonly number[];
}

const IDLE_TURNS = 8;

async function sluice(argv: readonly string[], options: Options = {}) {
  const virtual = createVirtualClock(Date.UTC(2026, 0, 1));
  let out = "";
  let err = "";
  let alarms = 0;
  const clock: Clock = {
    now: () => virtual.now(),
    after: (delayMs, fire) => {
      alarms += 1;
      return virtual.after(delayMs, fire);
    },
  };
  // Files are read and the driver works in turns of the event loop, while the clock of the run stands still.
  const untilIdle = async (): Promise<void> => {
    for (let idle = 0, before = ""; idle < IDLE_TURNS;) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = `${alarms} ${out.length} ${err.length}`;
      idle = now === before ? idle + 1 : 0;
      before = now;
    }
  };
  const screen = (write: (text: string) => void): Screen => ({
    isTty: options.tty === true,
    size: () => ({ columns: 80, rows: 24 }),
    write,
  });
  const listeners = new Set<(why: Interruption) => void>();
  const lines = [...(options.lines ?? [])];
  const ended: { code: number | null } = { code: null };
  const io: Io = {
    out: screen((text) => (out += text)),
    err: screen((text) => (err += text)),
    cwd: folder,
    env: options.env ?? {},
    clock,
    isInputTty: options.tty === true,
    readInput: () => Promise.resolve(new TextEncoder().encode(options.input ?? "")),
    readLine(prompt) {
      err += prompt;
      return Promise.resolve(lines.shift() ?? null);
    },
    onInterrupt(listener) {
      listeners.add(listener);
      for (const delay of options.interrupts ?? []) clock.after(delay, () => listener("interrupt"));
      return () => listeners.delete(listener);
    },
    exitNow: (code) => {
      ended.code = code;
    },
  };
  void main(argv, io).then((code) => {
    ended.code ??= code;
  });
  do await virtual.run(() => ended.code !== null, untilIdle);
  while (ended.code === null);
  expect(err).not.toMatch(/\n\s+at .*\.ts:/);
  return { code: ended.code, out, err, listening: listeners.size };
}

describe("sluice validate", () => {
  it("reports for programs in one shape", async () => {
    const { code, out } = await sluice(["validate", "--json", "bad.lobsterX", "good.lobsterX"]);
    expect(code).toBe(2);
    const report = JSON.parse(out);
    expect(Object.keys(report)).toEqual(["files"]);
    const definitionHash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string;
    expect(report.files[1]).toEqual({ file: "good.lobsterX", ok: true, definitionHash, problems: [], warnings: [] });
    expect(report.files[0]).toMatchObject({ file: "bad.lobsterX", ok: false });
    for (const problem of report.files[0].problems) {
      expect(Object.keys(problem)).toEqual(["code", "message", "path", "line", "column", "hint"]);
      expect(problem.hint).not.toBe("");
    }
  });

  it("reports for people: place, code, the line itself, what to do", async () => {
    const { code, out, err } = await sluice(["validate", "bad.lobsterX", "good.lobsterX"]);
    expect(code).toBe(2);
    expect(err).toContain("bad.lobsterX:4:5: unknown_key: ");
    expect(err).toContain('  4 |     comand: x\n    |     ^\n  hint: Did you mean "command"?\n');
    expect(err).toMatch(/2 files, \d problems, 0 warnings\n$/);
    expect(out).toBe("good.lobsterX: ok (good, 1 node)\n");
  });

  it("reports for GitHub", async () => {
    const { out } = await sluice(["validate", "--format", "github", "bad.lobsterX"]);
    expect(out).toMatch(/^::error file=bad\.lobsterX,line=\d+,col=\d+,title=\w+::/);
  });

  it("is silent about good files with --quiet", async () => {
    expect(await sluice(["validate", "--quiet", "good.lobsterX"])).toMatchObject({ code: 0, out: "", err: "" });
  });

  it.each([
    ["nothing.lobsterX", "sluice: cannot read nothing.lobsterX: there is no such file\n"],
    ["empty", "sluice: cannot read empty: it is a directory, and a file is needed\n"],
  ])("has one line for %s", async (name, line) => {
    expect(await sluice(["validate", name])).toMatchObject({ code: 2, out: "", err: line });
  });

  it("reads standard input", async () => {
    const { code, out } = await sluice(["validate", "-"], { input: FILES["good.lobsterX"] });
    expect({ code, out }).toEqual({ code: 0, out: "<stdin>: ok (good, 1 node)\n" });
  });

  it("checks streams of manifests, what stands in their workflows too", async () => {
    const { code, err } = await sluice(["validate", "rules.yaml"]);
    expect(code).toBe(2);
    const found = err.split("\n").flatMap((line) => /^rules\.yaml:(\d+:\d+: \w+)/.exec(line)?.[1] ?? []);
    expect(found).toEqual([
      "3:38: unknown_fact",
      "17:102: unknown_field",
      "20:7: duplicate_id",
      "25:14: wrong_type",
      "25:39: bad_enum",
    ]);
    expect(err).toContain('hint: Did you mean "estimatedUsd"?');
    expect((await sluice(["validate", "fine.yaml"])).out).toBe("fine.yaml: ok (2 manifests)\n");
  });

  it("checks configurations of a Bridge, and the sections of its adapters", async () => {
    expect((await sluice(["validate", "bridge.yaml"])).out).toBe("bridge.yaml: ok (configuration of a Bridge)\n");
    const { code, err } = await sluice(["validate", "bad-bridge.yaml"]);
    expect(code).toBe(2);
    const found = err.split("\n").flatMap((line) => /^bad-bridge\.yaml:(\d+:\d+: \w+)/.exec(line)?.[1] ?? []);
    expect(found).toEqual([
      "2:3: unknown_key",
      "3:11: unknown_key",
      "4:32: missing_field",
      "4:34: unknown_key",
      "5:24: unknown_key",
      "6:1: unknown_key",
    ]);
    expect(err).toContain('hint: Did you mean "http"?');
    expect(err).toContain('hint: Did you mean "targets"?');
  });

  it("lets no file write on the terminal", async () => {
    const { err } = await sluice(["validate", "hostile.lobsterX"]);
    expect(err).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it("colours only at a terminal that wants it", async () => {
    expect((await sluice(["validate", "bad.lobsterX"], { tty: true })).err).toContain("\u001b[31m");
    expect((await sluice(["validate", "bad.lobsterX"], { tty: true, env: { NO_COLOR: "1" } })).err).not.toContain(
      "\u001b",
    );
  });
});

describe("sluice plan and schema", () => {
  it("prints a plan as text, JSON, Mermaid and DOT", async () => {
    expect((await sluice(["plan", "two.lobsterX"])).out).toContain("layer 0");
    const asJson = JSON.parse((await sluice(["plan", "two.lobsterX", "--format", "json"])).out);
    expect(asJson).toEqual({
      name: "two",
      format: "lobsterx",
      nodes: ["a", "b"].map((id) => ({ id, kind: "agent", dependsOn: [], dependents: [], wave: 0 })),
      layers: [["a", "b"]],
      definitionHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    });
    expect((await sluice(["plan", "two.lobsterX", "--format", "mermaid"])).out).toMatch(/^flowchart/);
    expect((await sluice(["plan", "two.lobsterX", "--format", "dot"])).out).toMatch(/^digraph/);
  });

  it("prints no plan of an invalid file", async () => {
    expect(await sluice(["plan", "bad.lobsterX"])).toMatchObject({ code: 2, out: "" });
  });

  it.each(["lobsterx", "lens-graph"])("prints the schema of %s", async (format) => {
    expect(JSON.parse((await sluice(["schema", format])).out)).toHaveProperty("$schema");
  });
});

describe("sluice run", () => {
  it("puts the result on standard output and everything else on standard error", async () => {
    const { code, out, err } = await sluice(["run", "good.lobsterX", "--script", "echo.yaml", "--arg", "topic=moons"]);
    expect({ code, out }).toEqual({ code: 0, out: "Write about moons\n" });
    expect(err).toMatch(/✓ write 0 ms\n✓ good completed in 0 ms · 1 node completed · run_\w+\n$/);
  });

  it.each([
    ['outputs: { n: "${1 / 0}" }', 1, /^w: failed: outputs_error: .+/m],
    ["finally: [{ id: b, fail: { code: not_tidy, message: No. } }]", 1, /^w: failed: not_tidy: No\.$/m],
  ])("says why a run failed none of whose nodes did: %s", async (more, code, why) => {
    const input = `name: w\nsteps: [{ id: a, set: { x: 1 } }]\n${more}\n`;
    for (const flag of ["--quiet", "--json"]) {
      const found = await sluice(["run", "-", "--local", flag], { input });
      expect(found).toMatchObject({ code, err: expect.stringMatching(why) as string });
    }
  });

  it("says the failure of a node once, and why a run was cancelled", async () => {
    const failed = "name: w\nsteps: [{ id: a, fail: { code: bad_day, message: No. } }]\n";
    expect((await sluice(["run", "-", "--local", "--quiet"], { input: failed })).err).toBe("a: failed: bad_day: No.\n");
    const cancelled = "name: w\nsteps: [{ id: a, cancel: enough of it }]\n";
    const { code, err } = await sluice(["run", "-", "--local", "--quiet"], { input: cancelled });
    expect({ code, err }).toEqual({ code: 3, err: "w: cancelled: enough of it\n" });
  });

  it("names several results", async () => {
    const { out } = await sluice(["run", "two.lobsterX", "--script", "echo.yaml", "--quiet"]);
    expect(out).toBe("# a\nA\n# b\nB\n");
  });

  it("reads args as their declared types say", async () => {
    const { out } = await sluice([
      "run",
      "typed.lobsterX",
      "--script",
      "echo.yaml",
      "--args-file",
      "args.json",
      "--arg",
      "n=12",
      "--arg",
      "on=true",
      "--arg",
      "list=[1, 2]",
      "--arg",
      'map={"a": 1}',
    ]);
    expect(out).toBe('12 true [1,2] {"a":1} from file\n');
  });

  it.each([
    [["run", "typed.lobsterX"], "args.n: missing_field:"],
    [["run", "typed.lobsterX", "--arg", "n=twelve"], "args.n: wrong_type:"],
    [["run", "typed.lobsterX", "--arg", "n=0"], "args.n: bad_number:"],
    [["run", "typed.lobsterX", "--arg", "n=1", "--arg", "m=1"], "args.m: unknown_key:"],
    [["run", "typed.lobsterX", "--arg", "n=1", "--arg", "list=[1"], "args.list: wrong_type:"],
    [["run", "typed.lobsterX", "--arg", "n"], "write it as name=value"],
    [["run", "typed.lobsterX", "--args-file", "list.json"], "must hold a map of args"],
    [["run", "bad.lobsterX"], "bad.lobsterX is not valid, nothing was started"],
    [["run", "nothing.lobsterX"], "cannot read nothing.lobsterX"],
    [["run", "two.lobsterX", "--script", "broken.yaml"], "broken.yaml:1:15: unknown_key:"],
    [["run", "two.lobsterX", "--script", "nothing.yaml"], "cannot read nothing.yaml"],
    [["run", "borrowed.lobsterX"], 'cannot run without library step "greeting"'],
    [["run", "orphan.lobsterX"], "orphan.lobsterX:3:30: unknown_workflow:"],
    [["run", "wrong-version.lobsterX"], "needs the workflow good@9"],
    [["run", "two.lobsterX", "--ledger", "empty"], "cannot write the ledger empty"],
    [["run"], "missing required argument"],
    [["run", "two.lobsterX", "--concurrency", "0"], "whole number from 1"],
    [["run", "two.lobsterX", "--max-time", "-1"], "seconds above 0"],
    [["run", "two.lobsterX", "--approve", "maybe"], "Allowed choices are all, reject, ask"],
    [["rnu"], "Did you mean"],
    [["run", "two.lobsterX", "--qiet"], "Did you mean --quiet?"],
  ])("refuses %j before anything starts", async (argv, expected) => {
    const { code, out, err } = await sluice(argv);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(expected);
  });

  it("warns of a script that names no node", async () => {
    const { err } = await sluice(["run", "good.lobsterX", "--script", "stranger.yaml"]);
    expect(err).toContain('stranger.yaml: warning: no node is called "writ", did you mean "write"?');
  });

  it("finds library steps and child workflows", async () => {
    expect(
      await sluice(["run", "borrowed.lobsterX", "--library", "library.yaml", "--script", "echo.yaml", "--quiet"]),
    ).toMatchObject({
      code: 0,
      out: "Say hello\n",
    });
    const { code, out } = await sluice(["run", "parent.lobsterX", "--script", "child.yaml", "--quiet"]);
    expect({ code, out }).toEqual({ code: 0, out: '{"write":{"text":"moons"}}\n' });
  });

  it("fails with the words of what failed", async () => {
    const { code, err } = await sluice(["run", "two.lobsterX", "--script", "fail.yaml"]);
    expect(code).toBe(1);
    expect(err).toContain("a: failed: provider_refused: not this one\n");
    expect(err).toContain("✗ two failed");
  });

  it("ends at its time", async () => {
    const { code, err } = await sluice(["run", "slow.lobsterX", "--script", "hang.yaml", "--max-time", "2"]);
    expect(code).toBe(1);
    expect(err).toContain("slow timed_out in 2.0 s");
  });

  it("writes one event per line and the state last", async () => {
    const { code, out, err } = await sluice(["run", "two.lobsterX", "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "in this process, on scripted answers; no server is known\n" });
    const lines = jsonLines(out);
    const events = lines.slice(0, -1);
    expect(events.map(({ eventId }) => eventId)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: "run.started", workflowId: "two", correlation: { phase: "engine" } });
    expect(events.at(-1)).toMatchObject({ type: "run.completed" });
    expect(lines.at(-1)).toMatchObject({ status: "completed", executedCount: 2, lastEventId: events.length });
  });

  it("writes a ledger", async () => {
    await sluice(["run", "two.lobsterX", "--ledger", "ledger.jsonl", "--quiet"]);
    const lines = readFileSync(join(folder, "ledger.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).node)).toEqual(["a", "b"]);
  });

  it("cancels in order on the first Ctrl-C, and at once on the second", async () => {
    const argv = ["run", "slow.lobsterX", "--script", "hang.yaml"];
    const once = await sluice(argv, { interrupts: [50] });
    expect(once).toMatchObject({ code: 3, listening: 0 });
    expect(once.err).toContain("slow cancelled");
    expect(await sluice(argv, { interrupts: [50, 50] })).toMatchObject({ code: 3 });
  });
});

describe("approvals of a run", () => {
  it("stops with 4 where no person can be asked, and prints how to answer", async () => {
    for (const argv of [
      ["run", "gate.lobsterX"],
      ["run", "gate.lobsterX", "--no-wait"],
    ]) {
      const { code, err } = await sluice(argv, { tty: argv.includes("--no-wait") });
      expect(code).toBe(4);
      expect(err).toContain("waiting for a person: Ship it");
      expect(err).toMatch(/^run run_\w+ is lost: it existed only in this process$/m);
      expect(err).toContain("--approve all");
    }
  });

  it("answers every approval with --approve", async () => {
    expect((await sluice(["run", "gate.lobsterX", "--approve", "all"])).code).toBe(0);
    const { code, err } = await sluice(["run", "gate.lobsterX", "--approve", "reject"]);
    expect(code).toBe(1);
    expect(err).toContain("approval_rejected");
  });

  it("answers an escalation too", async () => {
    const argv = ["run", "flaky.lobsterX", "--script", "fail.yaml"];
    const { err } = await sluice([...argv, "--approve", "all"]);
    expect(err).toContain("provider_refused");
    expect((await sluice([...argv, "--approve", "reject"])).code).toBe(1);
  });

  it("asks at a terminal, until it gets an answer it can take", async () => {
    const { code, err } = await sluice(["run", "gate.lobsterX"], { tty: true, lines: ["what?", "", "approve"] });
    expect(code).toBe(0);
    expect(err.match(/\[a\]pprove · \[r\]eject · \[l\]ater: /g)).toHaveLength(3);
  });

  it("asks for a reason to reject", async () => {
    const { code, err } = await sluice(["run", "gate.lobsterX"], { tty: true, lines: ["r", " ", "too early"] });
    expect(code).toBe(1);
    expect(err).toContain("too early");
  });

  it.each([[["later"]], [[]]])("leaves it open for %j", async (lines) => {
    expect((await sluice(["run", "gate.lobsterX", "--approve", "ask"], { lines })).code).toBe(4);
  });
});

describe("sluice simulate", () => {
  it("shows what would happen without spending time", async () => {
    const { code, out } = await sluice(["simulate", "gate.lobsterX"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^NODE\s+VERDICT\s+GATE\s+RESERVED\s+FORECAST\s+DURATION\s+RESULT\nok\s+–\s+person/);
    expect(out).toContain("people    wait at ok\n");
  });

  it("forecasts cost, time and the path that takes it", async () => {
    writeFileSync(
      join(folder, "forecast.yaml"),
      "nodes: { a: { delay_ms: 90000, cost_usd: 0.5 }, b: { delay_ms: 10, cost_usd: 0.25 } }\n",
    );
    const { out } = await sluice(["simulate", "two.lobsterX", "--script", "forecast.yaml", "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      workflow: "two",
      status: "completed",
      nodes: [
        { nodeId: "a", verdict: "allow", gate: null, costMicros: 500_000, durationMs: 90_000 },
        { nodeId: "b", verdict: "allow", costMicros: 250_000, durationMs: 10 },
      ],
      forecast: { costMicros: 750_000, durationMs: 90_000, criticalPath: ["a"], waitsForPerson: [] },
    });
  });

  it("says when it would fail, and says the same every time", async () => {
    const first = await sluice(["simulate", "two.lobsterX", "--script", "fail.yaml"]);
    expect(first.code).toBe(1);
    expect(first.out).toContain("failed (provider_refused)");
    expect(await sluice(["simulate", "two.lobsterX", "--script", "fail.yaml"])).toEqual(first);
  });
});

describe("the program itself", () => {
  it("shows a live tree at a terminal", async () => {
    const { code, err } = await sluice(["run", "slow.lobsterX", "--script", "fail.yaml"], {
      tty: true,
      env: { NO_COLOR: "1" },
    });
    expect(code).toBe(1);
    expect(err).toContain("✗ a     provider_refused: not this one");
    expect(err).toContain("slow · failed · 1/1 · 0 ms");
  });

  it("shows the steps of blocks below their step in the tree", async () => {
    const { code, err } = await sluice(["run", "nested.lobsterX"], { tty: true, env: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    const frame = err.split("\u001b[J").findLast((text) => text.includes("nested · completed")) ?? "";
    const rows = frame.split("\u001b[K").map((line) => /[●✓·○] ( *\S+)/.exec(line)?.[1]);
    expect(rows.filter((row) => row !== undefined)).toEqual(
      expect.arrayContaining(["prepare", "  look", "  deep", "    dig", "cycle", "  draft", "each", "  report"]),
    );
  });

  it.each(everyCommand())("has an example for %s", async (command) => {
    const { code, out } = await sluice([...command.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/Example:\n {2}\$ (?:[A-Z_]+=\S+ )?sluice /);
  });

  it("needs a server for what only a server knows, and says how to get one", async () => {
    for (const argv of [
      ["runs", "list"],
      ["approvals", "list"],
      ["workflows", "list"],
      ["keys", "list"],
    ]) {
      const { code, err } = await sluice(argv);
      expect({ code, err }).toEqual({
        code: 5,
        err: "sluice: no server is known: start one with `sluice up`, or name one with SLUICE_URL or --url\n",
      });
    }
  });

  it.each([
    [["serve"], 2, "serve needs a database: set DATABASE_URL or --database-url"],
    [["up", "--port", "x"], 2, "--port must be a port from 0 to 65535"],
    [["up", "--key", "hunter2"], 2, '--key must be "slk_" and'],
    [["up", "--script", "broken.yaml"], 2, "the script broken.yaml is not valid"],
    [["up", "--data", "two.lobsterX/x"], 2, "cannot write to the data directory"],
    [["run", "two", "--detach"], 2, "--detach needs a server"],
    [["run", "two"], 2, "cannot read two: there is no such file, and no server to ask for a workflow"],
    [["run", "two.lobsterX", "--detach", "--watch"], 2, "cannot be used with"],
    [
      ["run", "two.lobsterX", "--url", "http://127.0.0.1:9", "--script", "echo.yaml"],
      2,
      "--script is only for runs in this",
    ],
    [["runs", "rewind", "run_1"], 2, "required option '--to <event>' not specified"],
    [["runs", "list", "--limit", "101"], 2, "whole number from 1 to 100"],
    [["approvals", "resolve", "apr_1", "--choice", "maybe"], 2, "Allowed choices are"],
    [["runs", "lsit"], 2, "Did you mean list?"],
  ])("answers %j with %i and one reason", async (argv, status, expected) => {
    const { code, out, err } = await sluice(argv);
    expect({ code, out }).toEqual({ code: status, out: "" });
    expect(err).toContain(expected);
  });

  it("runs in this process only by --local when a server is known, and reports it in the first line", async () => {
    const env = { SLUICE_URL: "http://127.0.0.1:9" };
    const argv = ["run", "good.lobsterX", "--script", "echo.yaml"];
    expect(await sluice(argv, { env })).toMatchObject({
      code: 2,
      out: "",
      err: "sluice: --script is only for runs in this process, and a server is known (http://127.0.0.1:9): add --local to run it here, or leave it out\n",
    });
    const { code, out, err } = await sluice([...argv, "--local"], { env });
    expect({ code, out }).toEqual({ code: 0, out: "Write about tides\n" });
    expect(err).toMatch(/^in this process, on scripted answers\n/);
    expect((await sluice([...argv, "--local", "--quiet"], { env })).err).toBe("");
    expect((await sluice(["run", "two.lobsterX"])).err).toMatch(/^in this process, on scripted answers; no server/);
    expect((await sluice(["run", "two.lobsterX", "--quiet"])).err).toMatch(/^in this process, on scripted answers/);
  });

  it("knows its version, and helps who asks for nothing", async () => {
    expect((await sluice(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await sluice([])).toMatchObject({ code: 0, out: expect.stringContaining("Usage: sluice") });
  });

  it.each(["bash", "zsh", "fish"])("completes in %s", async (shell) => {
    const { code, out } = await sluice(["completion", shell]);
    expect(code).toBe(0);
    for (const word of ["validate", "simulate", "args-file", "mermaid", "rewind", "choice"])
      expect(out).toContain(word);
  });

  it("turns a bug into one line", async () => {
    let err = "";
    const screen = {
      isTty: false,
      size: () => ({ columns: 80, rows: 24 }),
      write: (text: string) => void (err += text),
    };
    const broken = {
      err: screen,
      get out(): Screen {
        throw new Error("planted\u001b[2J");
      },
      env: {},
    } as unknown as Io;
    expect(await main(["schema", "lobsterx"], broken)).toBe(1);
    expect(err).toContain("sluice: internal error: planted\\u001b[2J\n");
  });
});
