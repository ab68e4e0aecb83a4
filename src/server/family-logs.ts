import { type JsonObject, withOwn } from "../core/base/index.ts";
import { type EventType, RUN_ENDING_TYPES, type RunEvent, SETTLING_TYPES } from "../core/event/index.ts";
import { relativesOf, type RunLog } from "../core/provenance/index.ts";
import type { RunRecord, Store, StoredEvent } from "../store/index.ts";

/** Maximum amount of a family that is read for one response. The response marks where the rest was cut. */
export const FAMILY_LIMITS = { runs: 100, events: 250_000 } as const;
const PAGE = 1_000;

type Sources = Pick<Store, "getRun" | "readEvents" | "verdictsOf">;

/** Event types that provenance reads. Streams and logs are most of a log, but do not show where values came from. */
const READ: ReadonlySet<EventType> = new Set<EventType>([
  ...RUN_ENDING_TYPES,
  ...SETTLING_TYPES,
  "run.started",
  "run.status.changed",
  "run.rewound",
  "node.provenance",
  "node.expanded",
  "node.started",
  "node.retried",
  "node.blocked",
  "node.invalidated",
  "approval.requested",
  "approval.resolved",
  "cost.recorded",
  "tool.requested",
  "tool.completed",
  "child.started",
  "run.finally",
]);

/** Returns the logs of a run and its relatives, nearest first, up to `reach` steps away. */
export async function familyLogs(
  store: Sources,
  run: RunRecord,
  { reach, ...limits }: { readonly reach: number; readonly runs: number; readonly events: number },
): Promise<readonly RunLog[]> {
  const logs: RunLog[] = [];
  const seen = new Set([run.runId]);
  let near: readonly RunRecord[] = [run];
  let room = limits.events;
  for (let step = 0; step <= reach && near.length > 0; step += 1) {
    const next: string[] = [];
    for (const relative of near) {
      const log = await readLog(store, relative, room);
      if (log === null) return logs;
      logs.push(log);
      room -= log.events.length;
      for (const id of relativesOf(log)) {
        if (seen.has(id) || seen.size >= limits.runs) continue;
        seen.add(id);
        next.push(id);
      }
    }
    const found = step === reach ? [] : await Promise.all(next.map((id) => store.getRun(run.orgId, id)));
    near = found.filter((one) => one !== undefined);
  }
  return logs;
}

/** Returns null when the log exceeds the remaining limit. */
async function readLog(store: Sources, run: RunRecord, room: number): Promise<RunLog | null> {
  const { orgId, runId, workflow } = run;
  const events: RunEvent[] = [];
  for (let after = 0; after < run.lastEventId;) {
    const page = await store.readEvents(orgId, runId, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) break;
    for (const event of page) if (READ.has(event.type)) events.push(withMarks(event));
    if (events.length > room) return null;
    after = last.eventId;
  }
  return { runId, workflow, events, policies: await policiesOf(store, run) };
}

async function policiesOf(store: Sources, { orgId, runId }: RunRecord): Promise<RunLog["policies"] & object> {
  const verdicts = await store.verdictsOf(orgId, runId);
  // Only the governor writes the body of a verdict, so its type is known.
  return new Map(verdicts.map(({ verdictId, body }) => [verdictId, (body["policies"] ?? []) as readonly string[]]));
}

/** Large values are not loaded; their digests are enough to distinguish them. */
function withMarks({ refs = [], ...event }: StoredEvent): RunEvent {
  let payload = event.payload as unknown as JsonObject;
  for (const { path, hash } of refs) payload = marked(payload, path, hash);
  return { ...event, payload } as unknown as RunEvent;
}

function marked(object: JsonObject, [head, ...rest]: readonly string[], hash: string): JsonObject {
  if (head === undefined) return object;
  const inner = object[head];
  return withOwn(object, head, rest.length === 0 ? hash : marked((inner ?? {}) as JsonObject, rest, hash));
}
