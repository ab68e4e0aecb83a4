/**
 * The schemas of the HTTP API, each defined once. The server checks requests with them and generates its OpenAPI
 * document from them, and the types of clients are derived from them. Pages and clients import types only, so that
 * browsers load no validator.
 */
export * from "./approval.ts";
export * from "./approval-inbox.ts";
export * from "./audit.ts";
export * from "./backtest.ts";
export * from "./cell.ts";
export * from "./erasure.ts";
export * from "./event.ts";
export { json, jsonObject } from "./field.ts";
export * from "./file.ts";
export * from "./gateway.ts";
export * from "./invitation.ts";
export * from "./key.ts";
export * from "./live.ts";
export * from "./memory.ts";
export * from "./node.ts";
export * from "./organisation.ts";
export * from "./page.ts";
export * from "./person.ts";
export * from "./problem.ts";
export * from "./provenance.ts";
export * from "./registry.ts";
export * from "./pause.ts";
export * from "./run.ts";
export * from "./run-state.ts";
export * from "./schedule.ts";
export * from "./session.ts";
export * from "./simulation.ts";
export * from "./trigger.ts";
export * from "./turn.ts";
export * from "./trend.ts";
export * from "./usage.ts";
export * from "./view.ts";
export * from "./verdict.ts";
export * from "./webhook.ts";
export * from "./work.ts";
export * from "./workflow.ts";
