import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonLines } from "../../test/cli/json-lines.ts";
import { NESTED } from "../../test/cli/nested-workflow.ts";
import { createScriptedAdapter, readScript, SCRIPTED_PROVIDER } from "../adapters/index.ts";
import { createSystemClock } from "../clock/index.ts";
import { SluiceClient } from "../client/index.ts";
import { openGateways } from "../gateway/index.ts";
import { DurableDriver } from "../driver/index.ts";
import { createAllowAllJudge, openGovernance } from "../governance/index.ts";
import { openChildPreparer } from "../launch/index.ts";
import { adminKey, createApp, serve, type Served } from "../server/index.ts";
import { createMemoryStore, StoreUnavailable } from "../store/index.ts";
import type { Interruption, Io, Screen } from "./io.ts";
import { main } from "./command-line.ts";

const KEY = "slk_test_0123456789";
const folder = mkdtempSync(join(tmpdir(), "sluice-cli-server-"));
const clock = createSystemClock();
const SCRIPT = `
seed: 1
nodes:
  hello/greet: { stdout: "Hello there" }
  hello/shout: { chunks: ["HELLO ", "THERE"], stdout: "HELLO THERE", cost_usd: 0.5 }
  slow/wait: { hang: true }
  escalating/try: { fail: provider_refused, message: "not today" }
  broken/try: { fail: provider_refused, message: "not today" }
  repair/draft: [{ fail: provider_refused }, { stdout: repaired }]
  large/write: { outputs: { text: "${"x".repeat(70_000)}" } }
`;
const FILES: Readonly<Record<string, string>> = {
  "hello.lobsterX":
    "name: hello\nargs: { who: { type: string, default: you }, times: { type: integer, default: 1 } }\nsteps:\n" +
    "  - { id: greet, command: 'Greet ${who} ${times}' }\n  - { id: shout, command: 'Shout ${greet.stdout}' }\n",
  "slow.lobsterX": "name: slow\nsteps:\n  - { id: wait, command: Wait, timeout: 600 }\n",
  "broken.lobsterX": "name: broken\nsteps:\n  - { id: try, command: Try }\n",
  "large.lobsterX": "name: large\nsteps:\n  - { id: write, command: Write, outputs: { text: string } }\n",
  "gate.lobsterX":
    "name: gate\nsteps:\n  - { id: ok, name: Ship it, approval: required }\n  - { id: ship, command: Ship, depends_on: [ok] }\n",
  "letter.lobsterX":
    "name: letter\nargs: { words: { type: string, default: Dear Ann }, seal: { type: string } }\nsteps:\n" +
    "  - { id: send, name: 'Send “${words}”?', provider: scripted, approval: required, inputs: { text: '${words}' }, " +
    "command: 'Send: ${text}', show: [{ label: Seal, image: '${seal}' }] }\n",
  "form.lobsterX":
    "name: form\nsteps:\n" +
    "  - { id: ok, name: How much?, approval: required, form: { amount: { type: integer, min: 1, max: 10 } } }\n",
  "nested.lobsterX": NESTED,
  "parent.lobsterX": "name: parent\nsteps:\n  - { id: sub, workflow_ref: child }\n",
  "child.lobsterX": "name: child\nsteps:\n  - { id: deep, workflow_ref: inner }\n",
  "inner.lobsterX": "name: inner\nsteps:\n  - { id: ok, name: Really, approval: required }\n",
  "beside.lobsterX": "name: beside\nsteps:\n  - { id: a, command: A }\n",
  "escalating.lobsterX":
    "name: escalating\nsteps:\n  - { id: try, command: Try, on_failure: retry_once_then_escalate }\n",
  "invalid.lobsterX": "name: invalid\nsteps:\n  - { id: a, comand: x }\n",
  "manifests.yaml":
    "kind: Workflow\nname: one\nspec:\n  source: |\n    name: one\n    steps:\n      - { id: a, command: A }\n---\n" +
    "kind: Workflow\nname: two\nspec:\n  status: paused\n  source: |\n    name: two\n    steps:\n      - { id: b, command: B }\n",
  "changed.yaml":
    "kind: Workflow\nname: one\nspec:\n  source: |\n    name: one\n    steps:\n      - { id: a, command: Another }\n",
  "crew.yaml": "kind: Team\nname: crew\nspec:\n  members:\n    - { agent: ann, is_active: false }\n",
  "agents.yaml": "kind: Agent\nname: x\nspec: { trust_level: 11 }\n",
  "registered.yaml":
    "kind: Agent\nname: analyst\nspec: { trust_level: 4, skills: [law, tax] }\n---\n" +
    "kind: Budget\nname: all\nspec: { scope: global, period: monthly, amount_usd: 25 }\n---\n" +
    "kind: Agent\nname: gone\nspec:\n  lifecycle: archived\n",
  "risen.yaml": "kind: Agent\nname: analyst\nspec: {}\n---\nkind: Agent\nname: gone\nspec:\n  lifecycle: active\n",
  "misnamed.yaml":
    'kind: Workflow\nname: one\nspec: { source: "name: two\\nsteps: [{ id: a, command: A }]", sauce: 1 }\n',
};

let served: Served;
let driver: DurableDriver;
const client = (): SluiceClient => new SluiceClient({ url: served.url, key: KEY });

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const { script, problems } = readScript(SCRIPT);
  expect(problems).toEqual([]);
  const store = createMemoryStore();
  await store.ensureOrganisation("default");
  await store.putKey(adminKey("default", KEY, clock.now()));
  driver = new DurableDriver({
    store,
    adapters: [createScriptedAdapter({ script, clock })],
    judge: createAllowAllJudge(new Set([SCRIPTED_PROVIDER]), SCRIPTED_PROVIDER),
    clock,
    monotonic: () => performance.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    children: () => openChildPreparer({ store, runtime: () => driver, governor: null, now: () => clock.now() }),
    supersedesAll: true,
    onTrouble: (what, error) => expect.fail(`${what}: ${String(error)}`),
  });
  await driver.start();
  const onTrouble = (what: string): never => expect.fail(what);
  const local = { providers: [SCRIPTED_PROVIDER], defaultProvider: SCRIPTED_PROVIDER, answersAny: true };
  const gateways = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const { directory } = gateways;
  const governance = openGovernance({ store, directory, clock, isAlone: true, startRate: null, onTrouble });
  served = await serve({
    app: createApp({ store, runtime: driver, gateways, governance }),
    port: 0,
    host: "127.0.0.1",
  });
});

