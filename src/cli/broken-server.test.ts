import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { programWith } from "../../scripts/reference/cli-reference.ts";
import { createSystemClock } from "../clock/index.ts";
import type { Io, Screen } from "./io.ts";
import { main } from "./command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-broken-"));
beforeAll(() => {
  writeFileSync(join(folder, "flow.lobsterX"), "name: flow\nsteps:\n  - { id: a, command: A }\n");
  writeFileSync(
    join(folder, "policy.yaml"),
    "kind: Policy\nname: p\nspec: { category: guardrail, action: require_approval, condition: node.id == 'a' }\n",
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Commands that never ask a server for anything, or not on their own account. */
const WITHOUT_SERVER: Readonly<Record<string, string>> = {
  validate: "reads files",
  plan: "reads files",
  schema: "prints what is built in",
  init: "writes files",
  completion: "prints what is built in",
  up: "is a server",
  serve: "is a server",
  dev: "is a server",
  "runs verify": "reads a file, so that no server has to be trusted",
  migrate: "works on a database",
  bridge: "waits for its server, however long it is away",
  mcp: "reports what fails to its client, as results of the calls",
  "adapter test": "works on a file",
  "audit verify": "reads a file, so that no server has to be trusted",
};

/** What commands need besides ids; each also in the ways that send other requests. */
const WAYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  run: [["flow.lobsterX"], ["flow"], ["flow@2", "--detach"], ["flow", "--json"]],
  simulate: [["flow.lobsterX"], ["flow"]],
  apply: [
    ["-f", "policy.yaml"],
    ["-f", "flow.lobsterX", "--dry-run"],
  ],
  doctor: [["--port", "0"]],
  test: [["--record", "run_1"]],
  erase: [["--subject", "args.a == 1"]],
  "runs import": [["policy.yaml"]],
  "policies backtest": [["policy.yaml"]],
  "keys create": [["--label", "x", "--role", "viewer"]],
  "secrets set": [
    ["x", "--from-file", "policy.yaml"],
    ["x", "--from-file", "policy.yaml", "--scope", "agent:a"],
  ],
  "secrets rotate": [["x", "--from-file", "policy.yaml"]],
  "people invite": [["x@example.com", "--role", "viewer"]],
  "people set": [
    ["per_1", "--role", "viewer"],
    ["x@example.com", "--clear", "groups"],
  ],
  "sessions list": [[], ["--all"]],
  "files put": [["flow.lobsterX"]],
  "files get": [["0".repeat(64), "--output", "x.bin"]],
  "approvals resolve": [["apr_1", "--choice", "approve"]],
  "runs rewind": [["run_1", "--to", "1"]],
  "runs branch": [
    ["run_1", "--at", "1"],
    ["run_1", "--at", "1", "--arg", "a=b"],
    ["run_1", "--prompt", "a=b"],
    ["run_1", "--output", 'a={"b":1}'],
  ],
  "runs resolve": [["run_1", "a", "--assign-to", "ann"]],
  "runs show": [["run_1"], ["run_1", "--node", "a"], ["run_1", "--at", "3"], ["run_1", "--json"]],
  "runs cancel": [["run_1"], ["run_1", "--watch"]],
  "runs provenance": [["run_1"], ["run_1", "--node", "a"], ["run_1", "--format", "prov"]],
  "runs packet": [["run_1"], ["run_1", "-o", "packet.json"]],
  "audit export": [[], ["-o", "audit.ndjson"]],
  "agents memory": [["ann"], ["ann", "--forget"]],
  "workflows hook": [["flow"], ["flow", "--remove"], ["flow", "--rotate"]],
};

interface Leaf {
  readonly name: string;
  readonly command: Command;
}

function leavesOf(command: Command, words: readonly string[] = []): readonly Leaf[] {
  if (command.commands.length === 0) return [{ name: words.join(" "), command }];
  return command.commands.flatMap((inner) => leavesOf(inner, [...words, inner.name()]));
}

const LEAVES = leavesOf(programWith(() => undefined));
const ASKING = LEAVES.filter(({ name }) => !Object.hasOwn(WITHOUT_SERVER, name));

/** Every command that asks a server, in every way: `x` stands for an id. */
const CALLS = ASKING.flatMap(({ name, command }) =>
  (WAYS[name] ?? [command.registeredArguments.map(() => "x")]).map((way) => [...name.split(" "), ...way]),
);

const problem = (status: number, code: string) =>
  answer(JSON.stringify({ status, code, detail: "It is so." }), "application/problem+json", `${status} X`);
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

function answer(body: string, type = "application/json", status = "200 OK") {
  const length = Buffer.byteLength(body);
  return (socket: Socket): void =>
    void socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
}

/** What a server does with a request, and the exit code of the command that sent it. */
const FAULTS: Readonly<Record<string, readonly [(socket: Socket) => void, number]>> = {
  "resets the connection": [(socket) => void socket.resetAndDestroy(), 5],
  "resets in the middle of the body": [
    (socket) => void socket.write(`${HEAD}content-length: 999\r\n\r\n{"data":[{"id":`, () => socket.resetAndDestroy()),
    5,
  ],
  "sends half of the JSON": [answer('{"id":"run_1","status":"running","data":[{"id":"x"'), 5],
  "sends an empty object": [answer("{}"), 5],
  "sends an error page": [answer("<h1>Oops", "text/html", "500 Oops"), 5],
  "is not ready": [problem(503, "not_ready"), 5],
  "breaks inside": [problem(500, "internal_error"), 5],
  "does not know the caller": [problem(401, "unauthenticated"), 7],
  "does not permit it": [problem(403, "forbidden"), 7],
};

const servers = new Set<Server>();
afterEach(() => {
  vi.useRealTimers();
  for (const server of servers) server.close();
  servers.clear();
});

function listen(onOpen: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onOpen(socket);
  });
  servers.add(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

async function sluice(argv: readonly string[], url: string) {
  let out = "";
  let err = "";
  const screen = (write: (text: string) => void): Screen => ({
    isTty: false,
    size: () => ({ columns: 100, rows: 24 }),
    write,
  });
  const io: Io = {
    out: screen((text) => (out += text)),
    err: screen((text) => (err += text)),
    cwd: folder,
    env: { SLUICE_KEY: "slk_test_0123456789" },
    clock: createSystemClock(),
    isInputTty: false,
    readInput: () => Promise.resolve(new Uint8Array()),
    readLine: () => Promise.resolve(null),
    onInterrupt: () => () => undefined,
    exitNow: (code) => expect.fail(`exit ${code} at once`),
  };
  const code = await main([...argv, "--url", url], io);
  return { code, out, err };
}

async function exitCodes(url: string): Promise<readonly (readonly [string, number])[]> {
  const codes: (readonly [string, number])[] = [];
  for (const argv of CALLS) {
    const { code, err } = await sluice(argv, url);
    const words = argv.join(" ");
    expect(err, words).toMatch(/^sluice: |^nothing was run|^$/);
    expect(err, words).not.toMatch(/internal error|undefined/);
    codes.push([words, code]);
  }
  return codes;
}

const all = (code: number): readonly (readonly [string, number])[] => CALLS.map((argv) => [argv.join(" "), code]);

describe("every command that asks a server", () => {
  it("is in the table, and every other one is there with a reason", () => {
    for (const { name, command } of LEAVES) {
      const takesServer = command.options.some(({ long }) => long === "--url");
      if (name !== "mcp") expect([name, takesServer]).toEqual([name, !Object.hasOwn(WITHOUT_SERVER, name)]);
    }
    expect(ASKING.length).toBeGreaterThan(60);
    for (const name of [...Object.keys(WITHOUT_SERVER), ...Object.keys(WAYS)]) {
      expect(LEAVES.map((leaf) => leaf.name)).toContain(name);
    }
  });

  it("fails with 5 when nothing listens", async () => {
    expect(await exitCodes("http://127.0.0.1:9")).toEqual(all(5));
  });

  it("fails with 5 when the connection is closed before the request", async () => {
    const url = await listen((socket) => void socket.end());
    expect(await exitCodes(url)).toEqual(all(5));
  });

  it.each(Object.entries(FAULTS))("fails when the server %s", async (_, [fault, code]) => {
    const url = await listen((socket) => void socket.once("data", () => fault(socket)));
    expect(await exitCodes(url)).toEqual(all(code));
  });
});

describe("a run that is watched", () => {
  const json = (value: unknown): ((socket: Socket) => void) => answer(JSON.stringify(value));
  const STREAM = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

  it.each([
    ["ends at once", STREAM],
    ["ends in the middle of an event", `${STREAM}id: 1\ndata: {"eventId":`],
  ])("fails with 5 when its stream always %s", async (_, stream) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const url = await listen((socket) => {
      socket.once("data", (request: Buffer) => {
        const path = request.toString().split(" ")[1] ?? "";
        if (path.includes("/events/stream")) {
          // Patience is a minute.
          vi.setSystemTime(Date.now() + 61_000);
          socket.end(stream);
        } else if (path.endsWith("/state")) json({ status: "running", nodeResults: [] })(socket);
        else json({ id: "run_1", workflow: "flow", version: null, status: "running" })(socket);
      });
    });
    const { code, err } = await sluice(["runs", "watch", "run_1"], url);
    expect({ code, err }).toMatchObject({ code: 5, err: expect.stringContaining("ends before the run does") });
  });
});
