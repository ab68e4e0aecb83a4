import { expect, it } from "vitest";
import { createApi, ORG } from "../../test/api/fixture.ts";
import type { Gateway } from "../client/index.ts";
import { createAllowList, OutboundGuard } from "../outbound/index.ts";
import { gatewayFinding } from "./gateway-findings.ts";

it("names the flag for every gateway the server does not call, and only for those", async () => {
  const allow = createAllowList(["127.9.0.0/16"]);
  if (!allow.ok) throw new Error(allow.failure);
  const api = await createApi({}, undefined, { outbound: new OutboundGuard({ allow: allow.value }) });
  const body = { providers: ["ai-sdk"] };
  await api.store.putEntry(ORG, "gateway", "lab", { ...body, url: "http://127.0.0.1:7718" }, 1);
  await api.store.putEntry(ORG, "gateway", "far", { ...body, url: "http://127.9.0.1:7718" }, 1);
  const listed = (await api.request("GET", "gateways")).body as { data: readonly Gateway[] };
  await api.close();
  const flag = "start the server with --allow-outbound 127.0.0.1:7718, if it may call this address";
  const found = listed.data.map(gatewayFinding);
  expect(found.find(({ check }) => check === "gateway lab")).toMatchObject({ ok: false, fix: flag });
  expect(found.filter(({ fix }) => fix?.includes("--allow-outbound") === true)).toHaveLength(1);
});
