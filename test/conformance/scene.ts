import { afterEach, beforeEach, expect } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { type Answer, type Api, createApi } from "../api/fixture.ts";

/** One event as clients see it. */
export interface ClientEvent {
  readonly eventId: number;
  readonly type: string;
  readonly payload: ReturnType<typeof JSON.parse>;
}

/** A server with what is registered in it, and runs that are looked at from outside only. */
export class Scene {
  readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }

  static async open(script = "default: echo\n"): Promise<Scene> {
    return new Scene(await createApi({}, script));
  }

  /** `put("teams/crew", {…})`; whatever is wrong with it is an error here. */
  async put(path: string, spec: JsonObject): Promise<void> {
    const { status, body } = await this.api.request("PUT", path, { body: spec });
    if (status > 201) throw new Error(`${path} was not registered: ${JSON.stringify(body)}`);
  }

  /** Agents of full autonomy, so that only what a test is about can stop them. */
  async agents(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.put(`agents/${id}`, { trust_level: 5, autonomy: "bounded" });
  }

  /** A text, or a lens graph as JSON. */
  async save(source: string | (JsonObject & { readonly name: string })): Promise<void> {
    if (typeof source === "string") return this.api.save(source);
    await this.put(`workflows/${source.name}`, { source: JSON.stringify(source, null, 2) });
  }

  post(path: string, body: object = {}): Promise<Answer> {
    return this.api.request("POST", path, { body });
  }

  /** The id of a run that has come to rest. */
  async run(workflow: string, more: object = {}): Promise<string> {
    const { status, body } = await this.post("runs", { workflow, ...more });
    if (status !== 201) throw new Error(`not started: ${JSON.stringify(body)}`);
    await this.api.settle(body.id);
    return body.id;
  }

  async get(path: string): Promise<Answer["body"]> {
    const { status, body } = await this.api.request("GET", path);
    if (status !== 200) throw new Error(`GET ${path}: ${JSON.stringify(body)}`);
    return body;
  }

  async statuses(runId: string): Promise<Record<string, string>> {
    const { nodeResults } = await this.get(`runs/${runId}/state`);
    return Object.fromEntries(nodeResults.map((one: { nodeId: string; status: string }) => [one.nodeId, one.status]));
  }

  async result(runId: string, nodeId: string): Promise<Answer["body"]> {
    const { nodeResults } = await this.get(`runs/${runId}/state`);
    return nodeResults.find((one: { nodeId: string }) => one.nodeId === nodeId);
  }

  async events(runId: string, type?: string, nodeId?: string): Promise<ClientEvent[]> {
    const found: ClientEvent[] = [];
    for (let after = 0; ;) {
      const page = await this.get(`runs/${runId}/events?afterEventId=${after}&limit=100`);
      found.push(...page.data);
      if (page.nextCursor === undefined) break;
      after = Number(page.nextCursor);
    }
    return found.filter(
      (event) =>
        (type === undefined || event.type === type) && (nodeId === undefined || event.payload.nodeId === nodeId),
    );
  }

  /** Who took each attempt of a node, in order. */
  async takers(runId: string, nodeId: string): Promise<string[]> {
    return (await this.events(runId, "node.started", nodeId)).map(({ payload }) => payload.agentId);
  }

  /** Answers the one approval that is open, and waits until the run rests again. */
  async answer(runId: string, decision: string, more: object = {}): Promise<Answer> {
    const { data } = await this.get("approvals?status=pending");
    const [open] = data.filter((one: { runId: string }) => one.runId === runId);
    const answer = await this.post(`approvals/${open.id}/resolve`, { decision, ...more });
    await this.api.settle(runId);
    return answer;
  }

  async close(): Promise<void> {
    await this.api.close();
  }
}

/** Opens a scene before each test of the file; after the test it must have had no troubles, and is closed. */
export function sceneForEach(script: string | undefined, take: (scene: Scene) => Promise<void>): void {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.open(script);
    await take(scene);
  });

  afterEach(async () => {
    expect(scene.api.troubles).toEqual([]);
    await scene.close();
  });
}
