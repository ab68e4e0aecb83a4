import { describe, expect, it } from "vitest";
import { ApiError, type Registered } from "../client/index.ts";
import { policyFindings } from "./policy-findings.ts";

const policy = (id: string, condition: string): Registered =>
  ({ id, condition, category: "guardrail" }) as unknown as Registered;

const server = (...pages: (readonly Registered[] | Error)[]) => ({
  url: "http://here",
  listRegistered: (_collection: string, { cursor = "0" }: { cursor?: string } = {}) => {
    const page = pages[Number(cursor)];
    if (page === undefined || page instanceof Error) return Promise.reject(page ?? new Error("there is no such page"));
    const next = Number(cursor) + 1;
    return Promise.resolve({ data: page, ...(next < pages.length ? { nextCursor: String(next) } : {}) });
  },
});

describe("what doctor finds about policies", () => {
  it("is nothing where every condition can be decided", async () => {
    expect(await policyFindings(server([policy("money", "node.action == 'financial'")]))).toEqual([]);
  });

  it("is every one that was saved on a fact that does not exist, on every page of the list", async () => {
    const found = await policyFindings(
      server([policy("fine", "true")], [policy("never", "node.estimated_cots > 3"), policy("torn", "node.action ==")]),
    );
    expect(found.map(({ check, ok }) => [check, ok])).toEqual([
      ["policy never", false],
      ["policy torn", false],
    ]);
    expect(found[0]?.detail).toContain("node.estimated_cots");
  });

  it("is open when the key may not see them, and wrong when the answer breaks", async () => {
    expect(await policyFindings(server(new ApiError({ code: "forbidden" }, { status: 403 })))).toMatchObject([
      { check: "policies", ok: null },
    ]);
    const broken = new ApiError({ code: "broken_answer", detail: "half" }, { status: 200 });
    expect(await policyFindings(server(broken))).toMatchObject([{ ok: false, exitCode: 5 }]);
  });
});
