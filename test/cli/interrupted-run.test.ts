import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SluiceClient } from "../../src/client/index.ts";
import { type Served, serve } from "../../src/server/index.ts";
import { ADMIN, type Api, createApi } from "../api/fixture.ts";
import { preparedProgram } from "../program/program.ts";
import { PseudoTerminal } from "./pseudo-terminal.ts";

const CTRL_C = "\x03";
const folder = mkdtempSync(join(tmpdir(), "sluice-terminal-"));
const FILES = {
  "endless.lobsterX": "name: endless\nsteps:\n  - { id: wait, command: Wait }\n",
  "gate.lobsterX": "name: gate\nsteps:\n  - { id: ok, name: 'Ship it?', approval: required }\n",
  "letter.lobsterX":
    "name: letter\nsteps:\n  - { id: send, approval: required, inputs: { text: '${words}' }, command: 'Send ${text}' }\n" +
    "args: { words: { type: string, default: Dear Ann } }\n",
  "hang.yaml": "default: echo\nnodes:\n  wait: { hang: true }\n",
  "editor.sh": "sed -i 's/Dear Ann/Dear Bob/' \"$1\"\n",
};

let api: Api;
let served: Served;
let env: Record<string, string>;
beforeAll(async () => {
  preparedProgram();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  api = await createApi();
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  env = { SLUICE_URL: served.url, SLUICE_KEY: ADMIN, NO_COLOR: "1" };
}, 300_000);
afterAll(async () => {
  for (const { id } of (await client().listRuns({ status: "running" })).data) await client().cancelRun(id);
  await served.close(0);
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const client = (): SluiceClient => new SluiceClient({ url: served.url, key: ADMIN });
const RUN = /run_[a-z0-9]{20,}/;

describe("a run on a server, at a real terminal", () => {
  it.each([
    ["stays, which is the default", "\r", "running"],
    ["is cancelled when that is chosen", "c\r", "cancelled"],
  ])("%s after Ctrl-C", async (_, answer, status) => {
    const terminal = new PseudoTerminal(["run", "endless.lobsterX"], folder, env);
    await terminal.shows(/● wait/);
    terminal.type(CTRL_C);
    await terminal.shows(/\[d\]etach: the run continues \(default\) · \[c\]ancel the run: /);
    terminal.type(answer);
    expect(await terminal.ended()).toBe(3);
    const [runId] = (await terminal.shows(RUN)) ?? [];
    expect(await client().getRun(runId ?? "")).toMatchObject({ status });
  });

  it("opens an editor, shows what differs, and approves exactly that", async () => {
    const { id } = await client().startRun({ workflow: await saved("letter.lobsterX"), args: {} });
    await api.settle(id);
    const approvalId = (await client().listApprovals({ run: id })).data[0]?.id ?? "";
    const editor = { EDITOR: `sh ${join(folder, "editor.sh")}` };
    const terminal = new PseudoTerminal(["approvals", "edit", approvalId], folder, { ...env, ...editor });
    await terminal.shows(/- Dear Ann\r\n\s+\+ Dear Bob[\s\S]*with these changes\? \[y\/N\]: /);
    terminal.type("y\r");
    expect(await terminal.ended()).toBe(0);
    expect(await api.settle(id)).toBe("completed");
    expect(JSON.stringify((await client().getState(id)).nodeResults)).toContain("Send Dear Bob");
  });
});

async function saved(file: keyof typeof FILES): Promise<string> {
  const name = file.replace(".lobsterX", "");
  await client().saveWorkflow(name, FILES[file]);
  return name;
}

/** The program without a terminal. */
function call(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [preparedProgram(), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], NO_COLOR: "1", ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  let onText = (): void => undefined;
  child.stderr.on("data", (piece: Buffer) => {
    err += piece.toString("utf8");
    onText();
  });
  child.stdout.resume();
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)));
  return {
    child,
    err: () => err,
    ended,
    shows: (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        onText = () => {
          if (pattern.test(err)) resolve();
        };
        onText();
      }),
  };
}

describe("a run on a server, without a terminal", () => {
  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("is never cancelled by %s", async (signal) => {
    const called = call(["run", "endless.lobsterX"], env);
    await called.shows(/▸ wait/);
    called.child.kill(signal);
    expect(await called.ended).toBe(3);
    const [runId = ""] = RUN.exec(called.err()) ?? [];
    expect(await client().getRun(runId)).toMatchObject({ status: "running" });
    await client().cancelRun(runId);
  });

  it("prints run, approval and command, exits with 4, and stays as it is", async () => {
    const called = call(["run", "gate.lobsterX"], env);
    expect(await called.ended).toBe(4);
    const [, runId = "", approvalId = ""] = /run (run_\w+), approval (apr_\w+)/.exec(called.err()) ?? [];
    expect(called.err()).toContain(`sluice approvals approve ${approvalId}`);
    expect(await client().getRun(runId)).toMatchObject({ status: "running", waitingFor: "person" });
    expect(await call(["approvals", "approve", approvalId], env).ended).toBe(0);
    expect(await api.settle(runId)).toBe("completed");
  });
});

describe("a run in this process", () => {
  it("is cancelled by Ctrl-C", async () => {
    const terminal = new PseudoTerminal(["run", "endless.lobsterX", "--local", "--script", "hang.yaml"], folder, {
      NO_COLOR: "1",
    });
    await terminal.shows(/● wait/);
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(3);
    expect(terminal.screen).toContain("endless cancelled");
  });

  it("is gone when no person can answer, and this is printed", async () => {
    const called = call(["run", "gate.lobsterX", "--local"]);
    expect(await called.ended).toBe(4);
    expect(called.err()).toMatch(/run run_\w+ is lost: it existed only in this process/);
  });
});
