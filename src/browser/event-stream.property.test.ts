import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEventStream } from "./event-stream.ts";

function streamOf(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return new ReadableStream({
    start(controller) {
      for (const [index, place] of places.entries()) controller.enqueue(bytes.slice(places[index - 1] ?? 0, place));
      controller.close();
    },
  });
}

async function dataOf(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const data of readEventStream(stream)) found.push(data);
  return found;
}

describe("a stream of messages", () => {
  it("is read the same wherever it is cut", async () => {
    const data = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    const end = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(
        fc.array(data, { maxLength: 6 }),
        end,
        fc.array(fc.nat(), { maxLength: 8 }),
        async (list, eol, cuts) => {
          const text = list.map((one) => `: note${eol}event: x${eol}data: ${one}${eol}${eol}`).join("");
          expect(await dataOf(streamOf(new TextEncoder().encode(`${text}data: unfinished`), cuts))).toEqual(list);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("joins the lines of one message, and takes what has no space after the colon", async () => {
    const bytes = new TextEncoder().encode("data:a\ndata: b\n\nid: 7\n\n\ndata\n\n");
    expect(await dataOf(streamOf(bytes, []))).toEqual(["a\nb"]);
  });

  it("is closed when its reader stops", async () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("data: x\n\n")),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const data of readEventStream(stream)) {
      expect(data).toBe("x");
      break;
    }
    expect(isCancelled).toBe(true);
  });
});
