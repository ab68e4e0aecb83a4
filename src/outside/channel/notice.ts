import { getOwn, isJsonArray, type Json, type JsonObject } from "../../core/base/index.ts";
import type { NotifyFacts, NotifyKind } from "../../core/definition/index.ts";
import { plainText } from "../../core/text/index.ts";
import type { ApprovalRecord, RunRecord, RunStore } from "../../store/index.ts";
import type { Occurrence } from "../delivery/index.ts";

/** The subject of a channel delivery. The message text is built when it is sent. */
export interface Notice {
  /** `update`: an approval has changed since messages about it were sent. */
  readonly on: NotifyKind | "test" | "update";
  readonly at: number;
  /** One line. */
  readonly title: string;
  /** Further details in one sentence, or empty. */
  readonly detail: string;
  readonly workflow: string | null;
  readonly runId: string | null;
  readonly approvalId: string | null;
  readonly urgency: string | null;
  /** The person who has the address of the delivery; null when unknown. */
  readonly person: { readonly id: string | null; readonly name: string } | null;
}

/** An event, with the data that rules, recipients and messages need. */
export interface Happening {
  readonly notice: Notice;
  readonly facts: NotifyFacts;
  readonly approval: ApprovalRecord | null;
  /** Names of the approvers who are currently asked. */
  readonly asked: readonly string[];
  /** The only approvers who receive it; null for all of them. */
  readonly only: readonly string[] | null;
}

const KIND_OF: Readonly<Record<string, NotifyKind | "update">> = {
  "approval.requested": "approval.requested",
  "approval.reminded": "approval.reminded",
  "approval.escalated": "approval.escalated",
  "approval.answered": "update",
  "approval.revised": "approval.requested",
  "approval.resolved": "update",
  "run.failed": "run.failed",
  "run.timed_out": "run.failed",
  "alert.fired": "alert",
  "budget.alert": "budget.warning",
};

/** Events that change messages sent earlier, on channels where messages can be changed. */
const UPDATING: ReadonlySet<string> = new Set(["approval.answered", "approval.revised", "approval.resolved"]);

export function isUpdating(type: string): boolean {
  return UPDATING.has(type);
}

export function kindOfType(type: string): NotifyKind | "update" | undefined {
  return getOwn(KIND_OF, type);
}

/** Null when the event is not one people are notified of, or its approval or run no longer exists. */
export async function happeningOf(
  occurrence: Occurrence,
  store: Pick<RunStore, "getApproval" | "getRun">,
): Promise<Happening | null> {
  const on = kindOfType(occurrence.message.type);
  if (on === undefined) return null;
  if (on.startsWith("approval.") || on === "update") return approvalHappening(on, occurrence, store);
  return on === "run.failed" ? runHappening(occurrence, store) : alertHappening(on, occurrence);
}

async function approvalHappening(
  on: Notice["on"],
  { orgId, at, data, message }: Occurrence,
  store: Pick<RunStore, "getApproval" | "getRun">,
): Promise<Happening | null> {
  const only = message.type === "approval.revised" ? voidedIn(data) : null;
  const approvalId = textOf(data, "approvalId");
  const approval = approvalId === null ? undefined : await store.getApproval(orgId, approvalId);
  if (approval === undefined) return null;
  const { title, workflow, runId, approvers, hop } = approval;
  const reached = Math.max(hop, numberOf(data, "hop") ?? 0);
  const names = approvers.map(({ who }) => who);
  const asked = on === "approval.escalated" ? names.slice(reached, reached + 1) : names.slice(0, reached + 1);
  const urgency = textOf(data, "urgency");
  const detail =
    on === "approval.escalated"
      ? `It was not answered in time, so that ${textOf(data, "who") ?? "the next in the chain"} is asked now.`
      : on === "approval.reminded"
        ? `It still waits for an answer${urgency === "critical" ? " and is critical" : ""}.`
        : only !== null
          ? `${textOf(data, "by") ?? "Another person"} has changed what is asked, so that your approval does not count any more.`
          : "";
  const notice: Notice = {
    on,
    at,
    title: plainText(title),
    detail,
    workflow,
    runId: runId === "" ? null : runId,
    approvalId: approval.id,
    urgency,
    person: null,
  };
  return { notice, facts: approvalFacts(notice, approval, names), approval, asked, only };
}

