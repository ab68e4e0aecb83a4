import { createSystemClock } from "../../src/clock/index.ts";
import { AuditTrail } from "../../src/audit/index.ts";
import { createAllowList, OutboundGuard } from "../../src/outbound/index.ts";
import { channelDeliveriesTo, channelTargets } from "../../src/outside/channel/index.ts";
import {
  type DeliveryNotice,
  noticeMessage,
  type OpenedDeliveries,
  openDeliveries,
  type TargetKind,
} from "../../src/outside/delivery/index.ts";
import type { NewDelivery } from "../../src/store/index.ts";
import { memberRecipients, serve } from "../../src/server/index.ts";
import { type Api, type ApiParts, createApi } from "../api/fixture.ts";
import { secretsOver } from "../secrets/secrets-over.ts";

/** A server that listens, with its channels; nothing is sent before a test says so. */
export interface Ground {
  readonly api: Api;
  readonly url: string;
  readonly troubles: string[];
  /** How far the clocks of server and database are ahead of the machine's. */
  ahead: number;
  /** Makes messages of what has happened, and sends what is due. */
  round(): Promise<void>;
  /** What channels are sent of something that neither a run nor the audit holds. */
  noticesOf(notice: DeliveryNotice): Promise<readonly NewDelivery[]>;
  /** From now on everything is sent by itself. */
  start(): void;
  /** Another process over the same store. */
  replica(): Promise<OpenedDeliveries>;
  seal(): Promise<void>;
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

export interface GroundParts extends Pick<ApiParts, "signIn"> {
  readonly slackUrl?: string;
  readonly consoleDirectory?: string;
}

export async function openGround({ slackUrl, consoleDirectory, signIn }: GroundParts = {}): Promise<Ground> {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const allow = createAllowList(["127.0.0.0/8"]);
  if (!allow.ok) throw new Error(allow.failure);
  const outbound = new OutboundGuard({ allow: allow.value });
  const config = {
    now,
    ...(slackUrl === undefined ? {} : { slackUrl }),
    ...(consoleDirectory === undefined ? {} : { consoleDirectory }),
  };
  const parts = { outbound, now, ...(signIn === undefined ? {} : { signIn }) };
  const api = await createApi(config, undefined, parts);
  const served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  const { store, gateways } = api;
  const clock = { ...createSystemClock(), now };
  const troubles: string[] = [];
  const open = (): TargetKind =>
    channelTargets({
      store,
      secrets: secretsOver(store, gateways.box, { now }),
      clock,
      reach: { allow: allow.value },
      publicUrl: () => served.url,
      recipients: memberRecipients(store, now),
      ...(slackUrl === undefined ? {} : { slackUrl }),
    });
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const kind = open();
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
    noticesOf: ({ orgId, type, key, at, data }) =>
      channelDeliveriesTo(kind, store, orgId, { message: noticeMessage(type, key, at, data), at, data }),
    async replica() {
      const other = openDeliveries({ store, kinds: [open()], clock, onTrouble });
      await other.round();
      return other;
    },
    start: () => deliveries.start(),
    async seal() {
      await trail.seal("default");
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
