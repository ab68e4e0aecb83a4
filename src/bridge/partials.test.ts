import { describe, expect, it } from "vitest";
import { createPartialBatcher } from "./partials.ts";
import { createVirtualClock } from "../clock/index.ts";

interface Sent {
  readonly at: number;
  readonly texts: readonly (string | undefined)[];
}

function setUp() {
  const clock = createVirtualClock(0);
  const sent: Sent[] = [];
  const indices: number[] = [];
  const batcher = createPartialBatcher(clock, (deltas) => {
    indices.push(...deltas.map(({ index }) => index));
    sent.push({ at: clock.now(), texts: deltas.map(({ text }) => text) });
  });
  return { clock, sent, indices, batcher };
}

describe("partial batcher", () => {
  it("sends the first piece at once and joins what follows within 50 ms", async () => {
    const { clock, sent, indices, batcher } = setUp();
    batcher.add({ text: "a" });
    batcher.add({ text: "b" });
    batcher.add({ text: "c" });
    await clock.run(() => sent.length === 2);
    expect(sent).toEqual([
      { at: 0, texts: ["a"] },
      { at: 50, texts: ["bc"] },
    ]);
    expect(indices).toEqual([0, 1]);
  });

  it("sends at most 20 batches a second, and fewer after a thousand", async () => {
    const { clock, sent, batcher } = setUp();
    let isOver = false;
    const speak = (left: number): void => {
      if (left === 0) {
        isOver = true;
        return;
      }
      batcher.add({ text: "x" });
      clock.after(5, () => speak(left - 1));
    };
    speak(12_000);
    await clock.run(() => isOver);
    batcher.flush();
    const within = (from: number, to: number): number => sent.filter(({ at }) => at >= from && at < to).length;
    expect(within(0, 1_000)).toBe(20);
    expect(within(10_000, 11_000)).toBe(20);
    expect(within(55_000, 56_000)).toBe(2);
    expect(sent.flatMap(({ texts }) => texts).join("")).toHaveLength(12_000);
  });

  it("keeps media apart from text and in order", () => {
    const { sent, indices, batcher } = setUp();
    batcher.add({ text: "first" });
    batcher.add({ text: "see " });
    batcher.add({ media: { url: "https://example.org/a.png", mime: "image/png" } });
    batcher.add({ text: "there" });
    batcher.flush();
    expect(sent[1]?.texts).toEqual(["see ", undefined, "there"]);
    expect(indices).toEqual([0, 1, 2, 3]);
  });

  it("never cuts a character in two, and repairs what cannot be stored", () => {
    const { sent, batcher } = setUp();
    batcher.add({ text: "\ud83d" });
    batcher.add({ text: "\ude00 ok \u0000" });
    batcher.flush();
    expect(sent.flatMap(({ texts }) => texts).join("")).toBe("\ud83d\ude00 ok \ufffd");
  });

  it("sends half a character when nothing more comes", () => {
    const { sent, batcher } = setUp();
    batcher.add({ text: "a\ud83d" });
    batcher.flush();
    expect(sent.flatMap(({ texts }) => texts)).toEqual(["a", "\ufffd"]);
  });

  it("sends nothing once closed", async () => {
    const { clock, sent, batcher } = setUp();
    batcher.add({ text: "a" });
    batcher.add({ text: "b" });
    batcher.close();
    batcher.add({ text: "c" });
    batcher.flush();
    expect(await clock.run(() => false)).toBe(false);
    expect(sent).toHaveLength(1);
  });
});
