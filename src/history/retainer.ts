import type { Clock } from "../clock/index.ts";
import { auditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import { retentionOf } from "../registry/index.ts";
import {
  type EndedRun,
  type EndedSelection,
  everyEntry,
  type NoteDeletion,
  type SeenFamily,
  type Store,
} from "../store/index.ts";
import type { Archiver } from "./archiver.ts";
import { lookEveryMs, overdue, type RetentionPart, retentionPlan } from "./retention-plan.ts";

export interface RetainerOptions {
  readonly store: Pick<
    Store,
    | "listAudited"
    | "retentionMarks"
    | "listEntries"
    | "listEndedRuns"
    | "familyOf"
    | "deleteFamilies"
    | "pruneVerdicts"
    | "pruneReports"
    | "makePartitions"
    | "dropPartitions"
  >;
  readonly archiver: Pick<Archiver, "archive">;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Rows that go in one statement: commits have their turn in between. */
const ROWS = 500;
const RUNS = 50;
const ORGANISATIONS = 100;
/** A round ends before the lease does that it is done under; the next one continues. */
const ROUND_MS = 20_000;
/** How often partitions are looked after when nothing is removed. */
const PARTITIONS_MS = 3_600_000;

/**
 * Removes what was kept long enough: verdicts and transcripts of runs that ended, and runs, whole families at a time.
 * Open runs, and those an open run was started from, stay. One process at a time does this; killed at any point, the next
 * one finds what is left.
 */
export class Retainer {
  readonly #options: RetainerOptions;
  /** By organisation: when to look again, and at which rules it was looked last. */
  readonly #looks = new Map<string, { readonly dueAt: number; readonly mark: string }>();

  #partitionsDueAt = 0;

  constructor(options: RetainerOptions) {
    this.#options = options;
  }

  async round(): Promise<void> {
    await this.#lookAfterPartitions();
    await this.#removeOverdue();
    await this.#lookAfterPartitions();
  }

  /** Makes those of the next weeks, and drops those that were emptied. */
  async #lookAfterPartitions(): Promise<void> {
    const { store, clock, onTrouble } = this.#options;
    const now = clock.now();
    if (now < this.#partitionsDueAt) return;
    this.#partitionsDueAt = now + PARTITIONS_MS;
    try {
      await store.makePartitions(now);
      await store.dropPartitions(now);
    } catch (error) {
      onTrouble("looking after partitions of the log", error);
    }
  }

  async #removeOverdue(): Promise<void> {
    const { store, clock, onTrouble } = this.#options;
    const until = clock.now() + ROUND_MS;
    const marks = await store.retentionMarks();
    for (let after: string | undefined = ""; after !== undefined;) {
      const orgs: readonly string[] = await store.listAudited(after, ORGANISATIONS);
      for (const orgId of orgs) {
        if (clock.now() >= until) return;
        const mark = marks.get(orgId) ?? "";
        const last = this.#looks.get(orgId);
        if (last?.mark === mark && clock.now() < last.dueAt) continue;
        try {
          await this.#look(orgId, mark, until);
        } catch (error) {
          onTrouble(`removing what ${orgId} keeps no longer`, error);
        }
      }
      after = orgs.at(-1);
    }
  }

  async #look(orgId: string, mark: string, until: number): Promise<void> {
    const { store, clock } = this.#options;
    const plan = retentionPlan((await everyEntry(store, orgId, "retention")).map(retentionOf));
    // What fails is tried again when the next look is due, and not in every round.
    this.#looks.set(orgId, { mark, dueAt: clock.now() + lookEveryMs(plan) });
    for (const part of plan) {
      const isDone = await this.#remove(orgId, part, until);
      if (!isDone) this.#looks.delete(orgId);
    }
  }

  /** False: there is more. */
  async #remove(orgId: string, part: RetentionPart, until: number): Promise<boolean> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const runs = overdue(part, part.runsMs, now);
    const verdicts = overdue(part, part.verdictsMs, now);
    const transcripts = overdue(part, part.transcriptsMs, now);
    if (runs !== null && !(await this.#deleteRuns(orgId, runs, part.archive, until))) return false;
    const prune = async (removed: () => Promise<number>): Promise<boolean> => {
      for (;;) {
        const rows = await removed();
        if (rows > 0) this.#partitionsDueAt = 0;
        if (rows < ROWS) return true;
        if (clock.now() >= until) return false;
      }
    };
    return (
      (verdicts === null || (await prune(() => store.pruneVerdicts(orgId, verdicts, ROWS)))) &&
      (transcripts === null || (await prune(() => store.pruneReports(orgId, transcripts, ROWS))))
    );
  }

  async #deleteRuns(orgId: string, runs: EndedSelection, archive: string | null, until: number): Promise<boolean> {
    const { store, clock } = this.#options;
    for (let after: EndedRun | null = null; ;) {
      const ended: readonly EndedRun[] = await store.listEndedRuns(orgId, runs, after, RUNS);
      if (clock.now() >= until) return false;
      await this.#delete(orgId, ended, archive);
      after = ended.at(-1) ?? null;
      if (after === null) return true;
    }
  }

  /** Together: of many small transactions most of the time would go to their statements. */
  async #delete(orgId: string, ended: readonly EndedRun[], archive: string | null): Promise<void> {
    const { store, archiver, clock } = this.#options;
    const families: SeenFamily[] = [];
    for (const run of ended) {
      const as = await store.familyOf(orgId, run.runId);
      if (as.some(({ isOpen }) => isOpen)) continue;
      if (archive !== null) await archiver.archive(orgId, run, as, archive);
      families.push({ runId: run.runId, as });
    }
    const note: NoteDeletion = ({ runId, workflow, runIds }) => {
      const archived = archive === null ? {} : { archive };
      const detail = { workflow, runs: runIds.length, cause: "retention", ...archived };
      const about = { type: "run.deleted", actor: ENGINE_ACTOR, resource: `run/${runId}`, run: runId } as const;
      return auditEntry({ at: clock.now(), ...about, detail });
    };
    // One that has changed since it was archived is looked at again next time.
    if ((await store.deleteFamilies(orgId, families, note)) > 0) this.#partitionsDueAt = 0;
  }
}
