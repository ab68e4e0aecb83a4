import { beforeAll, describe, expect, it } from "vitest";
import { buildConsoleIfStale } from "../../scripts/checkout.mjs";
import { placeOf, readPages } from "./page.ts";
import { isAsShown, isPerformed, perform } from "./transcript.ts";

/** The longest page starts a server three times and waits for what it does. */
const PATIENCE = { timeout: 600_000 };

describe("pages that show commands with their answers", () => {
  // The tutorial shows the link that opens the console, which `sluice up` prints only where the console is built.
  beforeAll(() => buildConsoleIfStale(), PATIENCE.timeout);

  it.each(readPages().filter(isPerformed))("$path: every command answers what is shown", PATIENCE, async (page) => {
    await perform(page, ({ block, command, shown, printed }) => {
      const isTrue = shown === "" ? true : isAsShown(printed, shown);
      // Shown as a difference of two texts, from which the page can be fixed.
      if (!isTrue) expect(printed, `${placeOf(block)}: ${command}`).toBe(shown);
    });
  });
});

describe("the shown and the real output", () => {
  it("are the same, but for what is left open", () => {
    expect(isAsShown("✓ greet 20 ms\n", "✓ greet … ms")).toBe(true);
    expect(isAsShown("✓ greet 1.2 s", "✓ greet … ms")).toBe(true);
    expect(isAsShown("✓ greet 20 ms", "✓ greet")).toBe(false);
    expect(isAsShown("a\nb\nc", "a\n…\nc")).toBe(true);
    expect(isAsShown("a\nb\nc", "a\n…\nd")).toBe(false);
    expect(isAsShown("NODE   STATUS\na      done", "NODE  STATUS\na     done")).toBe(true);
    expect(isAsShown("NODE STATUS", "NODESTATUS")).toBe(false);
  });

  it("may show a part of an answer in JSON, and nothing that is not in it", () => {
    const printed = '{"id":"run_1","status":"completed","nodes":[{"id":"a","cost":3}]}';
    expect(isAsShown(printed, '{"status": "completed", "id": "run_…"}')).toBe(true);
    expect(isAsShown(printed, '{"nodes": [{"id": "a"}]}')).toBe(true);
    expect(isAsShown(printed, '{"nodes": []}')).toBe(false);
    expect(isAsShown(printed, '{"status": "failed"}')).toBe(false);
    expect(isAsShown(printed, '{"costs": 3}')).toBe(false);
  });
});
