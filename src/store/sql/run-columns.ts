import type { JsonObject } from "../../core/base/index.ts";
import type { OwnWait, Priority, RunPause, RunStatus } from "../../core/event/index.ts";
import { bigint, Columns, int, oneOf, optional, parsed, text } from "./columns.ts";

/** Columns of `run_heads`, which change with every commit. */
export const HEAD_FIELDS = {
  status: oneOf<RunStatus>(),
  epoch: int,
  lastEventId: int,
  costMicros: bigint,
  startedAt: optional(bigint),
  endedAt: optional(bigint),
  waitingFor: optional(oneOf<OwnWait>()),
  errorCode: optional(text),
  errorMessage: optional(text),
  paused: optional(parsed<RunPause>()),
};

export const RUN_HEAD = new Columns({ runId: text, rowVersion: int, ...HEAD_FIELDS });

/** Columns of `runs`, which are fixed when a run is created. */
export const NEW_RUN = new Columns({
  workflow: text,
  version: optional(int),
  definitionHash: text,
  pinnedHash: optional(text),
  args: parsed<JsonObject>(),
  trigger: text,
  traceId: text,
  rootSpanId: text,
  parentSpanId: optional(text),
  parentRunId: optional(text),
  parentNode: optional(text),
  parentAttempt: optional(int),
  block: optional(text),
  sourceRunId: optional(text),
  recursionDepth: int,
  gateway: optional(text),
  model: optional(text),
  roleBindings: parsed<Readonly<Record<string, string>>>(),
  team: optional(text),
  labels: parsed<Readonly<Record<string, string>>>(),
  recoveryMax: optional(int),
  priority: oneOf<Priority>(),
  startedBy: optional(text),
  requestedBy: optional(text),
  createdAt: bigint,
});

/** All columns of a run, from `run_heads h` and `runs r`. */
export const RUN = new Columns({ ...RUN_HEAD.fields, orgId: text, ...NEW_RUN.fields });
export const RUN_COLUMNS = `${RUN_HEAD.list("h")}, r.org_id, ${NEW_RUN.list("r")}`;
