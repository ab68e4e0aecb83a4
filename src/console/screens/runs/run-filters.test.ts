import { describe, expect, it } from "vitest";
import { runsQuery } from "../../../contract/index.ts";
import { queryOf } from "../../live/run-list.ts";
import { chipsOf, FILTER_NAMES, filterOf } from "./run-filters.ts";

const inAddress = (search: string) => {
  const params = new URLSearchParams(search);
  return (name: string): string | null => params.get(name);
};

describe("filters of runs", () => {
  it("are those of the API, all of them", () => {
    const paging = new Set(["limit", "cursor"]);
    const known = Object.keys(runsQuery.shape).filter((name) => !paging.has(name));
    expect([...FILTER_NAMES].sort()).toEqual(known.sort());
  });

  it("become a request: what only the server can judge apart from what live messages hold", () => {
    const filter = filterOf(inAddress("q=503&status=failed&workflow=order&label=customer:4711,tier:gold&min_cost=0.5"));
    expect(filter).toEqual({
      status: "failed",
      workflow: "order",
      more: { q: "503", label: ["customer:4711", "tier:gold"], min_cost: 0.5 },
    });
    expect(queryOf(filter)).toMatchObject({ q: "503", status: "failed" });
    expect(filterOf(inAddress("status=nonsense"))).toEqual({});
  });

  it("are shown as chips with the words of the console", () => {
    expect(chipsOf(inAddress("since=7d&waiting_for=person&error=provider_error"))).toEqual([
      { name: "waiting_for", label: "Waiting for", text: "Waiting for a person" },
      { name: "since", label: "Created since", text: "Last 7 days" },
      { name: "error", label: "Error", text: "provider_error" },
    ]);
  });
});
