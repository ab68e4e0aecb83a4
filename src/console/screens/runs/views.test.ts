import { describe, expect, it } from "vitest";
import { searchOf, viewQuery } from "./views.ts";

describe("saved views", () => {
  it("keep the filters of an address, and lead back to them", () => {
    const search = "status=failed&q=503&min_cost=0.5&label=customer%3A4711%2Ctier%3Agold";
    const query = viewQuery(`${search}&group=error`);
    expect(query).toEqual({ status: "failed", q: "503", min_cost: 0.5, label: ["customer:4711", "tier:gold"] });
    expect(Object.fromEntries(new URLSearchParams(searchOf({ query })))).toEqual(
      Object.fromEntries(new URLSearchParams(search)),
    );
  });
});
