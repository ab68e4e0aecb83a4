/** Where a node runs that goes to no gateway: a child run, or a step that is only computed. */
export const NOWHERE = {
  agentId: null,
  gatewayId: null,
  provider: null,
  model: null,
  verdictId: null,
  executionPath: null,
} as const;
