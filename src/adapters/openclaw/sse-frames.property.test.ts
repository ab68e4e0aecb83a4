import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readFrames } from "./sse-frames.ts";

async function framesOf(chunks: readonly Uint8Array[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const frames: string[] = [];
  for await (const frame of readFrames(body)) frames.push(frame);
  return frames;
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).sort((left, right) => left - right),
    bytes.length,
  ];
  return cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end));
}

it("reads the same frames however the bytes are cut, and never one that was cut off", async () => {
  const value = fc.record({ delta: fc.string({ unit: "binary" }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.constantFrom("\n", "\r\n"),
      async (values, places, newline) => {
        const texts = values.map((one) => JSON.stringify(one));
        const written = texts.map((text) => `event: x${newline}data: ${text}${newline}${newline}`).join("");
        const bytes = new TextEncoder().encode(`${written}: note${newline}data: cut off`);
        expect(await framesOf(cutAt(bytes, places))).toEqual(texts);
      },
    ),
    { numRuns: 200 },
  );
});

it("joins lines of data and takes those without a space", async () => {
  expect(await framesOf([new TextEncoder().encode("data:a\ndata: b\n\n\n\ndata: c\n\n")])).toEqual(["a\nb", "c"]);
});
