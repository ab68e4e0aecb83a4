import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSystemClock } from "../../clock/index.ts";
import { main } from "../command-line.ts";
import type { Io, Screen } from "../io.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-cases-"));
  write("hello.lobsterX", HELLO);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HELLO = `name: hello
args:
  topic: { type: string, default: tides }
steps:
  - id: sentence
    command: Write a sentence about \${topic}.
    outputs: { text: string, mood: { type: string, required: false } }
  - id: publish
    approval: required
    depends_on: [sentence]
  - id: announce
    command: Announce \${sentence.text}
    condition: $publish.approved and topic != "secret"
  - id: sorry
    command: Say sorry.
    depends_on: [{ step: announce, on: failure }]
outputs: { text: "\${sentence.text}", count: 3 }
`;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function screenTo(lines: string[]): Screen {
  return { isTty: false, size: () => ({ columns: 80, rows: 24 }), write: (text) => void lines.push(text) };
}

async function sluice(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    out: screenTo(out),
    err: screenTo(err),
    cwd: folder,
    env: {},
    clock: createSystemClock(),
    isInputTty: false,
    readInput: async () => new Uint8Array(),
    readLine: async () => null,
    onInterrupt: () => () => undefined,
    exitNow: () => undefined,
  };
  return { code: await main(argv, io), out: out.join(""), err: err.join("") };
}

/** One case of the workflow `hello`, its keys as given. */
const oneCase = (keys: string): string =>
  `workflow: hello.lobsterX\ncases:\n  - name: one\n${keys.replaceAll(/^/gm, "    ")}\n`;

interface Report {
  readonly files: readonly {
    readonly cases: readonly {
      readonly ok: boolean;
      readonly result: { readonly status: string };
      readonly mismatches: readonly { path: string; line: number; expected: string; actual: string; hint?: string }[];
    }[];
  }[];
}

async function report(...argv: readonly string[]): Promise<{ readonly code: number } & Report> {
  const { code, out } = await sluice("test", ...argv, "--json");
  return { code, ...(JSON.parse(out) as Report) };
}

