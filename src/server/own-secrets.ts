import { PeerAgent } from "../outbound/index.ts";
import { openSources, Secrets } from "../secrets/index.ts";
import type { Store } from "../store/index.ts";
import type { Gateways } from "./route.ts";

/** Creates the registered secrets for an app without the option: they can use no variables and no files. */
export function ownSecrets(store: Store, { box, isKeyed, outbound }: Gateways, now: () => number): Secrets {
  const sources = openSources({ variables: {}, directory: null, agent: new PeerAgent(outbound) });
  return new Secrets({ store, box, isKeyed, sources, now });
}
