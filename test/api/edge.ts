import { type FakeBridge, openFakeBridge } from "../gateway/fake-bridge.ts";
import { type Api, createApi } from "./fixture.ts";

export const EDGE_TOKEN = "cbt_of_the_edge_gateway";

/** The Bridge, as the gateway that takes everything. */
export const edgeOf = ({ url }: FakeBridge) =>
  ({ url, providers: ["ai-sdk"], default_provider: "ai-sdk", default: true }) as const;

/** An API whose work goes to a Bridge, registered as the gateway `edge`. */
export async function openEdge(): Promise<{ readonly api: Api; readonly bridge: FakeBridge }> {
  const bridge = await openFakeBridge();
  const api = await createApi({}, undefined, { isRemote: true });
  const body = { ...edgeOf(bridge), callback_token: EDGE_TOKEN, dispatch_token: "dsp_of_the_edge" };
  const { status } = await api.request("PUT", "gateways/edge", { body });
  if (status !== 200) throw new Error("edge was not registered");
  return { api, bridge };
}
