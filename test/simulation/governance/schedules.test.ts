import { describe, expect, it } from "vitest";
import { commandFor } from "./main.ts";
import { playGoverned } from "./play.ts";
import type { PlayReport } from "./play-report.ts";

const SCHEDULES = 120;
/** Far beyond what it takes; a slow machine must not make it fail. */
const TIMEOUT_MS = 600_000;

describe("governed runs", { timeout: TIMEOUT_MS }, () => {
  it(`keep every limit at every commit and every account to the last micro-dollar, in ${SCHEDULES} schedules`, async () => {
    const reports: PlayReport[] = [];
    for (let seed = 0; seed < SCHEDULES; seed += 1) {
      const report = await playGoverned(seed);
      if (report.violation !== null) throw new Error(`${report.violation.message}\n${commandFor(seed)}`);
      reports.push(report);
    }
    // Schedules in which nothing happened would prove nothing.
    const sum = (of: (report: PlayReport) => number): number =>
      reports.reduce((total, report) => total + of(report), 0);
    expect(sum(({ starts }) => starts)).toBeGreaterThan(5 * SCHEDULES);
    expect(sum(({ waits }) => waits)).toBeGreaterThan(2 * SCHEDULES);
    expect(sum(({ answers }) => answers)).toBeGreaterThan(SCHEDULES / 5);
    expect(sum(({ micros }) => micros)).toBeGreaterThan(1_000 * SCHEDULES);
    expect(sum(({ bounded }) => bounded)).toBeGreaterThan(SCHEDULES / 2);
    expect(sum(({ lateReports }) => lateReports)).toBeGreaterThan(SCHEDULES / 20);
  });

  it("go the same way every time", async () => {
    for (const seed of [3, 9, 26]) expect((await playGoverned(seed)).trace).toBe((await playGoverned(seed)).trace);
  });
});
