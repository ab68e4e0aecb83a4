/**
 * All names exported with spans. The `gen_ai.*` names are from OpenTelemetry's conventions for generative AI, which are still
 * changing. The schema URL identifies the version in use.
 */
const CONVENTIONS_VERSION = "1.41.0";
export const SCHEMA_URL = `https://opentelemetry.io/schemas/${CONVENTIONS_VERSION}`;
export const SCOPE_NAME = "sluice";

export const OPERATIONS = {
  workflow: "invoke_workflow",
  agent: "invoke_agent",
  model: "chat",
  tool: "execute_tool",
} as const;

export const ATTRIBUTES = {
  operation: "gen_ai.operation.name",
  workflow: "gen_ai.workflow.name",
  agentId: "gen_ai.agent.id",
  agentName: "gen_ai.agent.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  thinkingTokens: "gen_ai.usage.reasoning.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolServer: "sluice.tool.server",
  toolAction: "sluice.tool.action",
  turnRound: "sluice.turn.round",
  errorType: "error.type",
  organisation: "sluice.organisation.id",
  runId: "sluice.run.id",
  runStatus: "sluice.run.status",
  runTrigger: "sluice.run.trigger",
  runEpoch: "sluice.run.epoch",
  runParent: "sluice.run.parent_id",
  runSource: "sluice.run.source_id",
  version: "sluice.workflow.version",
  nodeId: "sluice.node.id",
  nodeStatus: "sluice.node.status",
  nodeCount: "sluice.node.count",
  round: "sluice.node.round",
  wave: "sluice.node.wave",
  carried: "sluice.node.carried",
  reason: "sluice.reason",
  attempt: "sluice.attempt",
  extraCalls: "sluice.attempt.extra_calls",
  isLate: "sluice.cost.late",
  cost: "sluice.cost.usd",
  gateway: "sluice.gateway.id",
  executionPath: "sluice.execution_path",
  verdict: "sluice.verdict.id",
  gateName: "sluice.gate.name",
  gateDisposition: "sluice.gate.disposition",
  gateCode: "sluice.gate.code",
  waitingReason: "sluice.waiting_reason",
  phase: "sluice.phase",
  problemCount: "sluice.problem.count",
  retryCause: "sluice.retry.cause",
  retryDelay: "sluice.retry.delay_ms",
  nextAttempt: "sluice.retry.next_attempt",
  approvalId: "sluice.approval.id",
  approvalSource: "sluice.approval.source",
  approvalStatus: "sluice.approval.status",
  approvalDecision: "sluice.approval.decision",
  approvalHop: "sluice.approval.hop",
  approvalUrgency: "sluice.approval.urgency",
  childRunId: "sluice.child.run_id",
  childStatus: "sluice.child.status",
} as const;

/** Money has fractions. All other numbers are integers. */
export const FRACTIONS: ReadonlySet<string> = new Set([ATTRIBUTES.cost]);

/** The conventions define no operation for a node: its span covers the waiting, retries and approvals around its attempts. */
export const NODE_SPAN = "node";
