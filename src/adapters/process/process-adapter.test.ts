import {
  chmodSync,
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/base/index.ts";
import {
  checkAdapter,
  type Adapter,
  type AdapterRequest,
  type AdapterResult,
  type LogLine,
} from "../../adapter/index.ts";
import { createProcessAdapter } from "./process-adapter.ts";

const NODE = process.execPath;
const isRoot = userInfo().uid === 0;
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "process-adapter-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const hooks = { signal: new AbortController().signal, onPartial: () => {}, onLog: () => {} };

const REQUEST: AdapterRequest = {
  dispatchId: "d1",
  runId: "r1",
  stepId: "call",
  attempt: 2,
  idempotencyKey: "key-1",
  provider: "process",
  agentId: "a",
  message: "it",
  inputs: {},
  outputStrategy: "text",
  timeoutMs: null,
  context: { runId: "r1", workflow: "w", phase: null, upstreamDigest: null },
  effects: "at_least_once",
};

interface Ran {
  readonly result: AdapterResult;
  readonly partials: string;
  readonly logs: readonly LogLine[];
}

async function makeAdapter(command: JsonObject, env: Record<string, string> = {}): Promise<Adapter> {
  const adapter = createProcessAdapter({ env, directory: join(root, "work"), graceMs: 50 });
  await adapter.initialize({ commands: { it: command } });
  return adapter;
}

async function run(
  command: JsonObject,
  request: Partial<AdapterRequest> = {},
  more: { env?: Record<string, string>; signal?: AbortSignal; onPartial?: (text: string) => void } = {},
): Promise<Ran> {
  const adapter = await makeAdapter(command, more.env);
  const logs: LogLine[] = [];
  let partials = "";
  const result = await adapter.execute(
    { ...REQUEST, ...request },
    {
      signal: more.signal ?? new AbortController().signal,
      onPartial: (part) => {
        if (!("text" in part)) return;
        partials += part.text;
        more.onPartial?.(partials);
      },
      onLog: (line) => logs.push(line),
    },
  );
  expect(readdirSync(join(root, "work"))).toEqual([]);
  return { result, partials, logs };
}

const script = (text: string): JsonObject => ({ argv: [NODE, "-e", text] });
/** Commands sleep much longer than a test waits: those that end by themselves are not taken for those that were ended. */
const shell = (text: string): JsonObject => ({ argv: ["sh", "-c", text] });

/** Is a process still there, and more than a body waiting for its burial? */
function isAlive(id: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${id}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a command", () => {
  it("gets stdin and gives stdout, streamed and whole", async () => {
    const { result, partials } = await run({ argv: ["cat"] }, { stdin: "ä\nb" });
    expect(result).toEqual({ status: "completed", stdout: "ä\nb" });
    expect(partials).toBe("ä\nb");
  });

  it("gets the message when an input names it, and everything as JSON when it wants that", async () => {
    const named = { inputs: { command: "it" }, message: "do this" };
    expect((await run({ argv: ["cat"] }, named)).result).toMatchObject({ stdout: "do this" });
    expect((await run({ argv: ["cat"] }, { ...named, stdin: "in" })).result).toMatchObject({ stdout: "in" });
    expect((await run({ argv: ["cat"] })).result).toMatchObject({ stdout: "" });
    const { result } = await run({ argv: ["cat"], input: "json" }, { stdin: "in", inputs: { a: 1 } });
    expect(JSON.parse(result.status === "completed" ? (result.stdout ?? "") : "")).toMatchObject({
      message: "it",
      stdin: "in",
      inputs: { a: 1 },
      runId: "r1",
      attempt: 2,
    });
  });

  it("fails with its exit code or signal and the end of its stderr", async () => {
    const { result, logs } = await run(shell("echo one >&2; printf 'two\\r\\nthree' >&2; exit 3"));
    expect(result).toMatchObject({
      failure: "provider_error",
      message: expect.stringMatching(/exit code 3; .*\none\ntwo\r\nthree$/) as string,
    });
    expect(logs.map(({ level, message }) => `${level} ${message}`)).toEqual(["info one", "info two", "info three"]);
    expect((await run(shell("kill -SEGV $$"))).result).toMatchObject({
      message: expect.stringContaining("SIGSEGV") as string,
    });
  });

  it("returns only the last 2 KiB of its stderr, and a bounded number of lines", async () => {
    const { result, logs } = await run(
      script("for (let i = 0; i < 3000; i++) console.error('line ä ' + i); process.exitCode = 1"),
    );
    expect(logs).toHaveLength(1_001);
    const message = result.status === "failed" ? result.message : "";
    expect(message).toContain("line ä 2999");
    expect(Buffer.byteLength(message)).toBeLessThan(2_048 + 100);
    expect(message).not.toContain("\ufffd");
  });

  it("that cannot be started is a failure, not a bug", async () => {
    const missing = { argv: ["/nonexistent/program"] };
    expect((await run(missing)).result).toMatchObject({ failure: "provider_error" });
    const adapter = createProcessAdapter({ env: {}, directory: join(root, "work"), prlimit: null });
    await adapter.initialize({ commands: { it: missing } });
    expect(await adapter.execute(REQUEST, hooks)).toMatchObject({
      failure: "provider_error",
      message: expect.stringContaining("could not be started") as string,
    });
    expect(await adapter.checkHealth()).toMatchObject({
      status: "degraded",
      message: expect.stringMatching(/prlimit.*\/nonexistent\/program/) as string,
    });
  });
});

