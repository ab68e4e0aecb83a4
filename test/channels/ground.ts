import { createSystemClock } from "../../src/clock/index.ts";
import { AuditTrail } from "../../src/audit/index.ts";
import { createAllowList, OutboundGuard } from "../../src/outbound/index.ts";
import { channelTargets, type Recipients } from "../../src/outside/channel/index.ts";
import { type OpenedDeliveries, openDeliveries } from "../../src/outside/delivery/index.ts";
import { memberRecipients, serve } from "../../src/server/index.ts";
import { type Api, createApi } from "../api/fixture.ts";

/** A server that listens, with its channels; nothing is sent before a test says so. */
export interface Ground {
  readonly api: Api;
  readonly url: string;
  readonly troubles: string[];
  /** How far the clocks of server and database are ahead of the machine's. */
  ahead: number;
  /** Makes messages of what has happened, and sends what is due. */
  round(): Promise<void>;
  put(name: string, spec: object): Promise<void>;
  deliveries(name: string): Promise<readonly Shown[]>;
  close(): Promise<void>;
}

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly recipient: string | null;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly nextAttemptAt: string | null;
}

export interface GroundParts {
  readonly recipients?: Recipients;
  readonly slackUrl?: string;
}

export async function openGround({ recipients, slackUrl }: GroundParts = {}): Promise<Ground> {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const allow = createAllowList(["127.0.0.0/8"]);
  if (!allow.ok) throw new Error(allow.failure);
  const outbound = new OutboundGuard({ allow: allow.value });
  const api = await createApi({ now, ...(slackUrl === undefined ? {} : { slackUrl }) }, undefined, { outbound, now });
  const served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  const { store, gateways } = api;
  const clock = { ...createSystemClock(), now };
  const troubles: string[] = [];
  const kind = channelTargets({
    store,
    box: gateways.box,
    clock,
    reach: { allow: allow.value },
    publicUrl: () => served.url,
    recipients: recipients ?? memberRecipients(store, now),
    ...(slackUrl === undefined ? {} : { slackUrl }),
  });
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const deliveries: OpenedDeliveries = openDeliveries({ store, kinds: [kind], clock, onTrouble });
  const trail = new AuditTrail({ store, now });
  return {
    api,
    url: served.url,
    troubles,
    get ahead() {
      return ahead;
    },
    set ahead(ms) {
      ahead = ms;
    },
    async round() {
      await trail.seal("default");
      // What the first look finds is fed by the second.
      await deliveries.round();
      await deliveries.round();
    },
    async put(name, spec) {
      const { status, body } = await api.request("PUT", `channels/${name}`, { body: spec });
      if (status > 201) throw new Error(JSON.stringify(body));
      await deliveries.round();
    },
    async deliveries(name) {
      const { body } = await api.request("GET", `channels/${name}/deliveries`);
      return body.data as readonly Shown[];
    },
    async close() {
      await deliveries.stop();
      await served.close(0);
      await api.close();
    },
  };
}
