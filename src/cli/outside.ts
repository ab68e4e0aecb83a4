import { AlertWatch } from "../outside/alert/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { SecretBox } from "../gateway/index.ts";
import type { OutboundGuard } from "../outbound/index.ts";
import type { Store } from "../store/index.ts";
import { openWebhooks } from "../outside/webhook/index.ts";
import { closeEach } from "./closing.ts";
import type { Io } from "./io.ts";
import { oneLine } from "./terminal-text.ts";

export interface OutsideParts {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "onCommitted">;
  readonly box: SecretBox;
  /** Where webhooks may be. */
  readonly outbound: OutboundGuard;
  readonly clock: Clock;
  /** Counts alerts that fired, by what they are set for. */
  readonly onAlert: (on: string) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** What notifies people outside: webhooks and alerts. */
export function startOutside(io: Pick<Io, "err">, parts: OutsideParts): { stop(): Promise<void> } {
  const { store, runtime, box, outbound, clock, onAlert, onTrouble } = parts;
  const webhooks = openWebhooks({ store, box, clock, reach: { allow: outbound.allow }, onTrouble });
  const alerts = new AlertWatch({
    store,
    clock,
    onFired: ({ orgId, alert, on, message, isForLog }) => {
      onAlert(on);
      if (isForLog) io.err.write(`sluice: alert ${oneLine(alert)} of ${oneLine(orgId)}: ${oneLine(message)}\n`);
    },
    onTrouble,
  });
  const unsubscribe = runtime.onCommitted((runId, events) => webhooks.onCommitted(runId, events));
  webhooks.start();
  alerts.start();
  return {
    stop: () => closeEach([unsubscribe, () => alerts.stop(), () => webhooks.stop()]),
  };
}
