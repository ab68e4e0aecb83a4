import { describe, expect, it } from "vitest";
import { ApiError, type Gateway } from "../client/index.ts";
import { gatewayFindings } from "./gateway-findings.ts";

const gateway = (status: Gateway["status"], url: string | null = "http://lab:7718"): Gateway =>
  ({ id: "lab", status, url, seenAt: null }) as Gateway;

const server = (listed: readonly Gateway[] | Error, publicUrl: string | null = null) => ({
  url: "http://here",
  listGateways: () => (listed instanceof Error ? Promise.reject(listed) : Promise.resolve({ data: listed })),
  getPublicUrl: () => Promise.resolve(publicUrl),
});

describe("what doctor finds about Bridges", () => {
  it("is nothing where only the server itself executes", async () => {
    expect(await gatewayFindings(server([gateway("healthy", null)]))).toEqual([]);
  });

  it("is in order only when they are healthy and one address is set for all replicas", async () => {
    expect((await gatewayFindings(server([gateway("healthy")], "https://all"))).map(({ ok }) => ok)).toEqual([
      true,
      true,
    ]);
    const [healthy, address] = await gatewayFindings(server([gateway("healthy")]));
    expect(healthy?.ok).toBe(true);
    expect(address).toMatchObject({ ok: null, fix: expect.stringContaining("the same --public-url") });
  });

  it("is wrong when one is offline, and open when it is not known to be well", async () => {
    expect(await gatewayFindings(server([gateway("offline")]))).toMatchObject([
      {
        ok: false,
        detail: "offline at http://lab:7718; it was never seen",
        fix: expect.stringContaining("sluice bridge"),
      },
      {},
    ]);
    expect((await gatewayFindings(server([gateway("degraded")])))[0]).toMatchObject({ ok: null });
  });

  it("is open when the key may not see them, and wrong when the answer breaks", async () => {
    const forbidden = new ApiError({ code: "forbidden" }, { status: 403 });
    expect(await gatewayFindings(server(forbidden))).toMatchObject([{ check: "gateways", ok: null }]);
    const broken = new ApiError({ code: "broken_answer", detail: "half" }, { status: 200 });
    expect(await gatewayFindings(server(broken))).toMatchObject([
      { ok: false, exitCode: 5, detail: "http://here: half" },
    ]);
  });
});
