import { describe, expect, it } from "vitest";
import type { SluiceClient } from "../../client/index.ts";
import { namedObjects, waitingApprovals } from "./palette-objects.ts";
import { routeOf } from "./routes.ts";

/** A server with one object of each collection, two pages of policies, and no leave to read keys. */
const api = {
  listRegistered: (collection: string, { cursor }: { cursor?: string } = {}) => {
    if (collection === "policies" && cursor === undefined)
      return Promise.resolve({ data: [{ id: "no-spending" }], nextCursor: "2" });
    return Promise.resolve({ data: [{ id: `my ${collection}` }] });
  },
  listGateways: () => Promise.resolve({ data: [{ id: "local" }] }),
  listKeys: () => Promise.reject(new Error("not permitted")),
  listApprovals: () => Promise.resolve({ data: [{ id: "apr_1", title: "pay waits for approval" }] }),
} as unknown as SluiceClient;

describe("what the palette finds", () => {
  it("is every object there is, each at an address of the console", async () => {
    const found = [...(await namedObjects(api)), ...(await waitingApprovals(api))];
    const kinds = [...new Set(found.map(({ kind }) => kind))].toSorted();
    expect(kinds).toEqual(
      [
        [
          "Agent",
          "Alert",
          "Approval",
          "Budget",
          "Channel",
          "Credit plan",
          "Deployment",
          "Function",
          "Gateway",
          "Grant",
          "Lens",
          "Library step",
        ],
        ["Model", "Policy", "Retention", "Role binding", "Schedule", "Secret", "Team", "Tool", "Trigger", "Webhook"],
      ].flat(),
    );
    for (const { path } of found) expect(routeOf(path.split("?")[0] ?? "")).not.toBeNull();
  });

  it("reads every page, and leaves out what may not be read", async () => {
    const found = await namedObjects(api);
    expect(found.filter(({ kind }) => kind === "Policy").map(({ label, path }) => [label, path])).toEqual([
      ["no-spending", "/governance/policies/no-spending"],
      ["my policies", "/governance/policies/my%20policies"],
    ]);
    expect(found.some(({ kind }) => kind === "Key")).toBe(false);
  });
});
