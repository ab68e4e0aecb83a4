import { digestJson, type JsonObject } from "../core/base/index.ts";
import { shownMembers } from "../core/engine/index.ts";
import type { ArchiveRecord, RunRecord } from "../store/index.ts";
import type { Archiver } from "./archiver.ts";
import type { IsAbout, SubjectFacts } from "./erasure-subject.ts";
import { isErased, packetHeader, packetLines } from "./packet-reader.ts";

/** What an erasure has to know about the runs in an archive. */
export interface ArchivedFamily {
  readonly archive: ArchiveRecord;
  readonly runIds: readonly string[];
  /** The runs from which these were restarted or branched. */
  readonly sources: readonly string[];
  readonly isErased: boolean;
  /** Whether the condition matches one of the runs; null when that cannot be decided. */
  readonly isAbout: boolean | null;
  /** The launches of the matching runs. */
  readonly launches: readonly string[];
}

export async function readArchivedFamily(
  archiver: Pick<Archiver, "read">,
  archive: ArchiveRecord,
  isAbout: IsAbout,
): Promise<ArchivedFamily> {
  const isGone = isErased(await packetHeader(archiver.read(archive)));
  const runIds: string[] = [];
  const sources: string[] = [];
  const launches: string[] = [];
  let isUndecided = false;
  for await (const line of packetLines(archiver.read(archive))) {
    if (line.kind !== "run") continue;
    const { run } = line;
    runIds.push(run.runId);
    if (run.sourceRunId !== null) sources.push(run.sourceRunId);
    const verdict = isAbout(factsOf(run));
    if (verdict === true) launches.push(launchOf(run));
    else if (verdict === null) isUndecided = true;
  }
  const verdict = launches.length > 0 ? true : isUndecided && !isGone ? null : false;
  return { archive, runIds, sources, isErased: isGone, isAbout: verdict, launches };
}

export function factsOf({ runId, workflow, trigger, startedBy, args, labels }: RunRecord): SubjectFacts {
  return { args, labels, run: { id: runId, workflow, trigger, startedBy } };
}

/** A run does not store the launch approval that started it, so approvals are matched to runs by workflow and args. */
export function launchKey(workflow: string, shownArgs: JsonObject): string {
  return `${workflow} ${digestJson(shownArgs)}`;
}

export function launchOf({ workflow, args }: RunRecord): string {
  return launchKey(workflow, shownMembers(args, "args"));
}
