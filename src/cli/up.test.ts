import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../clock/index.ts";
import { SluiceClient } from "../client/index.ts";
import { quietInput } from "../../test/cli/quiet-input.ts";
import type { Interruption, Io, Screen } from "./io.ts";
import { main } from "./command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-up-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A command that is left running until it is stopped. */
function begin(argv: readonly string[], env: Record<string, string> = {}, mayExitNow = false) {
  const written = { out: "", err: "" };
  const listeners = new Set<(why: Interruption) => void>();
  let onLine: () => void = () => undefined;
  const screen = (side: "out" | "err"): Screen => ({
    isTty: false,
    size: () => ({ columns: 100, rows: 24 }),
    write(text) {
      written[side] += text;
      onLine();
    },
  });
  const io: Io = {
    out: screen("out"),
    err: screen("err"),
    cwd: folder,
    env,
    clock: createSystemClock(),
    ...quietInput(listeners),
    exitNow: (code) => (mayExitNow ? undefined : expect.fail(`exit ${code} at once: ${written.err}`)),
  };
  const ended = main(argv, io);
  /** The first line of standard output. */
  const ready = new Promise<string>((resolve, reject) => {
    onLine = () => {
      if (written.out.includes("\n")) resolve(written.out.slice(0, written.out.indexOf("\n")));
    };
    void ended.then((code) => reject(new Error(`ended with ${code}: ${written.err}`)));
  });
  ready.catch(() => undefined);
  const stop = async (): Promise<number> => {
    for (const listener of listeners) listener("interrupt");
    return ended;
  };
  return { written, ended, ready, stop, isListening: () => listeners.size > 0 };
}

async function sluice(argv: readonly string[], env: Record<string, string> = {}) {
  const { written, ended } = begin(argv, env);
  return { code: await ended, ...written };
}

