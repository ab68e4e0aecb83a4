import type { Relaunched, Run } from "../contract/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import type { LaunchRefusal, LaunchResult } from "../launch/index.ts";
import type { RunRecord } from "../store/index.ts";
import { type ApiProblemCode, API_PROBLEMS, Refused } from "./problem.ts";
import { json, type Services } from "./route.ts";
import { runOnWire } from "./wire.ts";

/** The reply to a request for a run. */
export function launchedRun(result: LaunchResult, now: number, shown?: Run): Response {
  if (result.kind === "refused") throw refusedLaunch(result.refusal, now);
  const warnings = result.kind === "started" ? (result.warnings ?? []) : [];
  return runReply(result, { ...(shown ?? runOnWire(result.run)), ...(warnings.length === 0 ? {} : { warnings }) });
}

/** Replies to a restart or a branch: the new run, the results carried over, and the nodes that run again. */
export async function relaunchedRun(services: Services, result: LaunchResult): Promise<Response> {
  if (result.kind === "refused") throw refusedLaunch(result.refusal, services.config.now());
  const body: Relaunched = { ...runOnWire(result.run), ...(await splitNodes(services, result.run)) };
  return runReply(result, body);
}

function runReply({ kind, run }: Exclude<LaunchResult, { kind: "refused" }>, body: Run): Response {
  const location = `/api/v1/runs/${run.runId}`;
  if (kind === "started") return json(body, 201, { location });
  return json(body, 200, { "idempotency-replayed": "true", location });
}

const PAGE = 1_000;

/** Reads the split from the log of the run, so that a repeated request gets the same reply. */
async function splitNodes(
  { runtime, store }: Services,
  run: RunRecord,
): Promise<Pick<Relaunched, "carriedOver" | "runsAgain" | "continues">> {
  const plan = await runtime.planOf(run.orgId, run.pinnedHash ?? run.definitionHash);
  const carriedOver: string[] = [];
  let continues: Relaunched["continues"];
  for (let after = 0; ;) {
    const events = await store.readEvents(run.orgId, run.runId, after, PAGE);
    const started = events.findIndex(isWork);
    const kept = started < 0 ? events : events.slice(0, started);
    carriedOver.push(...kept.flatMap(carriedBy));
    continues = kept.flatMap(roundOf).at(-1) ?? continues;
    const last = events.at(-1);
    if (last === undefined || started >= 0) break;
    after = last.eventId;
  }
  const keptIds = new Set(carriedOver);
  const runsAgain = (plan?.nodes ?? []).map(({ id }) => id).filter((id) => !keptIds.has(id));
  return { carriedOver, runsAgain, ...(continues === undefined ? {} : { continues }) };
}

type LogEvent = Pick<RunEvent, "type" | "payload">;

/** True for the first event about work of the new run. Results are carried over before it. */
function isWork(event: LogEvent): boolean {
  return "nodeId" in event.payload && event.type !== "node.waiting" && !isCarried(event);
}

function isCarried({ payload }: LogEvent): boolean {
  return "carried" in payload && payload.carried === true;
}

function carriedBy(event: LogEvent): readonly string[] {
  const { type, payload } = event;
  if (type !== "node.completed" && type !== "node.skipped") return [];
  return "nodeId" in payload && isCarried(event) ? [payload.nodeId] : [];
}

function roundOf(event: LogEvent): readonly NonNullable<Relaunched["continues"]>[] {
  const { payload } = event;
  if (!("finish" in payload) || !isCarried(event)) return [];
  return [{ nodeId: payload.nodeId, rounds: payload.round + 1 }];
}

/** Statuses that differ from the table: the missing name was in the body and not in the address. */
const STATUS: Readonly<Record<string, number>> = {
  unknown_node: 422,
  unknown_output: 422,
  unknown_file: 422,
  cursor_ahead: 409,
};

export function refusedLaunch({ code, message, problems, explanation, until }: LaunchRefusal, now: number): Refused {
  const detail = sentence(message);
  if (explanation !== undefined) return refusedByGate(explanation, detail, until, now);
  const status = STATUS[code];
  const extras = { ...(problems === undefined ? {} : { problems }), ...(status === undefined ? {} : { status }) };
  // A code without an entry is reported as a conflict with the state of the run.
  return isKnown(code) ? new Refused(code, detail, extras) : new Refused("refused", detail, { ...extras, code });
}

function refusedByGate(explanation: Explanation, detail: string, until: number | undefined, now: number): Refused {
  const { code } = explanation;
  const wait = until === undefined ? 1 : Math.max(1, Math.ceil((until - now) / 1_000));
  const headers = code === "rate_limited" ? { headers: { "retry-after": String(wait) } } : {};
  const extras = { more: { explanation }, ...headers };
  return isKnown(code) ? new Refused(code, detail, extras) : new Refused("policy_blocked", detail, { ...extras, code });
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?)]$/.test(message) ? "" : "."}`;
}

function isKnown(code: string): code is ApiProblemCode {
  return Object.hasOwn(API_PROBLEMS, code);
}