const ADDRESS = "address:";

/** Returns the people who have to approve again, in the form of approver names. */
function voidedIn(data: JsonObject): readonly string[] {
  const voided = getOwn(data, "voided");
  if (!isJsonArray(voided)) return [];
  return voided.flatMap((id) =>
    typeof id === "string" ? [`user:${id.startsWith(ADDRESS) ? id.slice(ADDRESS.length) : id}`] : [],
  );
}

function approvalFacts(notice: Notice, approval: ApprovalRecord, approvers: readonly string[]): NotifyFacts {
  const { nodeId, source, agentId, subject } = approval;
  const estimate = subject?.estimateMicros ?? null;
  return {
    ...factsOf(notice),
    node: nodeId === "" ? null : nodeId,
    source,
    agent: agentId,
    approvers,
    trigger: subject?.trigger ?? null,
    args: subject?.args ?? {},
    action: subject?.action ?? null,
    policies: (subject?.policies ?? []).map(({ name }) => name),
    cost_usd: subject === null ? null : usdOf(subject.costMicros),
    estimate_usd: estimate === null ? null : usdOf(estimate),
  };
}

async function runHappening(
  { orgId, at, data, run, message }: Occurrence,
  store: Pick<RunStore, "getRun">,
): Promise<Happening | null> {
  const record: RunRecord | undefined = run === null ? undefined : await store.getRun(orgId, run.runId);
  if (run === null || record === undefined) return null;
  const how = message.type === "run.timed_out" ? "ran out of time" : "failed";
  const errorCode = textOf(data, "errorCode");
  const reason = textOf(data, "reason");
  const why = [errorCode, reason].filter((part) => part !== null).join(": ");
  const notice: Notice = {
    on: "run.failed",
    at,
    title: `A run of ${run.workflow} ${how}`,
    detail: why === "" ? "" : `${plainText(why)}.`,
    workflow: run.workflow,
    runId: run.runId,
    approvalId: null,
    urgency: null,
    person: null,
  };
  const { args, trigger, costMicros } = record;
  const facts = { ...factsOf(notice), args, trigger, cost_usd: usdOf(costMicros), error_code: errorCode };
  return { notice, facts, approval: null, asked: [], only: null };
}

function alertHappening(on: Notice["on"], { at, data }: Occurrence): Happening {
  const isBudget = on === "budget.warning";
  const name = isBudget ? (textOf(data, "resource") ?? "").replace(/^budget\//, "") : textOf(data, "alert");
  const [spent, amount] = [textOf(data, "spentUsd"), textOf(data, "amountUsd")];
  const spending = spent !== null && amount !== null ? `${spent} of ${amount} dollars are spent.` : "";
  const notice: Notice = {
    on,
    at,
    title: `${isBudget ? "Budget warning" : "Alert"}: ${name ?? ""}`,
    detail: isBudget ? spending : (textOf(data, "message") ?? ""),
    workflow: null,
    runId: null,
    approvalId: null,
    urgency: null,
    person: null,
  };
  const named = isBudget ? { budget: name, share: numberOf(data, "share") } : { alert: name };
  return { notice, facts: { ...factsOf(notice), ...named }, approval: null, asked: [], only: null };
}

/** Returns all facts a rule may use; null for those that do not apply. */
function factsOf({ on, title, workflow, runId, urgency }: Notice): NotifyFacts {
  return {
    on,
    title,
    workflow,
    run: runId,
    urgency,
    node: null,
    trigger: null,
    args: {},
    source: null,
    action: null,
    agent: null,
    policies: [],
    approvers: [],
    cost_usd: null,
    estimate_usd: null,
    error_code: null,
    alert: null,
    budget: null,
    share: null,
  };
}

const MICROS_PER_USD = 1_000_000;

function usdOf(micros: number): number {
  return micros / MICROS_PER_USD;
}

function textOf(data: JsonObject, key: string): string | null {
  const value: Json | undefined = getOwn(data, key);
  return typeof value === "string" && value !== "" ? value : null;
}

function numberOf(data: JsonObject, key: string): number | null {
  const value: Json | undefined = getOwn(data, key);
  return typeof value === "number" ? value : null;
}
