import type { Clock } from "../clock/index.ts";
import type { Judgement, RateFact } from "../core/governance/index.ts";
import type { GatewayDirectory } from "../gateway/index.ts";
import type { GovernanceStore } from "../store/index.ts";
import { judgeLaunchOf, type LaunchSubject } from "./launch.ts";
import type { OrganisationUse, StartWindow } from "./organisation-use.ts";
import type { RegisteredCache } from "./registered-cache.ts";
import type { Tally } from "./tally.ts";
import { slotChangesOf, type TurnTaking } from "./turn-ruling.ts";

export interface LaunchJudgeOptions {
  readonly store: Pick<GovernanceStore, "takePlaces">;
  readonly registered: RegisteredCache;
  readonly directory: GatewayDirectory;
  readonly use: OrganisationUse;
  readonly clock: Pick<Clock, "now">;
  readonly tallyOf: (orgId: string) => Tally;
  readonly prepare: (orgIds: ReadonlySet<string>) => Promise<void> | undefined;
  /** Reads the counters again. */
  readonly reload: (orgId: string) => Promise<void>;
}

const TRIES = 3;

/** Asks the launch gates, and counts starts in windows shared by all processes. */
export class LaunchJudge {
  readonly #options: LaunchJudgeOptions;

  constructor(options: LaunchJudgeOptions) {
    this.#options = options;
  }

  /** Decides whether a run may be created, and counts the start. */
  async judge(orgId: string, request: LaunchSubject): Promise<Judgement> {
    for (let tried = 1; tried <= TRIES; tried += 1) {
      const judgement = await this.preview(orgId, request);
      if (judgement.disposition !== "allow" || (await this.#take(orgId, request.keyId))) return judgement;
      // Another process has taken the last place.
      await this.#options.reload(orgId);
    }
    // A start that cannot be counted is not allowed.
    return this.#judge(orgId, request, { isFull: true });
  }

  /** Decides the same without counting a start. */
  preview(orgId: string, request: LaunchSubject): Promise<Judgement> {
    return this.#judge(orgId, request, { isFull: false });
  }

  /** `isFull`: the windows count as full, whatever the counters in memory are. */
  async #judge(orgId: string, request: LaunchSubject, { isFull }: { readonly isFull: boolean }): Promise<Judgement> {
    const { registered, directory, clock, use, tallyOf, prepare } = this.#options;
    await prepare(new Set([orgId]));
    const at = clock.now();
    const { ofKey, ofOrganisation } = use.startWindows(orgId, request.keyId);
    const factOf = (window: StartWindow | null): RateFact | null => {
      if (window === null) return null;
      const fact = this.#fact(orgId, window, at);
      return isFull ? { ...fact, used: Math.max(fact.used, fact.count) } : fact;
    };
    return judgeLaunchOf(request, {
      at,
      registered: registered.of(orgId),
      gateways: directory.of(orgId),
      tally: tallyOf(orgId),
      rate: factOf(ofKey),
      organisationRate: factOf(ofOrganisation),
    });
  }

  /** Returns how many runs were started in the last minute. */
  startsOf(orgId: string, keyId: string): { readonly ofKey: number; readonly ofOrganisation: number } {
    const { use, clock } = this.#options;
    const { ofKey, ofOrganisation } = use.startWindows(orgId, keyId);
    const used = (window: StartWindow | null): number =>
      window === null ? 0 : this.#fact(orgId, window, clock.now()).used;
    return { ofKey: used(ofKey), ofOrganisation: used(ofOrganisation) };
  }

  #fact(orgId: string, { counter, rate, window }: StartWindow, at: number): RateFact {
    return { ...rate, ...this.#options.tallyOf(orgId).windowOf(counter, window, at) };
  }

  async #take(orgId: string, keyId: string | null): Promise<boolean> {
    const { use, store, clock, tallyOf } = this.#options;
    const { ofKey, ofOrganisation } = use.startWindows(orgId, keyId);
    const windows = [ofKey, ofOrganisation].filter((window) => window !== null);
    if (windows.length === 0) return true;
    const tally = tallyOf(orgId);
    const hits = windows.map(({ counter, window }) => ({
      counter,
      rate: window,
      at: tally.hitAt(counter, clock.now()),
    }));
    const taken: TurnTaking = { hits, reserved: [] };
    tally.takeInTurn(taken);
    const isTaken = await store.takePlaces(orgId, hits).catch((error: unknown) => {
      tally.undoTurnAdmission(taken);
      throw error;
    });
    if (isTaken) tally.commit({ ...NOTHING, takenInTurns: [taken], slots: slotChangesOf([taken]) });
    else tally.undoTurnAdmission(taken);
    return isTaken;
  }
}

const NOTHING = { runId: "", ended: [], settled: [], taken: [], ledger: [], memories: [] };
