import { PeerAgent } from "../../src/outbound/index.ts";
import type { SecretBox } from "../../src/seal/index.ts";
import { openSources, Secrets } from "../../src/secrets/index.ts";
import type { Store } from "../../src/store/index.ts";

export interface SecretsParts {
  readonly isKeyed?: boolean;
  readonly variables?: Readonly<Record<string, string>>;
  readonly directory?: string;
  readonly agent?: PeerAgent;
  readonly now?: () => number;
}

/** The registered secrets of a store, as a server has them. */
export function secretsOver(store: Store, box: SecretBox, parts: SecretsParts = {}): Secrets {
  const { isKeyed = true, variables = {}, directory = null, agent = new PeerAgent(), now = Date.now } = parts;
  return new Secrets({ store, box, isKeyed, sources: openSources({ variables, directory, agent }), now });
}