describe("what a definition may ask for", () => {
  const echo = { argv: ["printf", "%s|"], args: { max: 2, pattern: "[a-z$();|&`> ]+|x=-?" } };

  it.each([
    [{ message: "rm -rf /" }, "command_not_allowed"],
    [{ message: "" }, "command_not_allowed"],
    [{ message: "/bin/it" }, "command_not_allowed"],
    [{ message: "constructor" }, "command_not_allowed"],
    [{ inputs: { command: "__proto__" } }, "command_not_allowed"],
    [{ inputs: { command: ["it"] } }, "command_not_allowed"],
    [{ inputs: { command: "it a" } }, "command_not_allowed"],
    [{ message: "it a b c" }, "arguments_not_allowed"],
    [{ message: "it -n" }, "arguments_not_allowed"],
    [{ message: "it A" }, "arguments_not_allowed"],
    [{ message: "it aA" }, "arguments_not_allowed"],
    [{ inputs: { command: "it", args: "a" } }, "arguments_not_allowed"],
    [{ inputs: { command: "it", args: [1] } }, "arguments_not_allowed"],
    [{ inputs: { command: "it", args: ["a\0b"] } }, "arguments_not_allowed"],
    [{ inputs: { command: "it", args: ["a\nb"] } }, "arguments_not_allowed"],
  ])("is not %j", async (request, code) => {
    const adapter = await makeAdapter(echo);
    expect(await adapter.execute({ ...REQUEST, ...request }, hooks)).toMatchObject({
      failure: "provider_refused",
      message: expect.stringMatching(`^${code}: `) as string,
    });
  });

  it.each([
    [{ message: "it" }, "|"],
    [{ message: " it  a $(id) " }, "a|$(id)|"],
    [{ inputs: { command: "it", args: ["a; rm x", "`id` && b | c > d"] } }, "a; rm x|`id` && b | c > d|"],
  ])("is %j, and stays literal", async (request, stdout) => {
    expect((await run(echo, request)).result).toEqual({ status: "completed", stdout });
  });

  it.each([
    [8_191, "completed"],
    [8_192, "completed"],
    [8_193, "failed"],
  ])("is an argument of %i characters: %s", async (size, status) => {
    const adapter = await makeAdapter(echo);
    const request = { ...REQUEST, inputs: { command: "it", args: ["a".repeat(size)] } };
    expect((await adapter.execute(request, hooks)).status).toBe(status);
  });

  it("is no argument at all unless the command takes some", async () => {
    const adapter = await makeAdapter({ argv: ["cat"] });
    expect(await adapter.execute({ ...REQUEST, message: "it /etc/passwd" }, hooks)).toMatchObject({
      failure: "provider_refused",
    });
  });

  it("is a flag only where flags are taken", async () => {
    const flags = { argv: ["printf", "%s|"], args: { max: 1, pattern: "-[a-z]", flags: true } };
    expect((await run(flags, { message: "it -n" })).result).toMatchObject({ stdout: "-n|" });
  });

  it("is nothing before anything is configured", async () => {
    const adapter = createProcessAdapter({ env: {}, directory: root });
    await adapter.initialize({});
    expect(await adapter.execute(REQUEST, hooks)).toMatchObject({ failure: "provider_refused" });
  });
});

