import { type Clock, Rounds } from "../clock/index.ts";
import { type PeerAgent, requestPeer } from "../outbound/index.ts";
import type { GatewayStatus, GatewayStore } from "../store/index.ts";
import type { GatewayDirectory } from "./directory.ts";
import type { GatewayView } from "./gateway-view.ts";

export interface HealthOptions {
  readonly directory: GatewayDirectory;
  readonly store: Pick<GatewayStore, "setGatewayStatus">;
  readonly clock: Clock;
  /** Default: the connections of the process, which no outbound guard checks. */
  readonly agent?: PeerAgent;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const PING_MS = 60_000;
const PING_TIMEOUT_MS = 5_000;
const MISSED_MAX = 3;
const BYTES_MAX = 1_048_576;

/** Checks every Bridge once a minute. After three checks without an answer a Bridge is offline. */
export class GatewayHealth {
  readonly #options: HealthOptions;
  readonly #missed = new Map<string, number>();
  readonly #rounds: Rounds;

  constructor(options: HealthOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new Rounds({
      clock,
      everyMs: PING_MS,
      round: () => this.#pingAll(),
      onTrouble: (error) => onTrouble("the gateways' health could not be kept", error),
    });
  }

  start(): void {
    this.#rounds.start(PING_MS);
  }

  stop(): void {
    void this.#rounds.stop();
  }

  async #pingAll(): Promise<void> {
    const asked = this.#options.directory.all().filter(({ isLocal, url }) => !isLocal && url !== "");
    await Promise.all(asked.map((gateway) => this.ping(gateway)));
  }

  /** Checks one Bridge. An answer takes effect immediately, a missing answer only the third time. */
  async ping(gateway: GatewayView): Promise<void> {
    const { directory, store, clock, agent } = this.#options;
    // The refusal makes it offline for this server. Storing that shows it in alerts and the history.
    if (gateway.refusal !== undefined) {
      await store.setGatewayStatus(gateway.orgId, gateway.id, "offline", clock.now());
      return;
    }
    const key = `${gateway.orgId}/${gateway.id}`;
    const token = directory.dispatchToken(gateway.orgId, gateway.id);
    const reply = await requestPeer(`${gateway.url}/health`, {
      method: "GET",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      timeoutMs: PING_TIMEOUT_MS,
      bytesMax: BYTES_MAX,
      ...(agent === undefined ? {} : { agent }),
    });
    // An answer from a proxy in place of a missing Bridge does not count as an answer.
    const reported = reply.ok ? statusIn(reply.text, reply.status) : null;
    const before = this.#missed.get(key) ?? 0;
    // The Bridge has registered again since, so it gets three checks again.
    const isBack = before >= MISSED_MAX && gateway.status !== "offline";
    const missed = reported !== null ? 0 : isBack ? 1 : before + 1;
    this.#missed.set(key, missed);
    const status = reported ?? (missed >= MISSED_MAX ? "offline" : null);
    if (status !== null && status !== gateway.status) {
      await store.setGatewayStatus(gateway.orgId, gateway.id, status, clock.now());
      await directory.refresh(gateway.orgId);
    }
  }
}

/** Returns the reported status. A Bridge that answers without a readable status is degraded. */
function statusIn(text: string, code: number): GatewayStatus | null {
  try {
    const { status } = JSON.parse(text) as { readonly status?: unknown };
    if (status === "healthy" || status === "degraded" || status === "offline") return status;
  } catch {
    // The answer is not JSON, so it is not from a Bridge.
  }
  return code >= 500 ? null : "degraded";
}
