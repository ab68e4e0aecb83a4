export { agentOf, DEFAULT_AGENT } from "./agent.ts";
export { type Alert, alertOf } from "./alert.ts";
export {
  type AppliedManifest,
  type ApplyPlan,
  type ApplySurroundings,
  differing,
  expectedOf,
  manifestProblems,
  placeOfPath,
  planApply,
} from "./apply-plan.ts";
export { budgetOf } from "./budget.ts";
export { type Channel, channelOf, type Mail, type QuietHours } from "./channel.ts";
export { planChange } from "./change.ts";
export { changeAudit } from "./change-audit.ts";
export { creditPlanOf } from "./credit-plan.ts";
export { type Cron, parseCron } from "./cron.ts";
export { deploymentOf } from "./deployment.ts";
export { changedSchema, schemaConflict, SCHEMA_HINT } from "./function.ts";
export { gatewayOf, NEW_GATEWAY } from "./gateway.ts";
export { entryKindOf, isManifestKind, MANIFEST_KINDS, type ManifestKind, type RegisteredKind } from "./kind.ts";
export { type Manifest, MANIFESTS_MAX, readManifestList, readManifestStream } from "./manifest.ts";
export { modelOf } from "./model.ts";
export { type CheckOutbound, hostUrl, outboundProblems } from "./outbound-url.ts";
export { conditionProblems, policyOf } from "./policy.ts";
export { readSpec, specSchema } from "./read-spec.ts";
export { getRegistered, listRegistered } from "./registered-entry.ts";
export { type RetentionRule, retentionOf } from "./retention.ts";
export { bindingOf } from "./role-binding.ts";
export { calendarTiming, scheduleOf, type Timing } from "./schedule.ts";
export { partsOf, problemsOfIssues, type SpecProblem } from "./spec-problem.ts";
export { checkManifestStream } from "./stream-check.ts";
export { catalogAround, lookUpIn, surroundingsOf } from "./surroundings.ts";
export { teamOf } from "./team.ts";
export { triggerOf } from "./trigger.ts";
export { referenceProblems, sealedWith } from "./reference-check.ts";
export { type RegisteredSecret, SECRET_VALUE, secretOf, type SecretOrigin, type VaultOrigin } from "./secret.ts";
export { type DispatchUse, type EntryUse, isInScope, type SecretUse, useText } from "./secret-scope.ts";
export * from "./trigger-kind.ts";
export { knownTools, toolOf } from "./tool.ts";
export { grantOf } from "./grant.ts";
export { type Webhook, webhookOf } from "./webhook.ts";
