import { auditEntry } from "../core/audit/index.ts";
import type { Services } from "./route.ts";

/** A hook that received a rejected message. */
export interface HookWithRejections {
  readonly orgId: string;
  /** The kind of its registration. */
  readonly origin: string;
  readonly name: string;
}

type Reason = "bad_signature" | "bad_timestamp";

interface Window {
  /** Messages since the last record. */
  count: number;
  reason: Reason;
  stop: () => void;
}

const WINDOW_MS = 60_000;

/**
 * Records messages to hooks without a valid signature. The first is recorded at once. All others within a minute are
 * recorded together at its end, so that a flood is visible but does not fill the audit.
 */
export class HookFailures {
  readonly #windows = new Map<string, Window>();
  readonly #after: (delayMs: number, work: () => void) => () => void;

  /** `after` schedules work and returns a function that cancels it. */
  constructor(after: (delayMs: number, work: () => void) => () => void = afterTimeout) {
    this.#after = after;
  }

  note(services: Pick<Services, "store" | "config">, hook: HookWithRejections, reason: Reason): void {
    const key = JSON.stringify([hook.orgId, hook.origin, hook.name]);
    const window = this.#windows.get(key);
    if (window === undefined) {
      request(services, hook, reason, 1);
      this.#open(services, hook, key);
    } else {
      window.count += 1;
      window.reason = reason;
    }
  }

  close(): void {
    for (const { stop } of this.#windows.values()) stop();
    this.#windows.clear();
  }

  #open(services: Pick<Services, "store" | "config">, hook: HookWithRejections, key: string): void {
    const stop = this.#after(WINDOW_MS, () => {
      this.#windows.delete(key);
      if (window.count === 0) return;
      request(services, hook, window.reason, window.count);
      this.#open(services, hook, key);
    });
    const window: Window = { count: 0, reason: "bad_signature", stop };
    this.#windows.set(key, window);
  }
}

function afterTimeout(delayMs: number, work: () => void): () => void {
  const timer = setTimeout(work, delayMs).unref();
  return () => clearTimeout(timer);
}

/** Records the failures without making the sender wait. */
function request(
  { store, config }: Pick<Services, "store" | "config">,
  { orgId, origin, name }: HookWithRejections,
  reason: Reason,
  count: number,
): void {
  const about = { actor: `${origin}:${name}`, resource: `${origin}/${name}` };
  const entry = auditEntry({ at: config.now(), type: "auth.failed", ...about, detail: { reason, count } });
  store.appendAudit(orgId, [entry]).catch((error: unknown) => {
    config.onTrouble("a message to a hook that was not believed could not be audited", error);
  });
}
