import { expect, it } from "vitest";
import { createApi, ORG } from "../../test/api/fixture.ts";
import type { Gateway } from "../client/index.ts";
import { OutboundGuard } from "../outbound/index.ts";
import { gatewayFinding } from "./doctor.ts";

it("names the flag for every gateway the server does not call, and only for those", async () => {
  const api = await createApi({}, undefined, { outbound: new OutboundGuard() });
  const body = { providers: ["ai-sdk"] };
  await api.store.putEntry(ORG, "gateway", "lab", { ...body, url: "http://10.1.2.3:7718" }, 1);
  await api.store.putEntry(ORG, "gateway", "far", { ...body, url: "https://93.184.215.14" }, 1);
  const listed = (await api.tell("GET", "gateways")).body as { data: readonly Gateway[] };
  await api.close();
  const flag = "start the server with --allow-outbound 10.1.2.3:7718, if it may call this address";
  const found = listed.data.map(gatewayFinding);
  expect(found.find(({ check }) => check === "gateway lab")).toMatchObject({ ok: false, fix: flag });
  expect(found.filter(({ fix }) => fix?.includes("--allow-outbound") === true)).toHaveLength(1);
});