describe("sluice up", () => {
  it("starts everything, shows the demo, is found by other commands, and keeps all of it over a restart", async () => {
    const first = begin(["up", "--json", "--port", "0"]);
    const announced = JSON.parse(await first.ready);
    expect(Object.keys(announced)).toEqual(["url", "consoleUrl", "key", "pid"]);
    expect(announced).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), pid: process.pid });
    expect(announced.consoleUrl.startsWith(`${announced.url}/`)).toBe(true);
    expect((await fetch(announced.consoleUrl)).status).toBe(200);
    expect(first.written.err).toBe("preparing the database, once …\n");
    const { key } = announced;
    expect(readFileSync(join(folder, ".sluice/key"), "utf8")).toBe(`${key}\n`);
    for (const file of ["key", "server.json"]) expect(statSync(join(folder, ".sluice", file)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, ".sluice")).mode & 0o777).toBe(0o700);

    const listed = await sluice(["workflows", "list", "--json"]);
    expect(
      JSON.parse(listed.out)
        .data.map(({ name }: { name: string }) => name)
        .toSorted(),
    ).toEqual(["demo-approval", "demo-diamond", "demo-for-each", "demo-hello"]);
    expect(JSON.parse(listed.out).data.every(({ exposed }: { exposed: boolean }) => exposed)).toBe(true);
    const ran = await sluice(["run", "demo-hello", "--arg", "name=Ada", "--detach"]);
    expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/^run_\w+\n$/) });

    expect(await sluice(["up", "--port", "0"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/^sluice: .*\n$/),
    });
    expect(await sluice(["migrate"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("in use by another Sluice"),
    });
    expect((await sluice(["doctor", "--port", "0"])).code).toBe(0);

    expect(await first.stop()).toBe(0);
    expect(existsSync(join(folder, ".sluice/server.json"))).toBe(false);
    expect((await sluice(["runs", "list"])).code).toBe(5);

    const second = begin(["up", "--port", "0", "--no-demo"]);
    await second.ready;
    expect(second.written.out).toContain(`Key  kept in ${join(".sluice", "key")}\n`);
    expect(second.written.out + second.written.err).not.toContain(key);
    // The run may have continued meanwhile.
    expect(second.written.err).not.toMatch(/preparing|warn|error/);
    expect((await sluice(["runs", "watch", ran.out.trim(), "--quiet"])).code).toBe(0);
    expect(await second.stop()).toBe(0);

    const given = "slk_given_0123456789";
    const third = begin([
      "up",
      "--json",
      "--port",
      "0",
      "--key",
      given,
      "--no-console",
      "--public-url",
      "https://sluice.example/",
    ]);
    expect(JSON.parse(await third.ready)).toEqual({
      url: "https://sluice.example",
      consoleUrl: null,
      key: given,
      pid: process.pid,
    });
    expect((await sluice(["runs", "list"])).code).toBe(0);
    expect(await sluice(["runs", "list", "--key", key])).toMatchObject({
      code: 7,
      err: expect.stringContaining("unauthenticated"),
    });
    expect(await third.stop()).toBe(0);
  });

  it("logs the facts of a run as lines of JSON, and none of its texts, args, outputs or secrets", async () => {
    const key = "slk_logged_0123456789";
    const secret = "token-5f2d71c09a";
    writeFileSync(
      join(folder, "flaky.yaml"),
      "nodes:\n  fetch: [{ fail: provider_rate_limit, retry_after_ms: 10 }, { stdout: PRICES }]\n" +
        `  store: { fail: provider_refused, message: "UNSTORABLE ${secret}" }\n`,
    );
    const steps =
      "[{ id: fetch, command: 'FETCH ${what}', retry: { attempts: 2, backoff_ms: 10, retry_on: [rate_limit] } }, { id: store, command: 'STORE ${fetch.stdout}', on_failure: halt }]";
    const options = [
      "--json",
      "--port",
      "0",
      "--no-demo",
      "--no-console",
      "--script",
      "flaky.yaml",
      "--data",
      "logged",
    ];
    const server = begin(["up", ...options, "--key", key, "--log-format", "json"]);
    const { url } = JSON.parse(await server.ready) as { url: string };
    const client = new SluiceClient({ url, key });
    await client.saveWorkflow("flaky", `name: flaky\nargs: { what: { type: string } }\nsteps: ${steps}`);
    const run = await client.startRun({ workflow: "flaky", args: { what: "COFFEE" } });
    for await (const _ of client.watchRun(run.id));
    expect(await server.stop()).toBe(0);

    const lines = server.written.err.split("\n").filter((line) => line.startsWith("{"));
    const facts = lines.map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
    const place = { runId: run.id, orgId: "default", traceId: run.traceId, time: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(facts.filter(({ runId }) => runId === run.id)).toEqual([
      { ...place, level: "info", msg: "run.started", workflow: "flaky", version: 1, trigger: "api" },
      {
        ...place,
        level: "warn",
        msg: "node.retried",
        nodeId: "fetch",
        errorCode: expect.any(String),
        cause: expect.any(String),
        nextAttempt: 2,
        delayMs: expect.any(Number),
      },
      { ...place, level: "warn", msg: "node.failed", nodeId: "store", errorCode: expect.any(String) },
      { ...place, level: "warn", msg: "run.failed" },
    ]);
    expect(facts.at(-1)).toMatchObject({ level: "info", msg: "stopping; a second signal stops at once" });
    expect(server.written.err).not.toMatch(new RegExp(`COFFEE|FETCH|PRICES|UNSTORABLE|${secret}|${key}`));
  });

  it("refuses a level and a format of the log that do not exist", async () => {
    const { code, err } = await sluice(["up", "--log-level", "loud"], { SLUICE_LOG_FORMAT: "xml" });
    expect(code).toBe(2);
    expect(err).toBe(
      "sluice: --log-level must be one of debug, info, warn, error, silent\nsluice: SLUICE_LOG_FORMAT must be json or text\n",
    );
  });

  it("answers by a script, writes a ledger, and goes without the demo", async () => {
    writeFileSync(join(folder, "script.yaml"), "nodes: { say: { stdout: scripted } }\n");
    writeFileSync(join(folder, "say.lobsterX"), "name: say\nsteps:\n  - { id: say, command: Say }\n");
    const key = "slk_ledger_0123456789";
    const flags = ["--script", "script.yaml", "--ledger", "ledger.jsonl", "--no-demo"];
    const up = begin(["up", "--json", "--port", "0", "--data", "other", ...flags], { SLUICE_KEY: key });
    const { url, key: shown } = JSON.parse(await up.ready);
    expect(shown).toBeNull();
    const client = new SluiceClient({ url, key });
    expect((await client.listWorkflows()).data).toEqual([]);
    expect(await sluice(["run", "say.lobsterX", "--url", url, "--key", key, "--quiet"])).toMatchObject({
      code: 0,
      out: "scripted\n",
    });
    expect(JSON.parse(readFileSync(join(folder, "ledger.jsonl"), "utf8"))).toMatchObject({ node: "say" });
    expect(await up.stop()).toBe(0);
    expect(up.written.out + up.written.err).not.toContain(key);
  });

  it("prints in one line which port is in use, and releases the database", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, out, err } = await sluice(["up", "--data", "other", "--port", String(port)]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe(`sluice: port ${port} is in use: choose another with --port, or --port 0 for any\n`);
    await new Promise((resolve) => taken.close(resolve));
    expect(await sluice(["migrate", "--data", "other"])).toEqual({
      code: 0,
      out: "",
      err: "the database is up to date\n",
    });
  });

  it("drains and ends well when it is stopped before it is ready", async () => {
    // A slow machine takes longer to start than a process is given to stop.
    const up = begin(["up", "--port", "0", "--data", "other"], {}, true);
    while (!up.isListening()) await new Promise((resolve) => setImmediate(resolve));
    expect(up.written.out).toBe("");
    expect(await up.stop()).toBe(0);
    expect(up.written.err).toMatch(/^sluice: stopping; a second signal stops at once\n/);
    expect(existsSync(join(folder, "other/server.json"))).toBe(false);
  });

  it.each([["up"], ["serve"], ["migrate"]])("%s prints in one line that the database is down", async (command) => {
    const { code, out, err } = await sluice([command, "--database-url", "postgres://127.0.0.1:9/nothing"]);
    expect({ code, out }).toEqual({ code: 5, out: "" });
    expect(err).toMatch(/^sluice: the database cannot be reached: .*\n$/);
    expect(err).not.toContain("127.0.0.1:9/nothing");
  });
});
