import type { GatewayFact } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

interface Facts {
  readonly gateway: GatewayFact | null;
  readonly noGateway: string | null;
}

/** States in which a gateway passes with a warning. */
const WARNINGS: Readonly<Partial<Record<GatewayFact["status"], string>>> = {
  degraded: "is degraded; answers may be late",
  restarting: "has gone a moment ago; its Bridge is waited for",
  unknown: "has not answered a ping yet",
};

export const gatewayHealth: Gate<Facts> = {
  name: "gateway_health",
  evaluate({ gateway, noGateway }): GateOutcome {
    if (gateway === null) {
      return {
        kind: "block",
        code: "gateway_unreachable",
        message: noGateway ?? "no gateway fits; register one that has the provider and the capabilities asked for",
        after: "final",
        facts: { gateway: null },
        unblock: [
          {
            action: "register_gateway",
            target: "Gateway",
            detail: "register a gateway with the provider and the capabilities asked for, or ask for others",
          },
        ],
      };
    }
    const { id, status, offlineBecause, workerFor } = gateway;
    if (status === "healthy") return PASS;
    if (workerFor !== undefined) return noWorker(workerFor);
    const warning = WARNINGS[status];
    if (warning !== undefined) return { kind: "pass", warnings: [`gateway ${id} ${warning}`] };
    return {
      kind: "block",
      code: "gateway_unreachable",
      message:
        offlineBecause === undefined
          ? `gateway ${id} is offline; start its Bridge, or send the work to another gateway`
          : `gateway ${id} is offline: ${offlineBecause}`,
      after: "final",
      facts: { gateway: id, status },
      unblock: [
        { action: "restore_gateway", target: `Gateway/${id}`, detail: "start its Bridge and let it answer a ping" },
        { action: "reroute", target: `Gateway/${id}`, detail: "pin another gateway, or make another the default" },
      ],
    };
  },
};

/** The node waits for a worker, as long as `queue_timeout` allows. */
function noWorker(name: string): GateOutcome {
  return {
    kind: "block",
    code: "no_worker",
    message: `no worker that has the function "${name}" is there; start one`,
    after: "queue",
    waitingReason: "worker",
    workerFor: name,
    facts: { function: name },
    unblock: [{ action: "start_worker", target: `Function/${name}`, detail: "start a worker that has the function" }],
  };
}
