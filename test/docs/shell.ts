import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { main } from "../../src/cli/command-line.ts";
import type { Interruption, Io, Screen } from "../../src/cli/io.ts";
import { createSystemClock } from "../../src/clock/index.ts";
import { REPOSITORY } from "../law/source.ts";
import { curl } from "./curl.ts";
import { startQuickServer } from "./quick-server.ts";
import { cut, withoutRemark, wordsIn } from "./words.ts";

/** The exit code and output of a program; `all` has both streams in their real order. */
interface Result {
  readonly code: number;
  readonly out: string;
  readonly all: string;
}

interface Standing {
  readonly url: string;
  readonly key: string;
  readonly stop: () => Promise<Result>;
}

/** Commands that are done in this process: those of the program, requests to its server, and `NAME=$(…)` around them. */
const OURS = /^(?:[A-Z_]+=\S* +)*(?:(?:bin\/)?sluice|curl|npm start)(?: |$)|^\w+=\$\(/;

/** The address that pages show; the one really used is any that is free. */
const SHOWN_URL = "http://127.0.0.1:7717";

/** A terminal for the commands of a page: a folder of its own, and at most one server that runs from it. */
export class Shell {
  /** Servers keep everything in memory. */
  readonly #isQuick: boolean;
  readonly home = mkdtempSync(join(tmpdir(), "sluice-docs-"));
  readonly #variables = new Map<string, string>();
  readonly #spokenOf = new Map<string, string>();
  #folder = this.home;
  #server: Standing | null = null;
  #lastCode = 0;

  constructor({ isQuick }: { readonly isQuick: boolean }) {
    this.#isQuick = isQuick;
  }

  write(path: string, text: string): void {
    const place = resolve(this.#folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    if (path.endsWith(".ts") && !existsSync(join(this.home, "node_modules"))) this.#install();
  }

  /** As after `npm install sluice zod`, without building the package first. */
  #install(): void {
    symlinkSync(join(REPOSITORY, "node_modules"), join(this.home, "node_modules"));
    const door = (name: string): string[] => [join(REPOSITORY, "src", name, "index.ts")];
    const paths = { "sluice/client": door("client"), "sluice/workflow": door("workflow") };
    writeFileSync(join(this.home, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(this.home, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
  }

  async close(): Promise<void> {
    await this.#server?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Ctrl-C in the terminal of the server. */
  async interrupt(): Promise<string> {
    const printed = await this.#server?.stop();
    this.#server = null;
    return printed === undefined ? "" : printed.all;
  }

  /** Types one line and returns its output as a person sees it. `run_…` is the run that was printed last. */
  async type(line: string): Promise<string> {
    const { all } = await this.#line(line.replaceAll(/\b(run|apr|key)_…/g, (_, kind: string) => this.#idOf(kind)));
    for (const [id, kind = ""] of all.matchAll(/\b(run|apr|key)_[a-z0-9_]{20,}/g)) this.#spokenOf.set(kind, id);
    return all;
  }

  #idOf(kind: string): string {
    const id = this.#spokenOf.get(kind);
    if (id === undefined) throw new Error(`the page has ${kind}_…, and no command before it printed one`);
    return id;
  }

  async #line(line: string): Promise<Result> {
    let all = "";
    let out = "";
    for (const part of cut(withoutRemark(line), "&&")) {
      const printed = await this.#piped(part);
      all += printed.all;
      out += printed.out;
      this.#lastCode = printed.code;
      if (printed.code !== 0) break;
    }
    const server = this.#server;
    const shown = (text: string): string => (server === null ? text : text.replaceAll(server.url, SHOWN_URL));
    return { code: this.#lastCode, all: shown(all), out };
  }

  async #piped(line: string): Promise<Result> {
    const [first = "", ...rest] = cut(line, "|");
    if (!OURS.test(first)) return this.#system(line, "");
    const { command, file } = redirected(first);
    const printed = await this.#command(command);
    if (file !== null) {
      this.write(file, printed.out);
      return { ...printed, out: "", all: printed.all.replace(printed.out, "") };
    }
    if (rest.length === 0) return printed;
    const after = await this.#system(rest.join(" | "), printed.out);
    return { ...after, all: printed.all.replace(printed.out, "") + after.all };
  }

  async #command(line: string): Promise<Result> {
    const assigned = /^(\w+)=(\$\(.*\))$/s.exec(line);
    if (assigned !== null) {
      const [value = ""] = await this.#words(assigned[2] ?? "");
      this.#variables.set(assigned[1] ?? "", value);
      return { code: 0, out: "", all: "" };
    }
    const words = [...(await this.#words(line))];
    const env: Record<string, string> = {};
    while (/^[A-Z_]+=/.test(words[0] ?? "")) {
      const [name = "", ...value] = (words.shift() ?? "").split("=");
      env[name] = value.join("=");
    }
    const [program, ...argv] = words;
    if (program === "curl") return curl(argv);
    if (program === "npm" && argv.join(" ") === "start") return this.#sluice(["up"], env);
    return this.#sluice(argv, env);
  }

  #words(line: string): Promise<readonly string[]> {
    return wordsIn(line, {
      variable: (name) => this.#variable(name),
      output: async (command) => (await this.#line(command)).out,
    });
  }

  /** The server and its key, as a program would find them in its environment. */
  get environment(): Readonly<Record<string, string>> {
    return this.#server === null ? {} : { SLUICE_URL: this.#server.url, SLUICE_KEY: this.#server.key };
  }

  #variable(name: string): string {
    if (name === "?") return String(this.#lastCode);
    if (name === "SLUICE_URL" && this.#server !== null) return this.#server.url;
    if (name === "SLUICE_KEY" && this.#server !== null) return this.#server.key;
    const value = this.#variables.get(name);
    if (value === undefined) throw new Error(`the page uses $${name}, which nothing has set`);
    return value;
  }

  /** Anything that is no program of ours. */
  async #system(line: string, input: string): Promise<Result> {
    const moved = /^cd (\S+)$/.exec(line);
    if (moved !== null) {
      this.#folder = resolve(this.#folder, moved[1] ?? "");
      return { code: 0, out: "", all: "" };
    }
    if (line === "echo $?") return { code: 0, out: `${this.#lastCode}\n`, all: `${this.#lastCode}\n` };
    return new Promise((done) => {
      const child = spawn("sh", ["-c", line], { cwd: this.#folder });
      let all = "";
      let out = "";
      child.stdout.on("data", (piece: Buffer) => {
        out += piece.toString();
        all += piece.toString();
      });
      child.stderr.on("data", (piece: Buffer) => (all += piece.toString()));
      child.on("close", (code) => done({ code: code ?? 1, out, all }));
      // A command that reads no input may be gone before it could be written: what it printed counts.
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
    });
  }

  async #sluice(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Result> {
    const isStanding = argv[0] === "up" || argv[0] === "serve" || argv[0] === "bridge";
    if (isStanding) return this.#stand(argv, env);
    const begun = begin(argv, env, this.#folder);
    return soon(begun.ended, () => `\`sluice ${argv.join(" ")}\` does not end; its output so far:\n${begun.printed()}`);
  }

  /** Starts a server that runs until it is stopped, and returns its first output. */
  async #stand(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Result> {
    if (this.#server !== null) throw new Error("the page starts a second server before it has stopped the first");
    if (this.#isQuick) return this.#standQuickly(argv, env);
    const begun = begin([...argv, "--port", "0"], env, this.#folder);
    const all = await begun.until(/Ctrl-C stops it.*\n\n/);
    const url = /URL {2}(\S+)/.exec(all)?.[1] ?? "";
    // The key is printed only when it is created; later starts print where it is kept.
    const shown = /Key {2}(slk_\S+)/.exec(all)?.[1];
    const key = shown ?? readFileSync(join(this.#folder, ".sluice", "key"), "utf8").trim();
    this.#server = {
      url,
      key,
      async stop() {
        begun.interrupt();
        const printed = await begun.ended;
        return { ...printed, all: printed.all.slice(all.length) };
      },
    };
    return { code: 0, out: all, all };
  }

  async #standQuickly([verb, ...flags]: readonly string[], env: Readonly<Record<string, string>>): Promise<Result> {
    if (verb !== "up") throw new Error(`a page that starts \`sluice ${verb}\` has to stop it as well`);
    const silent = { out: () => undefined, err: () => undefined, onInterrupt: () => () => undefined };
    const server = await startQuickServer(ioWith(silent, env, this.#folder), flags);
    const stop = async (): Promise<Result> => {
      await server.close();
      return { code: 0, out: "", all: "" };
    };
    this.#server = { url: server.url, key: server.key, stop };
    return { code: 0, out: "", all: "" };
  }
}

function redirected(line: string): { readonly command: string; readonly file: string | null } {
  const match = /^(.*?)\s>\s*(\S+)$/s.exec(line);
  return match === null ? { command: line, file: null } : { command: match[1] ?? "", file: match[2] ?? "" };
}

const PATIENCE_MS = 120_000;

/** A page that waits for ever fails with the place where it waits. */
async function soon<T>(what: Promise<T>, otherwise: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(otherwise())), PATIENCE_MS);
  });
  return Promise.race([what, late]).finally(() => clearTimeout(timer));
}

/** A command of ours, in this process. */
function begin(argv: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
  const listeners = new Set<(why: Interruption) => void>();
  let out = "";
  let all = "";
  let onText: () => void = () => undefined;
  const write = (isData: boolean) => (text: string) => {
    all += text;
    if (isData) out += text;
    onText();
  };
  const onInterrupt = (listener: (why: Interruption) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const io = ioWith({ out: write(true), err: write(false), onInterrupt }, env, cwd);
  const ended = main(argv, io).then((code): Result => ({ code, out, all }));
  return {
    ended,
    printed: () => all,
    interrupt: () => listeners.forEach((listener) => listener("interrupt")),
    until: (pattern: RegExp): Promise<string> =>
      new Promise((done, fail) => {
        onText = () => {
          if (pattern.test(all)) done(all);
        };
        onText();
        void ended.then(({ code }) => fail(new Error(`\`sluice ${argv.join(" ")}\` ended with ${code}: ${all}`)));
      }),
  };
}

interface Ends {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly onInterrupt: (listener: (why: Interruption) => void) => () => void;
}

function ioWith({ out, err, onInterrupt }: Ends, env: Readonly<Record<string, string>>, cwd: string): Io {
  const screen = (write: (text: string) => void): Screen => {
    return { isTty: false, size: () => ({ columns: 100, rows: 24 }), write };
  };
  return {
    out: screen(out),
    err: screen(err),
    cwd,
    env,
    clock: createSystemClock(),
    isInputTty: false,
    readInput: () => Promise.resolve(new Uint8Array()),
    readLine: () => Promise.resolve(null),
    onInterrupt,
    exitNow: () => undefined,
  };
}
