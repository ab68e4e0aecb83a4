/** The first event of an attempt, by an agent of this process. */
export const nodeStarted = (nodeId: string, attempt: number, model: string | null = null) =>
  [
    "node.started",
    {
      nodeId,
      attempt,
      wave: 0,
      agentId: "default",
      gatewayId: "local",
      provider: "p",
      model,
      verdictId: "v",
      executionPath: "edge",
    },
  ] as const;
