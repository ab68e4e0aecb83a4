import { describe, expect, it } from "vitest";
import { originOf } from "./address-origin.ts";

describe("the origin of an address", () => {
  it.each([
    ["http://127.0.0.1:7717/api/workflow/step-complete", "http://127.0.0.1:7717"],
    ["https://sluice.example/base?x=1", "https://sluice.example"],
    ["HTTPS://Sluice.Example:443/", "https://sluice.example"],
  ])("of %s is %s", (url, origin) => {
    expect([originOf(url), originOf(url)]).toEqual([origin, origin]);
  });

  it.each(["", "sluice.example", "ftp://sluice.example/", "http://me@sluice.example/", "http://me:it@sluice.example/"])(
    "is none for %j",
    (url) => {
      expect([originOf(url), originOf(url)]).toEqual([null, null]);
    },
  );

  it("is right for any number of addresses, in any order", () => {
    const urls = Array.from({ length: 1_200 }, (_, index) => `http://h${index}.example/x`);
    for (const url of [...urls, ...urls.toReversed()]) expect(`${originOf(url)}/x`).toBe(url);
  });
});
