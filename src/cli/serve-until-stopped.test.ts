import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { closeEach } from "./closing.ts";
import { quietInput } from "../../test/cli/quiet-input.ts";
import type { Interruption, Io } from "./io.ts";
import { main } from "./command-line.ts";
import { createLog, type Log } from "./log.ts";
import { type EndingProcess, whenDone } from "./process-end.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

/** A process whose time is moved by hand. */
function setUp(env: Record<string, string> = {}) {
  const clock = createVirtualClock(0);
  const listeners = new Set<(why: Interruption) => void>();
  const written = { err: "" };
  const exits: number[] = [];
  const screen = { isTty: false, size: () => ({ columns: 80, rows: 24 }), write: () => undefined };
  const io: Io = {
    out: screen,
    err: { ...screen, write: (text) => void (written.err += text) },
    cwd: "/nowhere",
    env,
    clock,
    ...quietInput(listeners),
    exitNow: (code) => void exits.push(code),
  };
  const stop = (why: Interruption = "terminate"): void => {
    for (const listener of listeners) listener(why);
  };
  return { io, written, exits, stop, clock, listening: () => listeners.size };
}

/** Every level, as a person reads it. */
const logOf = ({ err }: Io): Log =>
  createLog({ level: "debug", format: "text", write: (line) => err.write(line), redact: (text) => text });

const never = (): Promise<never> => new Promise(() => undefined);

/** Whether it has ended ten seconds after it was asked to, in the time of the clock. */
async function endsInTime({ clock, exits }: ReturnType<typeof setUp>, ended: Promise<number>): Promise<number> {
  const codes: number[] = [];
  void ended.then((code) => codes.push(code));
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let turns = 0; turns < 5; turns += 1) await turn();
  const limit = clock.now() + 10_000;
  await clock.run(() => exits.length + codes.length > 0 || clock.now() > limit, turn);
  expect(clock.now()).toBeLessThan(limit);
  return exits[0] ?? codes[0] ?? -1;
}

describe("a server that is asked to stop", () => {
  it.each([
    ["it does not start: the database is away", never],
    ["it does not end: the database is away", () => Promise.resolve({ close: never })],
    ["ending it fails", () => Promise.resolve({ close: () => Promise.reject(new Error("away")) })],
    ["it ends", () => Promise.resolve({ close: () => Promise.resolve() })],
  ])("ends with 0 within ten seconds when %s", async (_, start) => {
    const world = setUp();
    const ended = serveUntilStopped(world.io, logOf(world.io), start);
    world.stop();
    expect(await endsInTime(world, ended)).toBe(0);
  });

  it("ends with the code it names when it cannot go on", async () => {
    const world = setUp();
    const ended = serveUntilStopped(world.io, logOf(world.io), async (end) => {
      end(7);
      return { close: () => Promise.resolve() };
    });
    expect(await ended).toBe(7);
    const stuck = serveUntilStopped(world.io, logOf(world.io), async (end) => {
      end(7);
      return never();
    });
    expect(await endsInTime(world, stuck)).toBe(7);
  });

  it("is given time to end when it has started in the meantime", async () => {
    const world = setUp();
    const ended = serveUntilStopped(world.io, logOf(world.io), async () => {
      world.stop();
      return { close: () => new Promise<void>((resolve) => void world.clock.after(6_000, resolve)) };
    });
    expect(await endsInTime(world, ended)).toBe(0);
    expect(world.exits).toEqual([]);
  });

  it("ends with 0 when it cannot start any more, and reports why", async () => {
    const world = setUp();
    const ended = serveUntilStopped(world.io, logOf(world.io), async () => {
      world.stop("hangup");
      throw new Error("the database is away");
    });
    expect(await ended).toBe(0);
    expect(world.written.err).toContain("not everything ended in order: the database is away");
    expect(world.listening()).toBe(0);
  });

  it("ends at once when it is asked twice, and passes on what fails before it is asked", async () => {
    const world = setUp();
    void serveUntilStopped(world.io, logOf(world.io), never);
    world.stop();
    world.stop();
    expect(world.exits).toEqual([3]);
    await expect(serveUntilStopped(world.io, logOf(world.io), () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
  });

  it("ends every part, whatever becomes of the others", async () => {
    const ended: string[] = [];
    const steps = [
      () => ended.push("a"),
      () => Promise.reject(new Error("b")),
      () => {
        throw new Error("c");
      },
      () => ended.push("d"),
    ];
    await expect(closeEach(steps)).rejects.toThrow("b");
    expect(ended).toEqual(["a", "d"]);
  });
});

describe("a database that accepts connections and never answers", () => {
  const data = mkdtempSync(join(tmpdir(), "sluice-serve-"));
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on("error", () => undefined)));
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    silent.close();
  });
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it.each([["up"], ["serve"]])("does not keep %s from stopping", async (command) => {
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const world = setUp({ SLUICE_DATA: data });
    const url = `postgres://127.0.0.1:${port}/nothing`;
    const ended = main([command, "--database-url", url, "--port", "0"], world.io);
    while (sockets.size === 0) await new Promise((resolve) => setImmediate(resolve));
    world.stop();
    expect(await endsInTime(world, ended)).toBe(0);
  });
});

describe("the process of a command", () => {
  function fake() {
    const listeners = new Set<() => void>();
    const exits: number[] = [];
    let written = "";
    const own: EndingProcess = {
      stdout: { writableLength: 0 },
      stderr: { write: (text) => (written += text) },
      once: (_, listener) => listeners.add(listener),
      off: (_, listener) => listeners.delete(listener),
      exit: (code) => void exits.push(code),
    };
    return { own, exits, written: () => written, drain: () => listeners.forEach((listener) => listener()) };
  }

  it("does not end with 0 when nothing is left to wait for before the command is done", () => {
    const { own, written, drain } = fake();
    void whenDone(own, never());
    drain();
    expect(own.exitCode).toBe(1);
    expect(written()).toContain("the command has not ended");
  });

  it("ends with the code of the command although something is still open", async () => {
    const { own, exits, written, drain } = fake();
    await whenDone(own, Promise.resolve(5));
    expect(own.exitCode).toBe(5);
    drain();
    expect(written()).toBe("");
    while (exits.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(exits).toEqual([5]);
  });
});
