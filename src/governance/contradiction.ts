import { auditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import { type GateBlock, CONTRADICTION, explainBlock, type Judgement, type Unblock } from "../core/governance/index.ts";
import type { InstructionConflict } from "../core/plan/index.ts";
import type { Gathered } from "./facts.ts";
import type { AboutRun, Ruling } from "./judge.ts";
import { recordOf } from "./verdict.ts";

/** A node whose instructions contradict each other, and the data for its verdict. */
export interface Contradicted {
  readonly request: RequestVerdict;
  readonly about: AboutRun;
  readonly gathered: Gathered;
  /** The result of the gates, all of which passed. */
  readonly judgement: Judgement;
  readonly conflicts: readonly InstructionConflict[];
  readonly verdictId: string;
}

/**
 * Returns the ruling on a node that requests something it was forbidden. It is recorded like any other block, with the
 * facts and the passed gates. The engine receives the list of contradictions.
 */
export function contradicted({ request, about, gathered, judgement, conflicts, verdictId }: Contradicted): Ruling {
  const { nodeId } = request;
  const { runId, at } = about;
  const { gate, code } = CONTRADICTION;
  const errors = conflicts.map(({ kind, message }) => ({ field: kind, reason: message }));
  const blocked = blockedBy(judgement, nodeId, conflicts);
  const entry = auditEntry({
    at,
    type: "gate.rejected",
    actor: ENGINE_ACTOR,
    resource: `node/${nodeId}`,
    run: runId,
    node: nodeId,
    detail: { verdictId, gate, code },
  });
  return {
    verdict: { disposition: "contradiction", errors },
    place: null,
    admission: null,
    record: recordOf(blocked, request, gathered, at, verdictId),
    audit: [entry],
  };
}

function blockedBy(judgement: Judgement, nodeId: string, conflicts: readonly InstructionConflict[]): Judgement {
  const { gate, code } = CONTRADICTION;
  const [first] = conflicts;
  const why = first === undefined ? "" : `: ${first.message}`;
  const block: GateBlock = {
    kind: "block",
    code,
    message: `the instructions of ${nodeId} contradict each other${why}`,
    after: "final",
    facts: {
      node: nodeId,
      conflicts: conflicts.map(({ kind, subject, source, layer, againstSource, against }) => ({
        kind,
        subject,
        askedBy: source,
        layer,
        forbiddenBy: againstSource,
        against,
      })),
    },
    unblock: conflicts.flatMap(({ kind, subject, source, againstSource }): readonly Unblock[] => {
      const what = `${kind.replaceAll("_", " ")} ${subject}`;
      return [
        { action: "ask_for_less", target: targetOf(source), detail: `do without ${what}` },
        { action: "forbid_less", target: targetOf(againstSource), detail: `let it use ${what}` },
      ];
    }),
  };
  const trail = [...judgement.trail, { gate, outcome: "block", detail: block.message } as const];
  const { matched } = judgement;
  return { disposition: "block", trail, block, explanation: explainBlock(gate, block), matched };
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^policy (.+)@\d+$/u, "Policy"],
  [/^agent (.+)$/u, "Agent"],
  [/^team ([^,]+)/u, "Team"],
  [/^node (.+)$/u, ""],
];

/** Name of a layer's resource as in a manifest. A node, and a resource that is not registered, has only its own name. */
function targetOf(source: string): string {
  for (const [pattern, kind] of KINDS) {
    const name = pattern.exec(source)?.[1];
    if (name !== undefined) return kind === "" ? name : `${kind}/${name}`;
  }
  return source;
}
