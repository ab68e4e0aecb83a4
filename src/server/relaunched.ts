import type { Relaunched } from "../contract/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import type { LaunchOutcome } from "../driver/index.ts";
import type { RunRecord } from "../store/index.ts";
import { refusedBy } from "./problem.ts";
import { type Call, json } from "./route.ts";
import { runOnWire } from "./wire.ts";

type Services = Call<unknown, unknown>["services"];

const PAGE = 1_000;

/** The reply to a restart or a branch: the new run, what it keeps of the other one, and what it does again. */
export async function relaunched(services: Services, outcome: LaunchOutcome): Promise<Response> {
  if (outcome.kind === "refused") throw refusedBy(outcome.refusal);
  const { run, kind } = outcome;
  const body: Relaunched = { ...runOnWire(run), ...(await splitNodes(services, run)) };
  const location = `/api/v1/runs/${run.runId}`;
  if (kind === "started") return json(body, 201, { location });
  return json(body, 200, { "idempotency-replayed": "true", location });
}

/** Read from the run's own log, so that the same request sent again gets the same answer. */
async function splitNodes(
  { runtime, store }: Services,
  run: RunRecord,
): Promise<Pick<Relaunched, "carriedOver" | "runsAgain">> {
  const plan = await runtime.planOf(run.orgId, run.pinnedHash ?? run.definitionHash);
  const carriedOver: string[] = [];
  for (let after = 0; ;) {
    const events = await store.readEvents(run.orgId, run.runId, after, PAGE);
    const started = events.findIndex(isWork);
    carriedOver.push(...(started < 0 ? events : events.slice(0, started)).flatMap(carriedBy));
    const last = events.at(-1);
    if (last === undefined || started >= 0) break;
    after = last.eventId;
  }
  const isCarried = new Set(carriedOver);
  const runsAgain = (plan?.nodes ?? []).map(({ id }) => id).filter((id) => !isCarried.has(id));
  return { carriedOver, runsAgain };
}

type LogEvent = Pick<RunEvent, "type" | "payload">;

/** Results are carried over before anything is done; the first event about other work ends them. */
function isWork(event: LogEvent): boolean {
  return "nodeId" in event.payload && event.type !== "node.waiting" && carriedBy(event).length === 0;
}

function carriedBy({ payload }: LogEvent): readonly string[] {
  return "carried" in payload && payload.carried === true ? [payload.nodeId] : [];
}