describe("sluice test", () => {
  it("passes where everything is as expected, by conditions and by values", async () => {
    write(
      "hello.cases.yaml",
      oneCase(`args: { topic: moon }
answers: { sentence: { outputs: { text: The moon. }, cost_usd: 0.01 }, announce: { stdout: done } }
approvals: { publish: { decision: approve, after: 2d } }
expect:
  status: completed
  outputs: { text: The moon., count: value > 2 }
  nodes: { announce: completed, sorry: skipped, sentence: { status: completed, attempts: 1, outputs: ["outputs.text != ''"] } }
  asked: [publish, sentence, { node: sentence, contains: [moon, sentence] }, { node: announce, text: Announce The moon. }]
  never_called: [sorry]
  cost_below: 0.011`),
    );
    expect(await sluice("test")).toMatchObject({ code: 0, out: expect.stringContaining("✓ one") });
    write(
      "hello.cases.yaml",
      oneCase(`approvals: all\nexpect: { outputs: ["count == 3", "nodes.sentence.status == status"] }`),
    );
    expect((await sluice("test", "hello.cases.yaml")).code).toBe(0);
  });

  it("shows what was expected and what came, each at its place", async () => {
    write(
      "hello.cases.yaml",
      oneCase(`answers: { sentence: { outputs: { text: A } } }
approvals: { publish: approve }
expect:
  status: failed
  outputs: { text: B, count: value > 5 }
  nodes: { announce: skipped }
  asked: [{ node: sentence, contains: moon }]
  never_called: [announce]
  cost_below: 0`),
    );
    const { code, files } = await report();
    expect(code).toBe(1);
    const [one] = files[0]?.cases ?? [];
    expect(one?.mismatches.map(({ path, line, expected, actual }) => [path, line, expected, actual])).toEqual([
      ["status", 7, "failed", "completed"],
      ["outputs.text", 8, '"B"', '"A"'],
      ["outputs.count", 8, "value > 5", "value is 3"],
      ["nodes.announce", 9, "skipped", "completed"],
      ["cost_below", 12, "less than $0", "$0"],
      ["asked[0]", 10, '{"node":"sentence","contains":"moon"}', 'sentence: "Write a sentence about tides."'],
      ["never_called[0]", 11, "announce is never called", 'announce: "Announce A"'],
    ]);
  });

  it("leaves questions open that no answer is written for, and says so", async () => {
    write("hello.cases.yaml", oneCase("expect: { status: completed }"));
    const { code, files } = await report();
    expect(code).toBe(1);
    expect(files[0]?.cases[0]?.mismatches).toMatchObject([
      { actual: "waiting", hint: "publish waits for a person: write approvals: { publish: approve }" },
    ]);
    write(
      "hello.cases.yaml",
      oneCase("approvals: { publish: reject }\nexpect: { status: failed, error: approval_rejected }"),
    );
    expect((await sluice("test")).code).toBe(0);
  });

  it("sends events and signals in simulated time, and starts when the case says", async () => {
    write(
      "order.lobsterX",
      `name: order
steps:
  - { id: paid, wait: { event: order.paid, match: { id: 7 }, timeout: 3d, on_timeout: skip }, outputs: { amount: number } }
  - { id: go, wait: { signal: go_on }, depends_on: [paid] }
  - { id: when, set: { at: "\${run.started_at}" }, depends_on: [go] }
outputs: { amount: "\${paid.amount}", at: "\${when.at}" }
`,
    );
    write(
      "order.cases.yaml",
      `workflow: order.lobsterX
cases:
  - name: paid
    clock: "2031-05-04T09:00:00Z"
    events: [{ type: order.paid, key: { id: 7 }, data: { amount: 12 }, after: 1d }, { signal: go_on, after: 2d }]
    expect: { status: completed, outputs: { amount: 12, at: "2031-05-04T09:00:00.000Z" } }
  - name: not paid
    expect: { status: waiting, nodes: { paid: blocked } }
    events: []
`.replace("status: waiting, nodes: { paid: blocked }", "nodes: { paid: skipped }"),
    );
    const { files, code } = await report("order.cases.yaml");
    expect(files[0]?.cases.flatMap(({ mismatches }) => mismatches)).toEqual([]);
    expect(code).toBe(0);
  });

  it("judges by the real gates where manifests are given", async () => {
    write(
      "registry/rules.yaml",
      'kind: Policy\nname: none\nspec: { category: guardrail, condition: node.id == "announce", action: block, reason: Not now }\n',
    );
    const keys = `approvals: all\nexpect: { nodes: { announce: failed, sorry: completed }, gates: { launch: allow, announce: { verdict: block, gate: policy_rules, code: policy_blocked } } }`;
    write("hello.cases.yaml", oneCase(keys).replace("cases:", "registry: registry\ncases:"));
    const { files, code } = await report();
    expect(files[0]?.cases.flatMap(({ mismatches }) => mismatches)).toEqual([]);
    expect(code).toBe(0);
    write("hello.cases.yaml", oneCase("approvals: all\nexpect: { nodes: { announce: failed } }"));
    expect((await sluice("test")).code).toBe(1);
    expect((await sluice("test", "--registry", "registry")).code).toBe(0);
  });

  it("shows which branches, handlers and gates no case has shown", async () => {
    write("hello.cases.yaml", oneCase("approvals: all"));
    const { out } = await sluice("test", "--coverage");
    expect(out).toContain("coverage of hello: branches 1/2, handlers 0/1, gates 1/2\n");
    expect(out).toContain("  - branch announce: skipped\n  - gate publish: reject\n  - handler sorry: handled\n");
    write(
      "more.cases.yaml",
      `workflow: hello.lobsterX
cases:
  - { name: skipped, args: { topic: secret }, approvals: all }
  - { name: rejected, approvals: { publish: reject }, expect: { status: failed } }
  - { name: sorry, approvals: all, answers: { announce: { fail: provider_refused } }, expect: { nodes: { sorry: completed } } }
`,
    );
    expect((await sluice("test", "--coverage")).out).toContain("branches 2/2, handlers 1/1, gates 2/2\n");
  });

  it("writes snapshots when it is asked to, and compares with them", async () => {
    write("hello.cases.yaml", oneCase("approvals: all\nexpect: { snapshot: true }"));
    expect(await sluice("test")).toMatchObject({
      code: 1,
      out: expect.stringContaining("sluice test --update writes it"),
    });
    expect((await sluice("test", "--update")).code).toBe(0);
    expect((await sluice("test")).code).toBe(0);
    write("hello.lobsterX", HELLO.replace("a sentence about", "two lines about"));
    const { code, files } = await report();
    expect(code).toBe(1);
    expect(files[0]?.cases[0]?.mismatches.map(({ path }) => path)).toContain("snapshot.asked.sentence");
  });

  it("removes the file of snapshots with the last case that wants one", async () => {
    write("hello.cases.yaml", oneCase("approvals: all\nexpect: { snapshot: true }"));
    expect((await sluice("test", "--update")).err).toContain("snapshots updated");
    write("hello.cases.yaml", oneCase("approvals: all"));
    expect(await sluice("test", "--update")).toMatchObject({
      code: 0,
      err: expect.stringContaining("snapshots updated"),
    });
    expect(existsSync(join(folder, "hello.snapshots.yaml"))).toBe(false);
    expect((await sluice("test", "--update")).err).not.toContain("snapshots updated");
  });

  it("runs cases in code with the workflows that the tested one starts, and shows its mistakes in the code", async () => {
    const room = join(import.meta.dirname, "..", "..");
    const code = `import { z } from "zod";
import { cases } from "${join(room, "testing", "index.ts")}";
import { child, set, workflow } from "${join(room, "workflow", "index.ts")}";
const inner = workflow("inner", { args: z.object({ n: z.int() }) }, ({ args }) => {
  const twice = set("twice", { n: args.n });
  return { n: twice.n };
});
const outer = workflow("outer", { args: z.object({ n: z.int() }) }, ({ args }) => {
  child("kid", inner, { n: args.n });
});
export const all = cases(outer, [{ name: "one", args: { n: 3 }, expect: { nodes: { kid: { outputs: { n: 3 } } } } }]);
export default all;
`;
    symlinkSync(join(room, "..", "node_modules"), join(folder, "node_modules"));
    write("outer.cases.ts", code);
    expect(await sluice("test")).toMatchObject({ code: 0, err: "", out: expect.stringContaining("1 passed") });
    write("outer.cases.ts", code.replace("  child(", '  set("kid", { n: 1 });\n  child('));
    expect(await sluice("test")).toMatchObject({
      code: 2,
      err: expect.stringContaining("outer.cases.ts:10:3: duplicate_id"),
    });
  });

  it("shows what differs, and what is wrong, at its place in the code", async () => {
    // What cases() of sluice/testing returns, so that the module loads nothing else.
    const code = `const status = "failed";
const workflow = "hello.lobsterX";
const cases = [
  { name: "one", approvals: "all" },
  {
    name: 'the second',
    approvals: "all",
  },
  {
    name: 'two',
    approvals: "all",
    expect: {
      status,
      nodes: { announce: "skipped" },
    },
  },
];
export default { [Symbol.for("sluice.cases")]: workflow, workflow, cases };
`;
    write("hello.cases.ts", code);
    const { files } = await report();
    expect(files[0]?.cases[2]?.mismatches.map(({ path, line }) => [path, line])).toEqual([
      ["status", 13],
      ["nodes.announce", 14],
    ]);
    write("hello.cases.ts", code.replace("announce:", "announc:"));
    const { err } = await sluice("test");
    expect(err).toContain("hello.cases.ts:14:16: unknown_step");
    expect(err).toContain('14 |       nodes: { announc: "skipped" }');
  });

  it("keeps the snapshots of cases in two forms apart, also where both have the same name", async () => {
    const one = { name: "one", args: { topic: "sea" }, approvals: "all", expect: { snapshot: true } };
    write("hello.cases.json", JSON.stringify({ workflow: "hello.lobsterX", cases: [one] }));
    write("hello.cases.yaml", oneCase("approvals: all\nexpect: { snapshot: true }"));
    expect((await sluice("test", "--update")).code).toBe(0);
    expect((await sluice("test")).out).toContain("2 cases, 2 passed");
    write("hello.cases.yaml", oneCase("approvals: all"));
    expect((await sluice("test", "--update")).code).toBe(0);
    expect((await sluice("test")).out).toContain("2 cases, 2 passed");
  });

  it.each([
    ["- []", "wrong_type", 1],
    ["workflow: hello.lobsterX\ncases: []", "missing_field", 2],
    ["cases:\n  - name: x", "missing_field", 1],
    ["workflow: nothing.lobsterX\ncases:\n  - name: x", "unknown_workflow", 1],
    [oneCase("arg: {}"), "unknown_key", 4],
    [oneCase("args: { topic: 3 }"), "wrong_type", 4],
    [oneCase("args: { topc: x }"), "unknown_key", 4],
    [oneCase("answers: { sentnce: { stdout: x } }"), "unknown_step", 4],
    [oneCase("answers: { sentence: { stdot: x } }"), "unknown_key", 4],
    [oneCase("answers:\n  nodes:\n    sentence: { fail: never }"), "bad_enum", 6],
    [oneCase("answers: {}\nrecorded: run_1"), "conflicting_fields", 5],
    [oneCase("recorded: run_1"), "unknown_recording", 4],
    [oneCase("approvals: { publish: perhaps }"), "bad_enum", 4],
    [oneCase("approvals: { publsh: approve }"), "unknown_step", 4],
    [oneCase("approvals: { publish: { decision: approve, after: soon } }"), "bad_duration", 4],
    [oneCase("events: [{ data: 1 }]"), "missing_field", 4],
    [oneCase("clock: tomorrow"), "wrong_type", 4],
    [oneCase("expect:\n  statuss: completed"), "unknown_key", 5],
    [oneCase("expect:\n  status: done"), "bad_enum", 5],
    [oneCase("expect:\n  nodes: { announc: completed }"), "unknown_step", 5],
    [oneCase("expect:\n  outputs: ['count ==']"), "bad_expression", 5],
    [oneCase("expect:\n  outputs: { text: '${count ==}' }"), "bad_expression", 5],
    [oneCase("expect:\n  cost_below: little"), "wrong_type", 5],
    [oneCase("").replace("  - name: one\n", "  - name: one\n  - name: one\n"), "duplicate_id", 4],
  ])("refuses %j with %s in line %i", async (text, code, line) => {
    write("hello.cases.yaml", text);
    const ended = await sluice("test");
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(`hello.cases.yaml:${line}:`);
    expect(ended.err).toContain(` ${code}: `);
    expect(ended.err).toContain("hint: ");
  });

  it("refuses folders without cases, and a filter that nothing passes", async () => {
    expect(await sluice("test")).toMatchObject({ code: 2, err: expect.stringContaining("NAME.cases.yaml") });
    expect((await sluice("test", "nowhere")).code).toBe(2);
    write("hello.cases.yaml", oneCase("approvals: all"));
    expect((await sluice("test", "--filter", "two")).code).toBe(2);
    expect((await sluice("validate", "hello.cases.yaml")).out).toBe("hello.cases.yaml: ok (1 case)\n");
  });

  it("stops a case that never ends", async () => {
    write("loop.lobsterX", "name: loop\nsteps:\n  - { id: a, command: A, timeout: 1, retry: { attempts: 2 } }\n");
    write(
      "loop.cases.yaml",
      "workflow: loop.lobsterX\ncases:\n  - { name: hangs, answers: { a: { hang: true } }, expect: { status: failed } }\n",
    );
    expect((await sluice("test")).code).toBe(0);
  });

  it("reports in the formats of CI systems", async () => {
    write("hello.cases.yaml", oneCase('approvals: all\nexpect: { outputs: { text: "<&\\"\\u0001>" } }'));
    write("wrong.cases.yaml", "workflow: hello.lobsterX\ncases: 3\n");
    const junit = await sluice("test", "--format", "junit");
    expect(junit.code).toBe(2);
    expect(junit.out).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="sluice" tests="2" failures="1" errors="1"/,
    );
    expect(junit.out).toContain("&lt;&amp;");
    const github = await sluice("test", "--format", "github");
    expect(github.out).toMatch(/^::error file=hello\.cases\.yaml,line=5,col=\d+,title=one::outputs\.text: expected /);
    expect(github.out).toContain("::error file=wrong.cases.yaml");
  });

  it.each(["junit", "github"])("prints the coverage beside the report in the format %s", async (format) => {
    write("hello.cases.yaml", oneCase("approvals: all"));
    const { out, err } = await sluice("test", "--coverage", "--format", format);
    expect(err).toContain("coverage of hello: branches 1/2, handlers 0/1, gates 1/2\n");
    expect(out).not.toContain("coverage");
  });

  it("keeps recordings beside the cases, and fails when what is asked changes", async () => {
    const recording = `run: run_1
workflow: hello
clock: 2026-11-17T00:00:00.000Z
args: { topic: moon }
answers: { nodes: { sentence: [{ fail: provider_error }, { outputs: { text: The moon. } }], announce: [{ stdout: Done }] } }
approvals: { publish: [{ decision: approve, after: 6s }] }
snapshot: {}
`;
    write("hello.lobsterX", HELLO.replace("    outputs: { text", "    retry: { attempts: 2 }\n    outputs: { text"));
    write("recordings/run_1.yaml", recording);
    write("hello.cases.yaml", oneCase("recorded: run_1"));
    expect((await sluice("test")).code).toBe(1);
    expect((await sluice("test", "--update")).code).toBe(0);
    expect((await sluice("test")).code).toBe(0);
    expect(readFileSync(join(folder, "recordings", "run_1.yaml"), "utf8")).toContain("Write a sentence about moon.");
    write("hello.cases.yaml", oneCase("recorded: run_1\nargs: { topic: sun }"));
    const { code, files } = await report();
    expect(code).toBe(1);
    expect(files[0]?.cases[0]?.mismatches.map(({ path }) => path)).toEqual(["recorded.asked.sentence"]);
    expect(existsSync(join(folder, "hello.snapshots.yaml"))).toBe(false);
  });
});
