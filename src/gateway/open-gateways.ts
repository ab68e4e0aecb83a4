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
  /** Key that seals tokens which must be readable again. Null for a key of the installation, stored beside the sealed data. */
  readonly secretKey: string | null;
  /** Earlier keys, which still open data sealed with them. */
  readonly formerKeys?: readonly string[];
  readonly local: LocalGateway | null;
  /** Decides which gateway URLs may be saved and called. Default: any. A server always sets it. */
  readonly outbound?: OutboundGuard | null;
  /** How long to wait for an offline Bridge; 30 seconds when absent. */
  readonly graceMs?: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface OpenedGateways {
  readonly directory: GatewayDirectory;
  readonly tickets: Tickets;
  /** Seals other data that must be readable again. */
  readonly box: SecretBox;
  /** Whether the operator set the key, instead of the installation generating it. */
  readonly isKeyed: boolean;
  readonly outbound: OutboundGuard | null;
  /** Base URL under which Bridges and outside services reach this installation; empty until it is known. */
  publicUrl: string;
  start(): void;
  stop(): void;
}

/** Opens the engine's side of the Bridge protocol, over a store whose schema is current. */
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
