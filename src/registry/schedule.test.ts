import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/base/index.ts";
import { scheduleOf } from "./schedule.ts";

const entry = (body: JsonObject) => ({ id: "nightly", revision: 1, body, createdAt: 1, updatedAt: 1, savedBy: null });

describe("a schedule as it was registered", () => {
  it("is read with its defaults", () => {
    const cron = { minutes: [0], hours: [9], isEitherDay: false };
    expect(scheduleOf(entry({ workflow: "report", cron: "0 9 * * *" }))).toMatchObject({
      origin: "schedule",
      name: "nightly",
      workflow: "report",
      on: { kind: "schedule", timing: { kind: "cron", cron, timezone: "UTC" }, overlap: "skip", missed: "skip" },
      args: {},
      isEnabled: true,
    });
  });

  it("is due evenly with an interval, and its args are no templates", () => {
    const body = { workflow: "report", every_seconds: 30, cron: null, args: { a: "${body.x}" }, enabled: false };
    expect(scheduleOf(entry(body))).toMatchObject({
      on: { timing: { kind: "interval", everySeconds: 30 } },
      args: { a: { kind: "literal", value: "${body.x}" } },
      isEnabled: false,
    });
  });

  it("that makes no sense any more reports why", () => {
    expect(() => scheduleOf(entry({ workflow: "report", cron: "0 9" }))).toThrow("2 parts instead of 5");
    expect(() => scheduleOf(entry({ workflow: "report" }))).toThrow("its cron cannot be read");
  });
});
