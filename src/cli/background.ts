import { randomUUID } from "node:crypto";
import { startSealer } from "../audit/index.ts";
import { type Clock, LeasedRounds } from "../clock/index.ts";
import { Retainer } from "../history/index.ts";
import { LaunchWatch } from "../governance/index.ts";
import { Recoverer } from "../launch/index.ts";
import { Scheduler } from "../outside/schedule/index.ts";
import type { App } from "../server/index.ts";
import { closeEach } from "./closing.ts";
import type { Engine } from "./engine.ts";
import type { Log } from "./log.ts";
import { startIndexing } from "./indexing.ts";
import { openNotifications } from "./notifications.ts";

/** The background services of a server. Each one is safe on any number of replicas. */
export interface Background {
  /** Stops all services. Outgoing deliveries continue until the other services have stopped. */
  stop(): Promise<void>;
}

interface BackgroundOptions {
  readonly publicUrl: string;
  readonly slackUrl: string | null;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Maximum number of files deleted in one round. */
const SWEEP_MAX = 200;

export function startBackground(
  log: Log,
  { store, runtime, launcher, secrets, governance, audit, outbound, files, history }: Engine,
  app: App,
  { publicUrl, slackUrl, clock, onTrouble }: BackgroundOptions,
): Background {
  const { governor } = governance;
  const scheduler = new Scheduler({ store, launcher, clock, replicaId: randomUUID(), onTrouble });
  const recoverer = new Recoverer({ store, runtime, governor, clock, onTrouble });
  const notifications = openNotifications(log, {
    store,
    runtime,
    secrets,
    outbound,
    clock,
    publicUrl: () => publicUrl,
    slackUrl,
    onAlert: app.countAlert,
    onTrouble,
  });
  const { rounds: launches } = new LaunchWatch({
    store,
    clock,
    deliveriesOf: (notice) => notifications.deliveriesOf(notice),
    onTrouble,
  });
  const garbage = new LeasedRounds({
    leases: store,
    clock,
    lease: "files",
    what: "files that no run needs",
    round: () => files.sweep(SWEEP_MAX),
    onTrouble,
  });
  const indexing = startIndexing(store, clock, onTrouble);
  const retainer = new Retainer({ store, archiver: history.archiver, clock, onTrouble });
  const retention = new LeasedRounds({
    leases: store,
    clock,
    lease: "retention",
    what: "runs that are kept no longer",
    round: () => retainer.round(),
    onTrouble,
  });
  scheduler.start();
  recoverer.start();
  launches.start();
  garbage.start();
  retention.start();
  const sealer = startSealer({ trail: audit, store, clock, onTrouble });
  notifications.start();
  return {
    stop: () =>
      closeEach([
        () => scheduler.stop(),
        () => recoverer.stop(),
        () => launches.stop(),
        () => garbage.stop(),
        () => indexing.stop(),
        () => retention.stop(),
        () => notifications.stop(),
        () => runtime.stop(),
        () => sealer.stop(),
      ]),
  };
}
