import { expect } from "vitest";
import type { DispatchBody } from "../../src/bridge/index.ts";
import type { RunEvent } from "../../src/core/event/index.ts";
import { type FakeBridge, openFakeBridge, until } from "../gateway/fake-bridge.ts";
import { type Answer, type Api, createApi, ORG } from "./fixture.ts";

const TOKEN = "cbt_of_the_edge_gateway";

const DESK = `name: desk
steps:
  - {id: help, agent: clerk, command: "Pay back.", tools: [{name: find_order, action: read}, {name: refund, action: financial}]}
`;

const POLICY = {
  category: "tool",
  condition: "tool.name == 'refund' and tool.args.amount > 100",
  action: "require_approval",
  reason: "much money",
};

/** A server, and a Bridge that someone else has written: what it reports is what a test posts. */
export class Desk {
  readonly api: Api;
  readonly #bridge: FakeBridge;

  static async open(): Promise<Desk> {
    const bridge = await openFakeBridge();
    const api = await createApi({}, undefined, { isRemote: true });
    const desk = new Desk(api, bridge);
    const edge = { url: bridge.url, providers: ["mine"], default_provider: "mine", default: true };
    await desk.put("gateways/edge", { ...edge, callback_token: TOKEN, dispatch_token: "dsp_of_the_edge" });
    await desk.put("agents/clerk", { trust_level: 8, autonomy: "bounded" });
    await desk.put("policies/refunds", POLICY);
    await api.save(DESK);
    return desk;
  }

  private constructor(api: Api, bridge: FakeBridge) {
    this.api = api;
    this.#bridge = bridge;
  }

  async put(path: string, body: object): Promise<void> {
    expect((await this.api.request("PUT", path, { body })).status, path).toBeLessThan(300);
  }

  post(path: string, body: unknown): Promise<Answer> {
    const headers = { "x-gateway-token": TOKEN };
    return this.api.request("POST", `/api/workflow/${path}`, { key: null, body, headers });
  }

  async dispatched(runId: string, segment = 0): Promise<DispatchBody> {
    const find = (): DispatchBody | undefined =>
      this.#bridge.asked
        .flatMap(({ dispatches }) => dispatches)
        .find((one) => one.runId === runId && (one.segment ?? 0) === segment);
    await until(() => find() !== undefined);
    return find() as DispatchBody;
  }

  async begin(workflow = "desk"): Promise<DispatchBody> {
    const { status, body } = await this.api.request("POST", "runs", { body: { workflow } });
    expect(status).toBe(201);
    return this.dispatched(body.id);
  }

  eventsOf(runId: string): Promise<readonly RunEvent[]> {
    return this.api.store.readEvents(ORG, runId, 0, 10_000);
  }

  async statusOf(runId: string): Promise<string> {
    return (await this.api.request("GET", `runs/${runId}`)).body.status;
  }

  async ended(runId: string): Promise<void> {
    await until(async () => (await this.statusOf(runId)) === "completed");
  }

  async close(): Promise<void> {
    await this.api.close();
    await this.#bridge.close();
  }
}

export function replied({ status, body }: Answer): unknown {
  return [status, body.code ?? body];
}
