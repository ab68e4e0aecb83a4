import { describe, expect, it } from "vitest";
import { placeOf, readPages } from "./page.ts";
import { isAsShown, isPerformed, perform } from "./transcript.ts";

/** The longest page starts a server three times and waits for what it does. */
const PATIENCE = { timeout: 240_000 };

describe("pages that show commands with their answers", () => {
  it.each(readPages().filter(isPerformed))("$path: every command answers what is shown", PATIENCE, async (page) => {
    await perform(page, ({ block, command, shown, said }) => {
      const isTrue = shown === "" ? true : isAsShown(said, shown);
      // Shown as a difference of two texts, so that the page can be mended from it.
      if (!isTrue) expect(said, `${placeOf(block)}: ${command}`).toBe(shown);
    });
  });
});

describe("what is shown and what is said", () => {
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
    const said = '{"id":"run_1","status":"completed","nodes":[{"id":"a","cost":3}]}';
    expect(isAsShown(said, '{"status": "completed", "id": "run_…"}')).toBe(true);
    expect(isAsShown(said, '{"nodes": [{"id": "a"}]}')).toBe(true);
    expect(isAsShown(said, '{"nodes": []}')).toBe(false);
    expect(isAsShown(said, '{"status": "failed"}')).toBe(false);
    expect(isAsShown(said, '{"costs": 3}')).toBe(false);
  });
});
