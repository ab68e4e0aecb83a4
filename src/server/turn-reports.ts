import { readSentTurn, sentCallSchema, sentResultSchema, sentRoundSchema, type TurnKind } from "../bridge/index.ts";
import { type AttemptAddress, readDispatchId } from "../core/event/index.ts";
import { AttemptOver } from "../driver/index.ts";
import { type GatewayReporter, identified, unknownDispatch } from "./callback-intake.ts";
import { readPeerShape } from "./peer-shape.ts";
import { Refused, refusedBy } from "./problem.ts";
import type { Services } from "./route.ts";

/** Time a request waits for the answer of a person before the Bridge has to repeat it. */
export const ANSWER_WAIT_MS = 25_000;

/** Processes a report or request of an agent's turn: reads any spelling of the wire, checks it, records it and answers. */
export async function takeTurnReport(
  services: Services,
  reporter: GatewayReporter,
  kind: TurnKind,
  sent: unknown,
  waitMs: number,
): Promise<object> {
  const { body: spelled, warnings } = readSentTurn(kind, sent);
  const body = await identified(services, reporter, spelled);
  const turn = { services, reporter, body, warnings, waitMs };
  const reply = await withRefusal(answer(kind, turn));
  return warnings.length === 0 ? reply : { ...reply, warnings };
}

interface Taken {
  readonly services: Services;
  readonly reporter: GatewayReporter;
  readonly body: unknown;
  readonly warnings: readonly string[];
  readonly waitMs: number;
}

async function answer(kind: TurnKind, { services, reporter, body, warnings, waitMs }: Taken): Promise<object> {
  const { turns } = services.runtime;
  switch (kind) {
    case "round-complete": {
      const { calls: sent, ...report } = readPeerShape(sentRoundSchema, body);
      const address = addressOf(report);
      const calls = sent.map(({ callId, ...call }, position) => {
        requirePosition(callId, report.round, position);
        return call;
      });
      return turns.round(reporter, address, { ...report, calls }, warnings);
    }
    case "tool-call": {
      const asked = readPeerShape(sentCallSchema, body);
      return (await turns.tool(reporter, addressOf(asked), asked, waitMs, warnings)) ?? { disposition: "wait" };
    }
    case "tool-complete": {
      const report = readPeerShape(sentResultSchema, body);
      await turns.toolResult(reporter, addressOf(report), report, warnings);
      return { received: true };
    }
  }
}

interface Sender {
  readonly dispatchId: string;
  readonly runId?: string | undefined;
  readonly stepId?: string | undefined;
  readonly attempt?: number | undefined;
  readonly segment?: number | undefined;
}

/** Returns the address of the named dispatch with its segment, which is in the id or in a separate field. */
function addressOf({ dispatchId, runId, stepId, attempt, segment }: Sender): AttemptAddress {
  const address = readDispatchId(dispatchId);
  if (address === undefined) throw unknownDispatch(dispatchId);
  const isAnother =
    (runId ?? address.runId) !== address.runId ||
    (stepId ?? address.nodeId) !== address.nodeId ||
    (attempt ?? address.attempt) !== address.attempt ||
    (segment ?? address.segment ?? 0) !== (address.segment ?? segment ?? 0);
  if (!isAnother) return segment === undefined || segment === 0 ? address : { ...address, segment };
  const said = `attempt ${attempt ?? address.attempt} of ${stepId ?? address.nodeId} in ${runId ?? address.runId}`;
  throw new Refused("stale_attempt", `"${dispatchId}" is not ${said}, execution ${segment ?? 0}.`);
}

/** Checks the position of a call: a Bridge may give its id, which ends with round and position. */
function requirePosition(callId: string | undefined, round: number, position: number): void {
  if (callId === undefined || callId.endsWith(`/${round}/${position}`)) return;
  throw new Refused("wrong_call_id", `The id of call ${position} of round ${round} ends with /${round}/${position}.`);
}

/** Converts the error of an attempt that is over, or of a report that does not fit the turn, into a refusal with the reason. */
async function withRefusal(taken: Promise<object>): Promise<object> {
  try {
    return await taken;
  } catch (error) {
    if (!(error instanceof AttemptOver)) throw error;
    throw refusedBy({ code: error.code, message: error.message });
  }
}