describe("what a command sees", () => {
  it("is a clean environment", async () => {
    const env = { CANARY: "secret", OPEN: "yes", PATH: "/evil", NODE_OPTIONS: "--require /evil" };
    const { result } = await run(
      { ...script("console.log(JSON.stringify(process.env))"), env: ["OPEN", "ABSENT"] },
      {},
      { env },
    );
    const seen = JSON.parse(result.status === "completed" ? (result.stdout ?? "") : "") as Record<string, string>;
    expect(Object.keys(seen).toSorted()).toEqual([
      "HOME",
      "LANG",
      "OPEN",
      "PATH",
      "SLUICE_ATTEMPT",
      "SLUICE_EXECUTION",
      "SLUICE_IDEMPOTENCY_KEY",
      "SLUICE_RUN",
      "SLUICE_STEP",
    ]);
    expect(seen).toMatchObject({
      OPEN: "yes",
      SLUICE_RUN: "r1",
      SLUICE_STEP: "call",
      SLUICE_ATTEMPT: "2",
      SLUICE_IDEMPOTENCY_KEY: "key-1",
    });
    expect(seen["PATH"]).not.toContain("evil");
  });

  it("is a directory of its own, gone afterwards with its links and locks, not what they led to", async () => {
    const outside = join(root, "outside");
    writeFileSync(outside, "kept");
    const text = `pwd; echo $HOME; ls -A; ln -s ${root} link; ln -s ${outside} file; mkdir -p a/b; touch a/b/c; chmod 000 a/b a`;
    const { result } = await run(shell(text));
    const [cwd, home, ...files] = (result.status === "completed" ? (result.stdout ?? "") : "").trim().split("\n");
    expect(cwd).toContain(join(root, "work", "sluice-"));
    expect(home).toBe(cwd);
    expect(files).toEqual([]);
    expect(readFileSync(outside, "utf8")).toBe("kept");
  });

  it("is another directory when its configuration names one", async () => {
    expect((await run({ argv: ["pwd"], cwd: "/" })).result).toMatchObject({ stdout: "/\n" });
  });

  it("is no open file of ours", async () => {
    const handle = openSync(join(root, "open"), "w");
    try {
      const { result } = await run(shell("ls -l /proc/$$/fd; echo done"));
      const files = (result.status === "completed" ? (result.stdout ?? "") : "").matchAll(/ (\d+) -> (.*)$/gm);
      const beyond = [...files].filter(([, id]) => Number(id) > 2).map(([, , file]) => file);
      expect(new Set(["/dev/null", ...beyond])).toEqual(new Set(["/dev/null"]));
    } finally {
      closeSync(handle);
    }
  });

  it("is what its user may see", async () => {
    const user = { uid: 61_234, gid: 61_234 };
    const guarded = join(root, "guarded");
    writeFileSync(guarded, "kept", { mode: 0o600 });
    const work = mkdtempSync("/tmp/process-adapter-user-");
    const adapter = createProcessAdapter({ env: {}, directory: join(work, "w"), graceMs: 50 });
    try {
      await adapter.initialize({
        commands: { it: { ...shell(`id -u; id -G; echo bad > ${guarded}; touch mine && echo ok`), cwd: "temp", user } },
      });
      // Only root can become another user; all others get an error.
      if (isRoot) chmodSync(work, 0o711);
      const result = await adapter.execute(REQUEST, hooks);
      if (isRoot) expect(result).toMatchObject({ status: "completed", stdout: "61234\n61234\nok\n" });
      else expect(result).toMatchObject({ failure: "provider_error" });
      expect(readFileSync(guarded, "utf8")).toBe("kept");
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
});

describe("a command that misbehaves", () => {
  it("by writing without end is ended", async () => {
    const { result, partials } = await run({ argv: ["yes"], output_bytes_max: 100_000 });
    expect(result).toMatchObject({
      failure: "provider_bad_output",
      message: expect.stringMatching(/^output_too_large/) as string,
    });
    expect(partials.length).toBeLessThanOrEqual(100_000);
    expect((await run({ ...shell("yes >&2"), output_bytes_max: 100_000 })).result).toMatchObject({
      failure: "provider_bad_output",
    });
  });

  it.each([
    [999, "completed"],
    [1_000, "completed"],
    [1_001, "failed"],
  ])("writes %i bytes where 1000 are allowed: %s", async (size, status) => {
    expect(
      (await run({ argv: ["head", "-c", String(size), "/dev/zero"], output_bytes_max: 1_000 })).result.status,
    ).toBe(status);
  });

  it("by writing anything but text is read as well as can be", async () => {
    const { result } = await run({ argv: ["printf", "a\\000\\377\\303"] });
    expect(result).toEqual({ status: "completed", stdout: "a\0\ufffd\ufffd" });
  });

  it("by not ending is ended, politely or not", async () => {
    expect((await run({ argv: ["sleep", "60"], timeout_ms: 30 })).result).toMatchObject({ failure: "timeout" });
    expect((await run({ argv: ["sleep", "60"] }, { timeoutMs: 30 })).result).toMatchObject({ failure: "timeout" });
    const deaf = { ...shell("trap '' TERM; echo ready; while :; do sleep 60; done"), timeout_ms: 100 };
    expect((await run(deaf)).result).toMatchObject({ failure: "timeout" });
  });

  it("that is not wanted any more is ended", async () => {
    const stop = new AbortController();
    const deaf = shell("trap '' TERM; echo $$; sleep 600; sleep 600");
    let id = 0;
    const onPartial = (text: string): void => {
      id = Number(text);
      stop.abort();
    };
    const { result } = await run(deaf, {}, { signal: stop.signal, onPartial });
    expect(result).toMatchObject({ failure: "cancelled" });
    await expect.poll(() => isAlive(id)).toBe(false);
    const adapter = await makeAdapter({ argv: ["touch", join(root, "started")] });
    const hooks = { signal: AbortSignal.abort(), onPartial: () => {}, onLog: () => {} };
    expect(await adapter.execute(REQUEST, hooks)).toMatchObject({ failure: "cancelled" });
    expect(existsSync(join(root, "started"))).toBe(false);
  });

  it.each(["cancel", "shutdown"] as const)("ends by %s", async (how) => {
    const adapter = await makeAdapter(shell("echo ready; sleep 600"));
    const ends: Promise<void>[] = [];
    const hooks = {
      signal: new AbortController().signal,
      onPartial: () => {
        ends.push(how === "cancel" ? adapter.cancel("d1") : adapter.shutdown());
      },
      onLog: () => {},
    };
    expect(await adapter.execute(REQUEST, hooks)).toMatchObject({ failure: "cancelled" });
    await Promise.all(ends);
  });

  it("by leaving children behind has them ended", async () => {
    const { result } = await run(shell("sleep 600 & echo $!"));
    expect(result.status).toBe("completed");
    await expect.poll(() => isAlive(Number(result.status === "completed" ? result.stdout : ""))).toBe(false);
  });

  it("by leaving a daemon in a session of its own has it ended", async () => {
    const file = join(root, "daemon");
    const text = `setsid sh -c '(echo $$ > ${file}.tmp && mv ${file}.tmp ${file}; trap "" TERM; sleep 600; sleep 600) & exit' ; while [ ! -e ${file} ]; do sleep 0.02; done; setsid sleep 600 & echo $!`;
    const { result } = await run(shell(text));
    const ids = [Number(readFileSync(file, "utf8")), Number(result.status === "completed" ? result.stdout : "0")];
    expect(ids.every((id) => id > 0)).toBe(true);
    await expect.poll(() => ids.filter(isAlive)).toEqual([]);
  });

  it("by multiplying stays within its number, and none of them stays", async () => {
    const bomb = `const { spawn } = require("child_process"); let failed = 0, ids = [];
      for (let i = 0; i < 60; i++) { const child = spawn("sleep", ["600"], { stdio: "ignore" }); child.on("error", () => failed++); if (child.pid) ids.push(child.pid); }
      setTimeout(() => { console.log(JSON.stringify({ failed, ids })); process.exit(0); }, 50);`;
    const work = mkdtempSync("/tmp/process-adapter-bomb-");
    try {
      const adapter = createProcessAdapter({ env: {}, directory: join(work, "w"), graceMs: 50 });
      // The system counts by user, and counts nothing for root.
      const own = isRoot ? { user: { uid: 61_235, gid: 61_235 }, processes_max: 40 } : {};
      if (isRoot) chmodSync(work, 0o711);
      await adapter.initialize({ commands: { it: { ...script(bomb), ...own } } });
      const result = await adapter.execute(REQUEST, hooks);
      expect(result).toMatchObject({ status: "completed" });
      const report = JSON.parse(result.status === "completed" ? (result.stdout ?? "") : "") as {
        failed: number;
        ids: number[];
      };
      if (isRoot && existsSync("/usr/bin/prlimit")) expect(report.failed).toBeGreaterThan(0);
      await expect.poll(() => report.ids.filter(isAlive)).toEqual([]);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });

  it("by taking memory or time is stopped by the system", async () => {
    const hog = script("const all = []; for (let i = 0; i < 600; i++) all.push(Buffer.alloc(1 << 20, 1));");
    expect((await run({ ...hog, memory_mb: 128 })).result).toMatchObject({ failure: "provider_error" });
    expect((await run({ ...shell("while :; do :; done"), cpu_seconds: 1, timeout_ms: 170_000 })).result).toMatchObject({
      message: expect.stringMatching(/SIGXCPU|SIGKILL/) as string,
    });
  });

  it("by not reading, or stopping to, is no failure", async () => {
    const stdin = "x".repeat(5_000_000);
    expect((await run({ argv: ["true"] }, { stdin })).result).toMatchObject({ status: "completed" });
    expect((await run({ argv: ["head", "-c", "3"] }, { stdin })).result).toMatchObject({ stdout: "xxx" });
    expect((await run(shell("exec <&-; echo done"), { stdin })).result).toMatchObject({ stdout: "done\n" });
    expect((await run({ argv: ["wc", "-c"] }, { stdin })).result).toMatchObject({ stdout: "5000000\n" });
  });
});

describe("the configuration", () => {
  it.each([
    [{ argv: [] }, "commands.it.argv"],
    [{ argv: ["./x"] }, "commands.it.argv"],
    [{ argv: ["a\0b"] }, "commands.it.argv"],
    [{ argv: ["x"], user: { uid: 0, gid: 1 } }, "commands.it.user.uid"],
    [{ argv: ["x"], cwd: "relative" }, "commands.it.cwd"],
    [{ argv: ["x"], shell: true }, "commands.it: "],
    [{ argv: ["x"], args: { max: 1, pattern: "(" } }, "commands.it.args.pattern"],
    [{ argv: ["x"], args: { max: 1 } }, "commands.it.args.pattern"],
    [{ argv: ["x"], output_bytes_max: 0 }, "commands.it.output_bytes_max"],
    [{ argv: ["x"], input: "file" }, "commands.it.input"],
  ] as const)("%j is refused at %s", async (command, place) => {
    await expect(makeAdapter(command)).rejects.toThrow(place);
  });

  it.each(
    "NODE_OPTIONS LD_PRELOAD DYLD_INSERT_LIBRARIES PYTHONPATH PATH GIT_SSH_COMMAND npm_config_registry BASH_ENV ENV PERL5LIB RUBYOPT JAVA_TOOL_OPTIONS SLUICE_EXECUTION HOME a=b".split(
      " ",
    ),
  )("hands on no %s", async (name) => {
    await expect(makeAdapter({ argv: ["x"], env: [name] })).rejects.toThrow("commands.it.env.0");
  });

  it("in order is healthy, unless a command would run as root", async () => {
    const health = await (await makeAdapter({ argv: ["cat"] })).checkHealth();
    expect(health.status).toBe(isRoot || !existsSync("/usr/bin/prlimit") ? "degraded" : "healthy");
    const user = { uid: 61_234, gid: 61_234 };
    const own = await (await makeAdapter({ argv: ["cat"], user })).checkHealth();
    expect(own.status).toBe(existsSync("/usr/bin/prlimit") ? "healthy" : "degraded");
  });
});

it("keeps every promise of the interface", async () => {
  const adapter = createProcessAdapter({ env: {}, directory: join(root, "work"), graceMs: 50 });
  const report = await checkAdapter(adapter, {
    config: { commands: { cat: { argv: ["cat"] }, slow: { argv: ["sleep", "60"] } } },
    sample: (canary) => ({ inputs: { command: "cat" }, message: canary }),
    slow: { inputs: { command: "slow" } },
    abortWithinMs: 50_000,
  });
  expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
});
