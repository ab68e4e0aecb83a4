import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSystemClock } from "../../clock/index.ts";
import { main } from "../command-line.ts";
import type { Io, Screen } from "../io.ts";

const HELLO = "name: hello\nsteps:\n  - { id: sentence, command: Write a sentence. }\n";
const CASES = "workflow: hello.lobsterX\ncases:\n  - name: one\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-watch-"));
  write("hello.lobsterX", HELLO);
  write("hello.cases.yaml", CASES);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** `sluice test --watch` in the folder, and what it has printed. */
function watching(...names: readonly string[]) {
  const printed = { out: "", err: "" };
  const screen = (name: "out" | "err"): Screen => ({
    isTty: false,
    size: () => ({ columns: 80, rows: 24 }),
    write: (text) => void (printed[name] += text),
  });
  let interrupt: () => void = () => undefined;
  const io: Io = {
    out: screen("out"),
    err: screen("err"),
    cwd: folder,
    env: {},
    clock: createSystemClock(),
    isInputTty: false,
    readInput: async () => new Uint8Array(),
    readLine: async () => null,
    onInterrupt: (listener) => {
      interrupt = () => listener("interrupt");
      return () => undefined;
    },
    exitNow: () => undefined,
  };
  const ended = main(["test", ...names, "--watch"], io);
  const stop = (): Promise<number> => {
    interrupt();
    return ended;
  };
  return { printed, stop };
}

describe("sluice test --watch", () => {
  it("runs again after each save, whatever came of the last one, until it is stopped", async () => {
    const { printed, stop } = watching();
    await expect.poll(() => printed.err).toContain("waiting for a saved file");
    expect(printed.out).toContain("1 case, 1 passed");
    write("hello.cases.yaml", `${CASES}    expect: { status: failed }\n`);
    await expect.poll(() => printed.out).toContain("1 failed");
    write("hello.cases.yaml", `${CASES}    expct: {}\n`);
    await expect.poll(() => printed.err).toContain("unknown_key");
    write("hello.cases.yaml", `${CASES}  - name: two\n`);
    await expect.poll(() => printed.out).toContain("2 cases, 2 passed");
    expect(await stop()).toBe(0);
  });

  it.each([
    [[], "there are no cases in ."],
    [["hello.cases.yaml"], "cannot read hello.cases.yaml"],
  ])("goes on when the cases %j are away for a while, as some editors save", async (names, said) => {
    const { printed, stop } = watching(...names);
    await expect.poll(() => printed.err).toContain("waiting for a saved file");
    rmSync(join(folder, "hello.cases.yaml"));
    await expect.poll(() => printed.err).toContain(said);
    write("hello.cases.yaml", `${CASES}  - name: two\n`);
    await expect.poll(() => printed.out).toContain("2 cases, 2 passed");
    expect(await stop()).toBe(0);
  });

  it("follows a folder that was removed and has come back, as a change of the branch does it", async () => {
    const inner = join(folder, "flows");
    const save = (cases: string): void => {
      mkdirSync(inner, { recursive: true });
      write("flows/hello.lobsterX", HELLO);
      write("flows/hello.cases.yaml", cases);
    };
    rmSync(join(folder, "hello.cases.yaml"));
    save(CASES);
    const { printed, stop } = watching();
    await expect.poll(() => printed.err).toContain("waiting for a saved file");
    rmSync(inner, { recursive: true });
    await expect.poll(() => printed.err).toContain("there are no cases in .");
    save(`${CASES}  - name: two\n`);
    await expect.poll(() => printed.out).toContain("2 cases, 2 passed");
    write("flows/hello.cases.yaml", `${CASES}  - name: two\n  - name: three\n`);
    await expect.poll(() => printed.out).toContain("3 cases, 3 passed");
    expect(await stop()).toBe(0);
  });
});
