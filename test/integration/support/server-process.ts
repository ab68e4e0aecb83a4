import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { preparedProgram } from "../../program/program.ts";

/** Where a server keeps what it keeps, and what its adapter answers. */
export interface ServerSettings {
  /** `up` on a directory, or on a database; `serve` as one of several replicas on a database. */
  readonly command: "up" | "serve";
  readonly data: string;
  readonly databaseUrl: string | null;
  readonly script: string;
  readonly ledger: string;
  readonly key: string;
  /** Of adapters beside the scripted one. */
  readonly config?: string;
  /** Any free one otherwise. */
  readonly port?: number;
  /** Of `serve`: behind one port. */
  readonly processes?: number;
  /** Where Bridges reach it, when that is not where it listens. */
  readonly publicUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A server, or a Bridge, as a process of its own. */
export interface ServerProcess {
  /** As it announces itself. */
  readonly url: string;
  readonly isAlive: boolean;
  /** What it wrote to its error output. */
  readonly complaints: string;
  /** kill −9: no handler, no last word. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const running = new Set<ChildProcess>();
// A test run that is cut short leaves no server behind.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Bundles the program where that is missing, so that the first start does not take longer than the others. */
export function prepareProgram(): void {
  preparedProgram();
}

/** Runs the program to its end. */
export function callProgram(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [preparedProgram(), ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`sluice ${args.join(" ")} ended with ${status}: ${stderr}`);
}

export function startServer(settings: ServerSettings): Promise<ServerProcess> {
  const { command, data, databaseUrl, script, ledger, key, port = 0, publicUrl, config, env, processes } = settings;
  const flags = ["--json", "--port", String(port), "--script", script, "--ledger", ledger, "--key", key];
  if (command === "up") flags.push("--data", data, "--no-demo");
  // Bridges and receivers of tests are on this machine, which only `up` reaches by itself.
  else flags.push("--allow-outbound", "localhost,127.0.0.0/8");
  if (databaseUrl !== null) flags.push("--database-url", databaseUrl);
  if (config !== undefined) flags.push("--config", config);
  if (processes !== undefined) flags.push("--processes", String(processes));
  if (publicUrl !== undefined) flags.push("--public-url", publicUrl);
  return startProgram([command, ...flags], data, env);
}

/** Starts what stands until it is stopped, and waits until it says where it listens. */
export function startProgram(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [preparedProgram(), ...args], {
    cwd,
    // The home directory holds the empty database that new ones are copied from.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let complaints = "";
  let answer = "";
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  void ended.then(() => running.delete(child));
  child.stderr.on("data", (chunk: Buffer) => {
    complaints = `${complaints}${chunk.toString("utf8")}`.slice(-20_000);
  });
  return new Promise((resolve, reject) => {
    void ended.then((code) =>
      reject(new Error(`sluice ${args[0]} ended with ${code} before it was ready: ${complaints}`)),
    );
    child.stdout.on("data", (chunk: Buffer) => {
      if (answer.includes("\n")) return;
      answer += chunk.toString("utf8");
      const [line, rest] = answer.split("\n", 2);
      if (rest === undefined || line === undefined) return;
      const { url } = JSON.parse(line) as { readonly url: string };
      resolve({
        url,
        get isAlive() {
          return child.exitCode === null && child.signalCode === null;
        },
        get complaints() {
          return complaints;
        },
        async kill() {
          child.kill("SIGKILL");
          await ended;
        },
        async stop() {
          child.kill("SIGTERM");
          return ended;
        },
      });
    });
  });
}
