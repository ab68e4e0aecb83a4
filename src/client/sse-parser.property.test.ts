import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SseParser } from "./sse-parser.ts";

describe("the parser of streams", () => {
  it("reads the same wherever the text is cut", () => {
    const text =
      'retry: 2000\n\n: heartbeat\n\nid: 1\r\nevent: a\r\ndata: {"x":"data: y"}\r\n\r\nid: 2\rdata: one\rdata: two\r\rdata:\n\nid\n\n';
    const expected = new SseParser().take(`${text}\n`);
    expect(expected).toEqual([
      { id: "1", event: "a", data: '{"x":"data: y"}' },
      { id: "2", event: "message", data: "one\ntwo" },
      { id: "2", event: "message", data: "" },
    ]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (cuts) => {
        const places = [0, ...cuts.sort((left, right) => left - right), text.length];
        const parser = new SseParser();
        const found = places.flatMap((place, index) =>
          parser.take(text.slice(place, places[index + 1] ?? text.length)),
        );
        expect([...found, ...parser.take("\n")]).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});