afterAll(async () => {
  for (const run of (await client().listRuns({ status: "running" })).data) await client().cancelRun(run.id);
  await served.close(0);
  await driver.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Options {
  readonly env?: Record<string, string>;
  readonly tty?: boolean;
  readonly lines?: readonly string[];
  readonly input?: string;
  /** Ctrl-C as soon as this is on standard error. */
  readonly interruptAt?: RegExp;
  /** What interrupts it; Ctrl-C by default. */
  readonly why?: Interruption;
}

async function sluice(argv: readonly string[], options: Options = {}) {
  let out = "";
  let err = "";
  const listeners = new Set<(why: Interruption) => void>();
  const screen = (write: (text: string) => void): Screen => ({
    isTty: options.tty === true,
    size: () => ({ columns: 100, rows: 24 }),
    write,
  });
  const lines = [...(options.lines ?? [])];
  let interruptAt = options.interruptAt;
  const io: Io = {
    out: screen((text) => (out += text)),
    err: screen((text) => {
      err += text;
      if (interruptAt?.test(err) !== true) return;
      interruptAt = undefined;
      setImmediate(() => {
        for (const listener of listeners) listener(options.why ?? "interrupt");
      });
    }),
    cwd: folder,
    env: { SLUICE_URL: served.url, SLUICE_KEY: KEY, NO_COLOR: "1", ...options.env },
    clock,
    isInputTty: options.tty === true,
    readInput: () => Promise.resolve(new TextEncoder().encode(options.input ?? "")),
    readLine: (prompt) => {
      err += prompt;
      return Promise.resolve(lines.shift() ?? null);
    },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exitNow: (code) => expect.fail(`exit ${code} at once`),
  };
  const code = await main(argv, io);
  expect(err).not.toMatch(/internal error|\n\s+at .*\.ts:/);
  return { code, out, err, listening: listeners.size };
}

/** Starts a run and leaves it. */
async function started(file: string): Promise<string> {
  const { code, out } = await sluice(["run", file, "--detach"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^run_\w+\n$/);
  return out.trim();
}

/** A run that has come to the question it asks. */
async function asking(): Promise<{ readonly runId: string; readonly approvalId: string }> {
  const runId = await started("gate.lobsterX");
  expect((await sluice(["runs", "watch", runId, "--no-wait", "--quiet"])).code).toBe(4);
  const { data } = await client().listApprovals({ status: "pending" });
  const approval = data.find((one) => one.runId === runId);
  return { runId, approvalId: approval?.id ?? "" };
}

describe("sluice run on a server", () => {
  it("saves a file, runs it, and puts the result on standard output", async () => {
    const { code, out, err, listening } = await sluice([
      "run",
      "hello.lobsterX",
      "--arg",
      "who=Ada",
      "--arg",
      "times=2",
    ]);
    expect({ code, out, listening }).toEqual({ code: 0, out: "HELLO THERE\n", listening: 0 });
    expect(err).toMatch(/^run_\w+ of hello@1 at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(err).toMatch(/✓ hello completed in .* · 2 nodes completed · \$0\.50 · run_\w+\n$/);
    const [run] = (await client().listRuns({ workflow: "hello" })).data;
    expect(run).toMatchObject({ args: { who: "Ada", times: 2 }, version: 1, status: "completed" });
  });

  it("runs what is on the server by its name, newest or as asked", async () => {
    await sluice(["run", "hello.lobsterX", "--quiet"]);
    expect(await sluice(["run", "hello", "--quiet"])).toMatchObject({ code: 0, out: "HELLO THERE\n", err: "" });
    expect(await sluice(["run", "hello@1", "--quiet"])).toMatchObject({ code: 0, out: "HELLO THERE\n" });
    expect(await sluice(["run", "hello@99"])).toMatchObject({ code: 2 });
    expect(await sluice(["run", "missing"])).toMatchObject({
      code: 2,
      err: 'sluice: unknown_workflow: There is no workflow "missing".\n',
    });
  });

  it("writes one event per line and the state last", async () => {
    const { code, out, err } = await sluice(["run", "hello.lobsterX", "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = jsonLines(out);
    const events = lines.slice(0, -1);
    expect(events.map(({ eventId }) => eventId)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: "run.started" });
    expect(events.at(-1)).toMatchObject({ type: "run.completed" });
    expect(lines.at(-1)).toMatchObject({ status: "completed", executedCount: 2, lastEventId: events.length });
  });

  it("shows the same tree at a terminal", async () => {
    const { code, err } = await sluice(["run", "hello.lobsterX"], { tty: true });
    expect(code).toBe(0);
    expect(err).toMatch(/✓ greet {2}[\d.]+ m?s/);
    expect(err).toMatch(/hello · completed · 2\/2 · /);
  });

  it("fails with the words of what failed", async () => {
    const { code, err } = await sluice(["run", "broken.lobsterX"]);
    expect(code).toBe(1);
    expect(err).toContain("try: failed: provider_refused: not today\n");
  });

  it("fetches results that are too large for the state", async () => {
    const { code, out } = await sluice(["run", "large.lobsterX", "--quiet"]);
    expect(code).toBe(0);
    expect(out).toContain("x".repeat(70_000));
    const [run] = (await client().listRuns({ workflow: "large" })).data;
    expect((await sluice(["runs", "show", run?.id ?? "", "--node", "write"])).out).toContain("x".repeat(70_000));
  });

  it("refuses what is wrong before anything is started", async () => {
    expect(await sluice(["run", "invalid.lobsterX"])).toMatchObject({ code: 2, out: "" });
    expect((await sluice(["run", "hello.lobsterX", "--arg", "times=x"])).err).toContain("args.times: wrong_type:");
    expect(await sluice(["run", "nothing.lobsterX"])).toMatchObject({ code: 2 });
  });

  it("leaves a run alone with --no-wait, and prints it as JSON when asked", async () => {
    const { code, out } = await sluice(["run", "hello.lobsterX", "--detach", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ workflow: "hello", version: 1 });
  });

  it.each([
    ["cancels", ["c"], "cancelling; Ctrl-C stops waiting for it", "cancelled"],
    ["leaves", [""], "no longer watching; the run continues: sluice runs watch run_", "running"],
    ["leaves", ["what", "detach"], "no longer watching", "running"],
    ["leaves", [], "no longer watching", "running"],
  ])("%s the run it started when Ctrl-C is answered with %j", async (_, lines, expected, status) => {
    const { code, err, listening } = await sluice(["run", "slow.lobsterX"], {
      interruptAt: /● wait/,
      tty: true,
      lines,
    });
    expect({ code, listening }).toEqual({ code: 3, listening: 0 });
    expect(err).toContain("[d]etach: the run continues (default) · [c]ancel the run: ");
    expect(err).toContain(expected);
    const id = /run_[a-z0-9]{20,}/.exec(err)?.[0] ?? "";
    expect((await client().getRun(id)).status).toBe(status);
  });

  it.each([
    ["terminate", true],
    ["hangup", true],
    ["unread", true],
    ["interrupt", false],
  ] as const)("never cancels a run because of %s (terminal: %j)", async (why, tty) => {
    const interruptAt = tty ? /● wait/ : /▸ wait/;
    const { code, err } = await sluice(["run", "slow.lobsterX"], { interruptAt, why, tty });
    expect(code).toBe(3);
    expect(err).not.toContain("[c]ancel");
    const id = /sluice runs watch (run_\w+)/.exec(err)?.[1] ?? "";
    expect((await client().getRun(id)).status).toBe("running");
  });

  it.each([[[]], [["--no-wait"]], [["--approve", "ask"]], [["--json"]]])(
    "off a terminal stops with 4 when a person is needed, and leaves the run alone: %j",
    async (flags) => {
      const { code, err } = await sluice(["run", "gate.lobsterX", ...flags]);
      expect(code).toBe(4);
      const [, runId = "", approvalId = ""] =
        /^ {2}run (run_\w+), approval (apr_\w+), answers: approve, reject$/m.exec(err) ?? [];
      expect(err).toContain(`waiting for a person: Ship it waits for approval\n`);
      expect(err).toContain(`\n  sluice approvals approve ${approvalId}\n`);
      expect(err).toContain(`run ${runId} continues when it is answered: sluice runs watch ${runId}\n`);
      expect((await client().getRun(runId)).status).toBe("running");
      expect((await sluice(["approvals", "approve", approvalId])).code).toBe(0);
      expect((await sluice(["runs", "watch", runId, "--quiet"])).code).toBe(0);
    },
  );

  it("brings the files of child workflows along, and stops with 4 when one of them needs a person", async () => {
    const { code, err } = await sluice(["run", "parent.lobsterX"]);
    expect(err).toMatch(/^inner@1 of inner\.lobsterX\nchild@1 of child\.lobsterX\nrun_\w+ of parent@1 at /);
    expect(code).toBe(4);
    const [, runId = "", approvalId = ""] = /run (run_\w+), approval (apr_\w+), answers/.exec(err) ?? [];
    const inner = await client().getRun(runId);
    expect(inner.workflow).toBe("inner");
    await sluice(["approvals", "approve", approvalId, "--quiet"]);
    const parent = /continues when it is answered: sluice runs watch (run_\w+)/.exec(err)?.[1] ?? "";
    expect((await sluice(["runs", "watch", parent, "--quiet"])).code).toBe(0);
    expect((await client().listWorkflows({ limit: 100 })).data.map(({ name }) => name)).not.toContain("beside");
  });

  it("suggests only answers that an approval takes", async () => {
    const { code, err } = await sluice(["run", "escalating.lobsterX"]);
    expect(code).toBe(4);
    const [, id = ""] = /approval (apr_\w+), answers: retry, skip, abort\n/.exec(err) ?? [];
    expect(err).toContain(`\n  sluice approvals resolve ${id} --choice retry\n`);
    expect(err).not.toContain("approvals approve");
    // To approve it means to try again, which fails once more and asks once more.
    expect((await sluice(["approvals", "approve", id])).err).toBe(`${id} answered with retry\n`);
  });

  it("answers approvals by --approve, or by the person at the terminal", async () => {
    expect((await sluice(["run", "gate.lobsterX", "--approve", "all", "--quiet"])).code).toBe(0);
    expect((await sluice(["run", "gate.lobsterX", "--approve", "reject"])).code).toBe(1);
    const asked = await sluice(["run", "gate.lobsterX"], { tty: true, lines: ["r", "too early"] });
    expect(asked.code).toBe(1);
    expect(asked.err).toContain("[a]pprove · [r]eject · [l]ater: ");
  });

  it("is refused by a paused workflow with 6", async () => {
    await sluice(["apply", "-f", "manifests.yaml", "--quiet"]);
    expect(await sluice(["run", "two"])).toMatchObject({
      code: 6,
      out: "",
      err:
        "sluice: workflow_paused: Workflow two is paused; set its status to active.\n" +
        "  hint: activate_workflow Workflow/two: set its status to active\n",
    });
  });
});

describe("a server that is not as it should be", () => {
  it("is not there", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const env = { SLUICE_URL: `http://127.0.0.1:${port}` };
    for (const argv of [
      ["runs", "list"],
      ["run", "hello"],
      ["run", "hello.lobsterX"],
    ]) {
      expect(await sluice(argv, { env })).toEqual({
        code: 5,
        out: "",
        err:
          (argv[1] === "hello.lobsterX" ? "nothing was run; --local runs the file in this process\n" : "") +
          `sluice: cannot reach http://127.0.0.1:${port}: nothing listens there\n` +
          "  hint: start it with `sluice up`, or name the right one with SLUICE_URL or --url\n",
        listening: 0,
      });
    }
  });

  it("was started here and has crashed: a file is not run on other answers instead", async () => {
    const data = join(folder, "crashed");
    mkdirSync(data);
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(join(data, "server.json"), JSON.stringify({ url: "http://127.0.0.1:9", pid }));
    const env = { SLUICE_URL: "", SLUICE_DATA: data };
    const { code, out, err } = await sluice(["run", "hello.lobsterX"], { env });
    expect({ code, out }).toEqual({ code: 5, out: "" });
    expect(err).toContain("cannot reach http://127.0.0.1:9");
    expect((await sluice(["run", "hello.lobsterX", "--local"], { env })).code).toBe(0);
  });

  it("does not know the key", async () => {
    const { code, err } = await sluice(["runs", "list"], { env: { SLUICE_KEY: "slk_wrong_0123456789" } });
    expect({ code, err }).toEqual({
      code: 7,
      err: "sluice: unauthenticated: The key is unknown, expired or revoked. Set SLUICE_KEY or --key to a key of this server.\n",
    });
    expect((await sluice(["runs", "list", "--key", KEY], { env: { SLUICE_KEY: "slk_wrong_0123456789" } })).code).toBe(
      0,
    );
  });

  /** Passes requests on to the real server, and cuts the answer to one of them; streams are left alone, they resume. */
  async function cuttingProxy(nth: number) {
    let seen = 0;
    const proxy = createServer((incoming, outgoing) => {
      const isStream = incoming.url?.includes("/stream") === true;
      if (!isStream) seen += 1;
      const isCut = !isStream && seen === nth;
      const path = `${served.url}${incoming.url}`;
      const { method = "GET", headers } = incoming;
      const onward = request(path, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        if (!isCut) answer.pipe(outgoing);
        else outgoing.write("{", () => incoming.socket.resetAndDestroy());
      });
      onward.on("error", () => incoming.socket.destroy());
      outgoing.on("close", () => onward.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    return {
      url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      wasCut: () => seen >= nth,
      close: () => void proxy.close(),
    };
  }

  it.each([
    [["run", "hello.lobsterX"], 4],
    [["workflows", "get", "hello"], 2],
    [["apply", "-f", "manifests.yaml"], 1],
    [["doctor", "--port", "0"], 2],
  ])("never lets %j succeed when any of its requests is cut", async (argv, least) => {
    await sluice(["run", "hello.lobsterX", "--quiet"]);
    for (let nth = 1; ; nth += 1) {
      const { url, wasCut, close } = await cuttingProxy(nth);
      const { code, out, err } = await sluice(argv, { env: { SLUICE_URL: url } });
      close();
      if (!wasCut()) {
        expect([code, nth > least]).toEqual([0, true]);
        return;
      }
      expect([nth, code, (out + err).includes("the connection was cut")]).toEqual([
        nth,
        expect.toBeOneOf([4, 5]),
        true,
      ]);
    }
  });

  it("belongs to another user", async () => {
    const other = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>hi"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, err } = await sluice(["runs", "list", "--url", url]);
    expect({ code, err }).toEqual({
      code: 5,
      err: `sluice: ${url} answers, but not as a Sluice server does (200)\n  hint: check the address of the server\n`,
    });
    await new Promise((resolve) => other.close(resolve));
  });
});

describe("sluice runs", () => {
  it("lists", async () => {
    const id = await started("hello.lobsterX");
    const { code, out } = await sluice(["runs", "list", "--workflow", "hello", "--limit", "100"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^RUN\s+WORKFLOW\s+STATUS\s+CREATED\s+DURATION\s+COST\n/);
    expect(out).toMatch(new RegExp(`^${id}\\s+hello@1`, "m"));
    const page = await sluice(["runs", "list", "--limit", "1", "--json"]);
    expect(JSON.parse(page.out)).toMatchObject({ data: [{ id: expect.any(String) }], nextCursor: expect.any(String) });
    const { nextCursor } = JSON.parse(page.out);
    const next = await sluice(["runs", "list", "--limit", "1", "--cursor", nextCursor, "--json"]);
    expect(JSON.parse(next.out).data[0].id).not.toBe(JSON.parse(page.out).data[0].id);
    expect((await sluice(["runs", "list", "--limit", "1"])).err).toContain("there are more: --cursor ");
    expect((await sluice(["runs", "list", "--workflow", "missing"])).err).toContain("no run matches");
    expect((await sluice(["runs", "list", "--cursor", "nonsense"])).code).toBe(2);
  });

  it("shows the steps of blocks below their step, while they run and afterwards", async () => {
    const { err } = await sluice(["run", "nested.lobsterX"]);
    const lines = err.split("\n").map((line) => line.replace(/ \d.*$/, ""));
    for (const line of [
      "▸ prepare",
      "  ▸ prepare/look",
      "  ▸ prepare/deep",
      "    ✓ prepare/deep/dig",
      "  ✓ cycle[0]/draft",
      "  ✓ cycle[1]/draft",
      "▸ finally",
      "  ✓ finally/report",
      "✓ finally",
    ])
      expect(lines).toContain(line);
    // Elements are folded, and so is what they run.
    expect(err).not.toContain("each[0]/one");
    const id = /run_\w+/.exec(err)?.[0] ?? "";
    const { out } = await sluice(["runs", "show", id]);
    const nodes = out.split("NODE ")[1]?.split("\n").slice(1) ?? [];
    expect(nodes.map((line) => /^ *\S+/.exec(line)?.[0])).toEqual([
      "prepare",
      "  look",
      "  deep",
      "    dig",
      "cycle",
      "cycle[0]",
      "  draft",
      "cycle[1]",
      "  draft",
      "each",
      "each[0]",
      "  one",
      "each[1]",
      "  one",
      "finally/report",
      undefined,
    ]);
  });

  it("shows", async () => {
    const id = await started("hello.lobsterX");
    await sluice(["runs", "watch", id, "--quiet"]);
    const { out } = await sluice(["runs", "show", id]);
    expect(out).toMatch(/status\s+completed\n/);
    expect(out).toMatch(/\nshout\s+completed\s+1\s/);
    expect(JSON.parse((await sluice(["runs", "show", id, "--json"])).out)).toMatchObject({
      id,
      status: "completed",
      state: { runId: id, nodeResults: [{ nodeId: "greet" }, { nodeId: "shout" }] },
    });
    expect((await sluice(["runs", "show", id, "--node", "greet"])).out).toBe("Hello there\n");
    expect(JSON.parse((await sluice(["runs", "show", id, "--node", "greet", "--json"])).out)).toHaveProperty(
      "attempts",
    );
    expect(await sluice(["runs", "show", id, "--node", "missing"])).toMatchObject({ code: 2 });
    expect(await sluice(["runs", "show", "run_nothing"])).toMatchObject({ code: 2, out: "" });
  });

  it("watches, and Ctrl-C only stops watching", async () => {
    const id = await started("slow.lobsterX");
    const { code, err } = await sluice(["runs", "watch", id], { interruptAt: /▸ wait/ });
    expect(code).toBe(3);
    expect(err).toContain("no longer watching; the run continues");
    expect((await client().getRun(id)).status).toBe("running");
    const cancelled = await sluice(["runs", "cancel", id]);
    expect(cancelled).toMatchObject({ code: 0, out: `${id}\n` });
    expect((await sluice(["runs", "watch", id])).code).toBe(3);
    expect((await sluice(["runs", "cancel", id])).code).toBe(2);
  });

  it("restarts, rewinds, branches and recovers", async () => {
    writeFileSync(
      join(folder, "repair.lobsterX"),
      "name: repair\nargs: { n: { type: integer, default: 1 } }\nsteps:\n  - { id: draft, command: 'Draft ${n}' }\n",
    );
    const failed = await started("repair.lobsterX");
    expect((await sluice(["runs", "watch", failed, "--quiet"])).code).toBe(1);
    expect(await sluice(["runs", "recover", failed, "--watch", "--quiet"])).toMatchObject({
      code: 0,
      out: "repaired\n",
    });
    const restarted = await sluice(["runs", "restart", failed, "--from-node", "draft", "--json"]);
    expect(JSON.parse(restarted.out)).toMatchObject({ sourceRunId: failed, carriedOver: [], runsAgain: ["draft"] });
    const id = await started("hello.lobsterX");
    await sluice(["runs", "watch", id, "--quiet"]);
    expect(await sluice(["runs", "rewind", id, "--to", "1", "--watch"])).toMatchObject({
      code: 0,
      out: "HELLO THERE\n",
    });
    const branched = await sluice(["runs", "branch", id, "--at", "1", "--arg", "times=7"]);
    expect(branched).toMatchObject({ code: 0, out: expect.stringMatching(/^run_\w+\n$/) });
    expect(branched.err).toContain("nothing is carried over, every node runs again\n");
    expect((await client().getRun(branched.out.trim())).args).toEqual({ who: "you", times: 7 });
    expect(await sluice(["runs", "branch", id, "--at", "99999"])).toMatchObject({ code: 2, out: "" });
  });

  it("shows a run as it was, and what it can be taken back to", async () => {
    const id = await started("hello.lobsterX");
    await sluice(["runs", "watch", id, "--quiet"]);
    const { out } = await sluice(["runs", "checkpoints", id]);
    expect(out).toMatch(/^EVENT\s+NODE\s+WHAT\s+WHEN\n\d+\s+greet\s+completed\s/);
    const [, event = ""] = /^(\d+)\s+greet/m.exec(out) ?? [];
    const then = await sluice(["runs", "show", id, "--at", event]);
    expect(then.out).toMatch(new RegExp(`at event\\s+${event}\\nstatus\\s+running`));
    expect(then.out).toMatch(/shout\s+(?:queued|awaiting_dependency)/);
    // The clock of that event, not of the run's end.
    expect((await sluice(["runs", "show", id, "--at", "1"])).out).toMatch(/duration\s+0 ms\n/);
    const node = await sluice(["runs", "show", id, "--at", event, "--node", "greet", "--json"]);
    expect(JSON.parse(node.out)).toMatchObject({ nodeId: "greet", status: "completed" });
    expect(await sluice(["runs", "show", id, "--at", "99999"])).toMatchObject({ code: 2, out: "" });
    expect((await sluice(["runs", "checkpoints", id, "--limit", "1"])).err).toBe(`there are more: --after ${event}\n`);
    expect(JSON.parse((await sluice(["runs", "checkpoints", id, "--after", event, "--json"])).out).data).toHaveLength(
      1,
    );
  });

  it("starts a run for a team, and gives a node that no agent may take to a person", async () => {
    await sluice(["apply", "-f", "crew.yaml"]);
    const waiting = await sluice(["run", "hello.lobsterX", "--team", "crew", "--no-wait"]);
    expect(waiting.code).toBe(4);
    const runId = /run_[a-z0-9]+/.exec(waiting.err)?.[0] ?? "";
    expect((await sluice(["runs", "resolve", runId, "greet"])).code).toBe(2);
    const resolved = await sluice(["runs", "resolve", runId, "greet", "--assign-to", "ann"]);
    expect(resolved).toMatchObject({ code: 0, out: `${runId}\n` });
    expect((await sluice(["run", "hello.lobsterX", "--local", "--team", "crew"])).err).toContain(
      "--team needs a server",
    );
  });

  it("takes an arg of a branch from an output of another run", async () => {
    const id = await started("hello.lobsterX");
    await sluice(["runs", "watch", id, "--quiet"]);
    const branched = await sluice(["runs", "branch", id, "--at", "1", "--arg-from", `who=${id}/greet/stdout`]);
    expect(branched.code).toBe(0);
    expect((await client().getRun(branched.out.trim())).args).toEqual({ who: "Hello there", times: 1 });
    for (const wrong of ["who", "who=run", `who=${id}/greet`, `who=${id}/missing/stdout`, "who=run_0/greet/stdout"]) {
      expect(await sluice(["runs", "branch", id, "--at", "1", "--arg-from", wrong])).toMatchObject({
        code: 2,
        out: "",
      });
    }
  });

  it("asks a node of a branch something else, or takes another result for its own", async () => {
    const id = await started("hello.lobsterX");
    await sluice(["runs", "watch", id, "--quiet"]);
    writeFileSync(join(folder, "better.txt"), "Greet them all.");
    const asked = await sluice(["runs", "branch", id, "--prompt", "greet=@better.txt"]);
    expect(asked).toMatchObject({ code: 0, out: expect.stringMatching(/^run_\w+\n$/) });
    const node = await client().getNode(asked.out.trim(), "greet");
    expect(node).toMatchObject({ request: { message: "Greet them all." }, promptBy: expect.any(String) });
    const given = await sluice(["runs", "branch", id, "--output", 'greet={"stdout":"Hi"}', "--json"]);
    expect(JSON.parse(given.out)).toMatchObject({ carriedOver: ["greet"], runsAgain: ["shout"] });
    const shown = async (run: string, name: string) => (await sluice(["runs", "show", run, "--node", name])).err;
    expect(await shown(asked.out.trim(), "greet")).toContain(`\n${node.promptBy ?? ""} has edited this prompt.\n`);
    expect(await shown(JSON.parse(given.out).id, "greet")).toContain(
      `\n${node.promptBy ?? ""} has edited this result.\n`,
    );
    expect(await shown(id, "greet")).not.toContain("edited");
    for (const wrong of [
      ["--prompt", "greet"],
      ["--prompt", "=x"],
      ["--prompt", "greet=@missing.txt"],
      ["--prompt", "greet=a", "--prompt", "greet=b"],
      ["--prompt", "missing=x"],
      ["--prompt", "greet= "],
      ["--output", "greet=Hi"],
      ["--output", "greet=7"],
      ["--output", 'greet={"stdout":"a"}', "--prompt", "greet=b"],
      ["--prompt", "shout=x", "--node", "greet", "--round", "0"],
      ["--output", "greet={}", "--node", "greet", "--round", "0"],
    ]) {
      expect(await sluice(["runs", "branch", id, ...wrong])).toMatchObject({ code: 2, out: "" });
    }
    const refused = await sluice(["runs", "branch", id, "--prompt", "missing=x"]);
    expect(refused.err).toContain("Its nodes are greet, shout.");
  });

  it("shows where values came from", async () => {
    const id = await started("hello.lobsterX");
    await sluice(["runs", "watch", id, "--quiet"]);
    const provenance = (...more: string[]) => sluice(["runs", "provenance", id, ...more]);
    expect((await provenance()).out).toMatch(
      /^FROM\s+VALUE\s+TO\s+INPUT\s+TRANSFORM\nargs\s+args\.who\s+greet\s+command\nargs\s+args\.times/,
    );
    expect(JSON.parse((await provenance("--json")).out).data).toHaveLength(3);
    const tree = await provenance("--node", "shout");
    expect(tree.out).toBe(
      `shout.outputs  hello ${id}  [attempt 1, default, scripted, $0.50]\n` +
        `└─ command ← greet.stdout  hello ${id}  [attempt 1, default, scripted]\n` +
        `   ├─ command ← args.who  hello ${id}\n` +
        `   └─ command ← args.times  hello ${id}\n`,
    );
    expect((await provenance("--output", "args.who", "--down")).out).toMatch(
      /^args\.who .+\n└─ command → greet\.outputs .+\n {3}└─ command → shout\.outputs .+\n$/,
    );
    expect(JSON.parse((await provenance("--node", "shout", "--format", "json")).out)).toMatchObject({ start: 0 });
    expect(JSON.parse((await provenance("--format", "prov")).out)).toHaveProperty("wasDerivedFrom");
    expect(JSON.parse((await provenance("--format", "openlineage")).out)[0]).toMatchObject({ eventType: "START" });
    expect((await provenance("--down")).code).toBe(2);
    expect((await provenance("--format", "prov", "--node", "shout")).code).toBe(2);
    expect((await provenance("--node", "missing")).code).toBe(2);
  });
});

describe("sluice approvals", () => {
  it("lists, shows and approves", async () => {
    const { runId, approvalId } = await asking();
    expect((await sluice(["approvals", "list", "--limit", "100"])).out).toMatch(
      new RegExp(`${approvalId}\\s+${runId}\\s+ok\\s+pending`),
    );
    expect((await sluice(["approvals", "show", approvalId])).out).toMatch(/choices\s+approve, reject\n/);
    expect(JSON.parse((await sluice(["approvals", "show", approvalId, "--json"])).out)).toMatchObject({
      id: approvalId,
      runId,
    });
    expect(await sluice(["approvals", "approve", approvalId, "--reason", "checked"])).toMatchObject({
      code: 0,
      out: "",
      err: `${approvalId} answered with approve\n`,
    });
    expect((await sluice(["runs", "watch", runId, "--quiet"])).code).toBe(0);
    expect((await sluice(["approvals", "approve", approvalId])).err).toContain("sluice: approval_closed: ");
    expect((await sluice(["approvals", "list", "--status", "approved", "--limit", "100"])).out).toContain(approvalId);
  });

  it("finds by text and workflow, and shows what the console shows", async () => {
    const runId = await started("letter.lobsterX");
    await sluice(["runs", "watch", runId, "--no-wait", "--quiet"]);
    const found = await sluice(["approvals", "list", "--search", "DEAR ANN", "--mine", "--workflow", "letter"]);
    const approvalId = /apr_\w+/.exec(found.out)?.[0] ?? "";
    expect(found.out).toMatch(new RegExp(`${approvalId}\\s+${runId}`));
    expect((await sluice(["approvals", "list", "--search", "no such letter"])).err).toBe("no approvals are waiting\n");
    const { out } = await sluice(["approvals", "show", approvalId]);
    for (const text of [
      "about       Send “Dear Ann”?\n",
      "workflow    letter v1\n",
      "you         may answer\n",
      "\nWhat exactly will happen\n  Exactly this message is sent to scripted.\n  Send: Dear Ann\n",
      "\nSeal\n  Nothing\n",
      "\nWhat each answer does\n  approve: ",
      "\nWhy it is asked\n",
      "\nArgs of the run\n  words: Dear Ann\n",
    ]) {
      expect(out).toContain(text);
    }
    await client().approvals.comment(approvalId, "why \u001b[31mred");
    expect((await sluice(["approvals", "show", approvalId])).out).toContain("why \\u001b[31mred");
    await client().cancelRun(runId);
  });

  it("changes an input: shows what differs, asks, and approves exactly that", async () => {
    const runId = await started("letter.lobsterX");
    await sluice(["runs", "watch", runId, "--no-wait", "--quiet"]);
    const approvalId = (await client().listApprovals({ run: runId })).data[0]?.id ?? "";
    const edit = (flags: readonly string[], options: Options = {}) =>
      sluice(["approvals", "edit", approvalId, ...flags], options);
    expect(await edit([])).toMatchObject({ code: 2 });
    expect((await edit(["--set", "nothing=1"])).err).toContain("there is no such input; there are text");
    expect((await edit(["--set", "text=Dear Ann"])).err).toBe("nothing was changed, and nothing was answered\n");
    expect((await edit(["--set", "text=Dear Bob"])).err).toContain(
      "text\n  - Dear Ann\n  + Dear Bob\nsluice: add --yes",
    );
    const refused = await edit(["--set", "text=Dear Bob"], { tty: true, lines: ["n"] });
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("with these changes? [y/N]: nothing was")]);
    const answered = await edit(["--set", "text=Dear Bob"], { tty: true, lines: ["y"] });
    expect([answered.code, answered.err]).toEqual([0, expect.stringContaining(`${approvalId} answered with approve`)]);
    expect((await sluice(["runs", "watch", runId, "--quiet"])).out).toContain("Send: Dear Bob");
  });

  it("fills in a form, and reports each field that is wrong", async () => {
    const runId = await started("form.lobsterX");
    await sluice(["runs", "watch", runId, "--no-wait", "--quiet"]);
    const approvalId = (await client().listApprovals({ run: runId })).data[0]?.id ?? "";
    const approve = (...form: readonly string[]) =>
      sluice(["approvals", "approve", approvalId, ...form.flatMap((field) => ["--form", field])]);
    expect((await approve("amount=11")).err).toContain("amount");
    expect(await approve("amount")).toMatchObject({ code: 2 });
    expect((await approve("amount=7")).code).toBe(0);
    expect((await sluice(["runs", "watch", runId, "--quiet"])).code).toBe(0);
    const { nodeResults } = await client().getState(runId);
    expect(nodeResults[0]?.outputs).toMatchObject({ amount: 7 });
  });

  it("asks once more at a terminal, unless --yes is given", async () => {
    const { approvalId } = await asking();
    const no = await sluice(["approvals", "approve", approvalId], { tty: true, lines: ["no"] });
    expect([no.code, no.err]).toEqual([3, expect.stringContaining("nothing was answered")]);
    expect(no.out).toContain("What exactly will happen");
    expect((await sluice(["approvals", "approve", approvalId, "--yes"], { tty: true })).code).toBe(0);
  });

  it("rejects only with a reason, and takes no choice that is not offered", async () => {
    const { runId, approvalId } = await asking();
    expect(await sluice(["approvals", "reject", approvalId])).toMatchObject({ code: 2 });
    expect((await sluice(["approvals", "resolve", approvalId, "--choice", "retry"])).err).toBe(
      `sluice: ${approvalId} cannot be answered with retry; the choices are approve, reject\n`,
    );
    const answered = await sluice([
      "approvals",
      "resolve",
      approvalId,
      "--choice",
      "reject",
      "--reason",
      "no",
      "--json",
    ]);
    expect(JSON.parse(answered.out)).toMatchObject({ id: approvalId, status: "rejected", reason: "no" });
    expect((await sluice(["runs", "watch", runId, "--quiet"])).code).toBe(1);
    expect(await sluice(["approvals", "show", "apr_nothing"])).toMatchObject({ code: 2 });
  });
});

describe("sluice triggers", () => {
  it("reads the body of a delivery from a file in the folder it is called in", async () => {
    writeFileSync(join(folder, "order.txt"), "no json");
    const fired = await sluice(["triggers", "fire", "orders", "--body", "@order.txt"]);
    expect(fired).toMatchObject({ code: 2, err: expect.stringContaining("--body is not JSON") });
    const missing = await sluice(["triggers", "test", "orders", "--body", "@missing.json"]);
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("missing.json: there is no such file") });
  });
});

describe("sluice apply and workflows", () => {
  it("creates, leaves alone and updates, with a diff, and only prints it with --dry-run", async () => {
    const dry = await sluice(["apply", "-f", "-", "--dry-run"], {
      input: 'kind: Workflow\nname: dry\nspec: { source: "name: dry\\nsteps: [{ id: a, command: A }]\\n" }\n',
    });
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.out).toContain("Workflow dry would be created\n@@ -1 +1 @@\n+name: dry\n");
    expect((await sluice(["workflows", "get", "dry"])).code).toBe(2);
    await sluice(["apply", "-f", "manifests.yaml"]);
    expect(JSON.parse((await sluice(["apply", "-f", "manifests.yaml", "--json"])).out)).toEqual({
      applied: ["one", "two"].map((name) => ({ kind: "Workflow", name, action: "unchanged" })),
    });
    const changed = await sluice(["apply", "-f", "changed.yaml"]);
    expect(changed.out).toContain("Workflow one updated\n");
    expect(changed.out).toContain("-  - { id: a, command: A }\n+  - { id: a, command: Another }\n");
    expect((await client().getWorkflow("two")).status).toBe("paused");
    expect(await sluice(["apply", "-f", "hello.lobsterX", "--quiet"])).toMatchObject({ code: 0 });
  });

  it("changes nothing when anything is wrong", async () => {
    const { code, err } = await sluice(["apply", "-f", "agents.yaml", "-f", "misnamed.yaml", "-f", "invalid.lobsterX"]);
    expect(code).toBe(2);
    expect(err).toContain('agents.yaml:3:22: bad_number: "trust_level" must be at most 10, but it is 11.\n');
    expect(err).toContain('misnamed.yaml:3:62: unknown_key: "sauce" is not a key of a workflow.\n');
    expect(err).toContain('  hint: Did you mean "source"?\n');
    expect(err).toContain('bad_name: The manifest is called "one", but its source "two".\n');
    expect(err).toContain("invalid.lobsterX:3:");
    expect(err).toMatch(/sluice: the manifests are not valid, nothing was changed\n$/);
    expect(await sluice(["apply", "-f", "nowhere"])).toMatchObject({ code: 2 });
  });

  it("registers things of every kind, which can then be seen and deleted", async () => {
    const dry = await sluice(["apply", "-f", "registered.yaml", "--dry-run"]);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.out).toContain("Agent analyst would be created\n");
    expect((await sluice(["agents", "get", "analyst"])).code).toBe(2);
    expect((await sluice(["apply", "-f", "registered.yaml"])).out).toBe(
      "Agent analyst created\nBudget all created\nAgent gone created\n",
    );
    expect((await sluice(["agents", "list"])).out).toMatch(/^AGENT\s+TRUST LEVEL.*\nanalyst\s+4\s+supervised\s+idle/);
    expect((await sluice(["budgets", "list"])).out).toMatch(/all\s+global\s+–\s+monthly\s+25\s+true/);
    const shown = await sluice(["agents", "get", "analyst"]);
    expect(shown.out).toMatch(/^agent\s+analyst\nrevision\s+1\n/);
    expect(shown.out).toMatch(/^skills\s+law, tax$/m);
    expect(JSON.parse((await sluice(["agents", "get", "analyst", "--json"])).out)).toMatchObject({ trustLevel: 4 });
    expect(JSON.parse((await sluice(["agents", "list", "--limit", "1", "--json"])).out).nextCursor).toBeTruthy();
    const memory = await sluice(["agents", "memory", "analyst"]);
    expect(memory).toMatchObject({ code: 0, out: "" });
    expect(memory.err).toContain("its memory is empty; its answers are kept when its manifest has a memory_profile");
    expect(JSON.parse((await sluice(["agents", "memory", "analyst", "--json"])).out)).toEqual({ data: [] });
    const forgotten = await sluice(["agents", "memory", "analyst", "--forget"]);
    expect(forgotten).toMatchObject({ code: 0, err: "the memory of the agent analyst is deleted\n" });
    expect((await sluice(["agents", "memory", "missing"])).code).toBe(2);
    expect(await sluice(["budgets", "delete", "all"])).toMatchObject({ code: 0, err: "the budget all is deleted\n" });
    expect(await sluice(["budgets", "delete", "all"])).toMatchObject({ code: 2 });
    expect(await sluice(["budgets", "list"])).toMatchObject({ code: 0, out: "" });
  });

  it("shows what only the server knows to be wrong where it stands", async () => {
    await sluice(["apply", "-f", "registered.yaml", "--quiet"]);
    const { code, out, err } = await sluice(["apply", "-f", "manifests.yaml", "-f", "risen.yaml"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain('risen.yaml:8:14: conflicting_fields: "gone" is archived, which is final');
    expect(err).toMatch(/sluice: the server does not take the manifests, nothing was changed\n$/);
    expect((await client().getRegistered("agents", "analyst"))["trustLevel"]).toBe(4);
  });

  it("closes the platform and opens it again", async () => {
    expect((await sluice(["platform", "show"])).out).toBe("the platform is open\n");
    expect((await sluice(["platform", "close", "--reason", "drill"])).out).toBe("the platform is closed: drill\n");
    expect(JSON.parse((await sluice(["platform", "show", "--json"])).out)).toEqual({ open: false, reason: "drill" });
    expect((await sluice(["platform", "open", "--quiet"])).out).toBe("");
    expect((await client().getPlatform()).open).toBe(true);
  });

  it("lists and shows, down to the very text", async () => {
    await sluice(["run", "hello.lobsterX", "--quiet"]);
    expect((await sluice(["workflows", "list"])).out).toMatch(/hello\s+1\s+active\s+lobsterx/);
    expect((await sluice(["workflows", "get", "hello"])).out).toMatch(/args\s+who \(string\), times \(integer\)\n/);
    expect((await sluice(["workflows", "get", "hello", "--source"])).out).toBe(
      readFileSync(join(folder, "hello.lobsterX"), "utf8"),
    );
    expect(JSON.parse((await sluice(["workflows", "get", "hello", "--version", "1", "--json"])).out)).toMatchObject({
      name: "hello",
      version: 1,
      status: "active",
      source: FILES["hello.lobsterX"],
    });
  });
});

describe("sluice keys", () => {
  it("makes a key that is shown once, works, and can be revoked", async () => {
    const { code, out, err } = await sluice([
      "keys",
      "create",
      "--label",
      "ci",
      "--role",
      "viewer",
      "--expires",
      "30d",
    ]);
    expect(code).toBe(0);
    const key = out.trim();
    const id = /^(key_\w+)/.exec(err)?.[1] ?? "";
    expect((await sluice(["runs", "list", "--key", key])).code).toBe(0);
    expect(await sluice(["run", "hello.lobsterX", "--key", key])).toMatchObject({
      code: 7,
      err: expect.stringContaining("sluice: forbidden: "),
    });
    expect((await sluice(["keys", "list"])).out).toMatch(new RegExp(`^${id}\\s+ci\\s`, "m"));
    expect((await sluice(["keys", "list", "--json"])).out).not.toContain(key);
    expect(await sluice(["keys", "revoke", id])).toMatchObject({ code: 0, err: `${id} is revoked\n` });
    expect((await sluice(["runs", "list", "--key", key])).code).toBe(7);
  });

  it.each([
    [["keys", "create", "--label", "x"], "state what the key may do"],
    [["keys", "create", "--label", "x", "--role", "admin", "--permission", "run:read"], "state what the key may do"],
    [["keys", "create", "--label", "x", "--role", "admin", "--expires", "yesterday"], "--expires yesterday: write 90m"],
    [["keys", "create", "--label", "x", "--role", "admin", "--expires", "0d"], "--expires 0d: write 90m"],
    [["keys", "create", "--label", "x", "--permission", "everything"], "invalid_request"],
    [["keys", "revoke", "key_nothing"], "unknown_api_key"],
  ])("refuses %j", async (argv, expected) => {
    const { code, out, err } = await sluice(argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(expected);
  });
});

describe("sluice doctor", () => {
  it("finds everything in order, or reports what is not and how to fix it", async () => {
    const well = await sluice(["doctor", "--port", "0"]);
    expect(well).toMatchObject({ code: 0, err: "" });
    expect(well.out).toContain(`✓ server: ${served.url} answers and accepts the key (admin of default)\n`);
    expect(well.out).toContain(
      "– model openai: no key: steps on its models fail with provider_auth\n  hint: set OPENAI_API_KEY",
    );
    expect(well.out).toContain("– adapter claude-agent: offline (");
    expect((await sluice(["doctor", "--port", "0"], { env: { OPENAI_API_KEY: "x" } })).out).toContain(
      "✓ model openai: ",
    );
    const wrongKey = { SLUICE_KEY: "slk_wrong_0123456789" };
    expect((await sluice(["doctor", "--port", "0"], { env: wrongKey })).code).toBe(7);
    expect((await sluice(["doctor", "--port", "0"], { env: { SLUICE_URL: "http://127.0.0.1:9" } })).code).toBe(5);
    const ill = await sluice(["doctor", "--json", "--port", String(served.port)], {
      env: { SLUICE_KEY: "slk_wrong_0123456789", DATABASE_URL: "postgres://127.0.0.1:9/nothing" },
    });
    expect(ill.code).toBe(1);
    const { ok, findings } = JSON.parse(ill.out);
    expect(ok).toBe(false);
    expect(
      findings.filter((one: { ok: boolean | null }) => one.ok === false).map((one: { check: string }) => one.check),
    ).toEqual(["database", "port", "server"]);
    for (const finding of findings) if (finding.ok !== true) expect(finding.fix).toBeTruthy();
  });
});
