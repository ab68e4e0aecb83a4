import type { Clock } from "../clock/index.ts";
import { auditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import { retentionOf } from "../registry/index.ts";
import {
  type EndedRun,
  type EndedSelection,
  everyEntry,
  type FamilyMember,
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
    | "pruneLaunches"
    | "makePartitions"
    | "dropPartitions"
  >;
  readonly archiver: Pick<Archiver, "archive">;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Maximum rows per statement, so that commits can run in between. */
const ROWS = 500;
const RUNS = 50;
const ORGANISATIONS = 100;
const FAILURES_MAX = 5;
/** Maximum time of a round. It is shorter than the lease of the round; the next round continues. */
const ROUND_MS = 20_000;
/** How often partitions are maintained when nothing is deleted. */
const PARTITIONS_MS = 3_600_000;

/**
 * Deletes data whose retention has passed: verdicts and transcripts of ended runs, runs as whole families, and
 * approvals of launches. Open runs stay, and so do runs that an open run was started from. One process at a time does
 * this. If it is killed, the next one continues.
 */
export class Retainer {
  readonly #options: RetainerOptions;
  /** By organisation: when the next check is due, and the version of the rules at the last check. */
  readonly #looks = new Map<string, { readonly dueAt: number; readonly mark: string }>();

  #partitionsDueAt = 0;
  /** Families in a row that could not be archived, in the present check of an organisation. */
  #failures = 0;

  constructor(options: RetainerOptions) {
    this.#options = options;
  }

  async round(): Promise<void> {
    await this.#lookAfterPartitions();
    await this.#removeOverdue();
    await this.#lookAfterPartitions();
  }

  /** Creates the partitions of the next weeks, and drops empty ones. */
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
    // After an error, the organisation is retried at the next due time, not in every round.
    this.#looks.set(orgId, { mark, dueAt: clock.now() + lookEveryMs(plan) });
    this.#failures = 0;
    for (const part of plan) {
      const isDone = await this.#remove(orgId, part, until);
      if (!isDone) this.#looks.delete(orgId);
    }
  }

  /** Deletes the data of one part. False when there is more to delete. */
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
      (runs === null || (await prune(() => store.pruneLaunches(orgId, runs, ROWS)))) &&
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

  /** Deletes several families in one transaction, because many small transactions would be slow. */
  async #delete(orgId: string, ended: readonly EndedRun[], archive: string | null): Promise<void> {
    const { store, clock } = this.#options;
    const families: SeenFamily[] = [];
    for (const run of ended) {
      const as = await store.familyOf(orgId, run.runId);
      if (as.some(({ isOpen }) => isOpen)) continue;
      if (archive !== null && !(await this.#archive(orgId, run, as, archive))) continue;
      families.push({ runId: run.runId, as });
    }
    const note: NoteDeletion = ({ runId, workflow, runIds }) => {
      const archived = archive === null ? {} : { archive };
      const detail = { workflow, runs: runIds.length, cause: "retention", ...archived };
      const about = { type: "run.deleted", actor: ENGINE_ACTOR, resource: `run/${runId}`, run: runId } as const;
      return auditEntry({ at: clock.now(), ...about, detail });
    };
    // A family that has changed since it was archived is not deleted now; the next check handles it.
    if ((await store.deleteFamilies(orgId, families, note)) > 0) this.#partitionsDueAt = 0;
  }

  /** False when a family cannot be archived: it stays, and does not keep the others. After several in a row, the check ends. */
  async #archive(orgId: string, run: EndedRun, as: readonly FamilyMember[], place: string): Promise<boolean> {
    const { archiver, onTrouble } = this.#options;
    try {
      await archiver.archive(orgId, run, as, place);
      this.#failures = 0;
      return true;
    } catch (error) {
      this.#failures += 1;
      // Probably the place cannot be used, and trying every run would fill the log.
      if (this.#failures >= FAILURES_MAX) throw error;
      onTrouble(`archiving ${run.runId}`, error);
      return false;
    }
  }
}
