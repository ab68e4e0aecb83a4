import { randomBytes } from "node:crypto";
import type { Clock } from "../clock/index.ts";
import { type OutboundGuard, PeerAgent } from "../outbound/index.ts";
import type { GatewayStore, RegistryStore } from "../store/index.ts";
import { GatewayDirectory } from "./directory.ts";
import type { LocalGateway } from "./gateway-view.ts";
import { GatewayHealth } from "./health.ts";
import { createSecretBox, type SecretBox } from "../seal/index.ts";
import { Tickets } from "./ticket.ts";

export interface GatewaysOptions {
  readonly store: RegistryStore & GatewayStore;
  readonly clock: Clock;
  /** Seals the tokens that must be read again. Null: a key of the installation's own, kept beside what it seals. */
  readonly secretKey: string | null;
  /** Keys before it; what they sealed is opened, too. */
  readonly formerKeys?: readonly string[];
  readonly local: LocalGateway | null;
  /** Which URLs of gateways may be saved and called. Default: any; a server always has one. */
  readonly outbound?: OutboundGuard | null;
  /** How long a Bridge that has gone is waited for; absent: half a minute. */
  readonly graceMs?: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface OpenedGateways {
  readonly directory: GatewayDirectory;
  readonly tickets: Tickets;
  /** For whatever else must be kept and read again. */
  readonly box: SecretBox;
  /** Whether the key was given, and is not the installation's own. */
  readonly isKeyed: boolean;
  readonly outbound: OutboundGuard | null;
  /** Where Bridges and services outside reach this installation; empty until that is known. */
  publicUrl: string;
  start(): void;
  stop(): void;
}

/** Everything of the engine's side of the wire, over a store whose schema is current. */
export async function openGateways({
  store,
  clock,
  secretKey,
  formerKeys = [],
  local,
  outbound = null,
  graceMs,
  onTrouble,
}: GatewaysOptions): Promise<OpenedGateways> {
  const sealing = secretKey ?? (await store.ensureSecret("secret_box", newSecret()));
  const tickets = new Tickets(await store.ensureSecret("tickets", newSecret()));
  const box = createSecretBox(sealing, formerKeys);
  const grace = graceMs === undefined ? {} : { graceMs };
  const directory = new GatewayDirectory({ store, box, clock, local, outbound, ...grace, onTrouble });
  const agent = new PeerAgent(outbound);
  const health = new GatewayHealth({ directory, store, clock, agent, onTrouble });
  return {
    directory,
    tickets,
    box,
    isKeyed: secretKey !== null,
    outbound,
    publicUrl: "",
    start() {
      directory.start();
      health.start();
    },
    stop() {
      directory.stop();
      health.stop();
      agent.close();
    },
  };
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
