import { describe, expect, it } from "vitest";
import { createLog, troubleLogger } from "./log.ts";
import type { LogFormat, LogLevel } from "./log-words.ts";

function logging(format: LogFormat, level: LogLevel = "info") {
  const lines: string[] = [];
  const redact = (text: string): string => text.replaceAll("hunter22", "[redacted]");
  return { lines, log: createLog({ level, format, write: (line) => void lines.push(line), redact }) };
}

describe("a log", () => {
  it("is one line of JSON for each fact, with level, time and what it is about", () => {
    const { log, lines } = logging("json");
    log.warn("two\nlines", { runId: "run_1", nodeId: "a", attempt: 2, traceId: undefined });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: "two\nlines",
      runId: "run_1",
      nodeId: "a",
      attempt: 2,
    });
  });

  it("is one readable line for each fact, which cannot move the cursor", () => {
    const { log, lines } = logging("text");
    log.info("run.started", { runId: "run_1", orgId: "o", traceId: "t", workflow: "w" });
    log.error("the disk is full\u001b[2J\nnow", { reason: "ENOSPC" });
    expect(lines).toEqual([
      "sluice: run_1: run.started (workflow: w)\n",
      "sluice: error: the disk is full\\u001b[2J now: ENOSPC\n",
    ]);
  });

  it("has what its level asks for, and no secret that is known", () => {
    const { log, lines } = logging("text", "warn");
    log.debug("a");
    log.info("b");
    log.warn("the password is hunter22");
    expect(lines).toEqual(["sluice: warn: the password is [redacted]\n"]);
    const silent = logging("text", "silent");
    silent.log.error("c");
    expect(silent.lines).toEqual([]);
  });

  it("names the run that a trouble is about", () => {
    const { log, lines } = logging("json");
    troubleLogger(log)("a timer of run run_7 could not be submitted", new Error("away"));
    troubleLogger(log)("a sweep failed", "away");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: "error", runId: "run_7", reason: "away" },
      { level: "error", msg: "a sweep failed", reason: "away" },
    ]);
  });
});
