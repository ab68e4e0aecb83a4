import type { JsonObject, Problem, TreePath } from "../../../../core/base/index.ts";
import type { ArgField } from "../../../../core/definition/index.ts";
import type { EditOutcome, Outline, WorkflowEdit } from "../../../../core/edit/index.ts";
import type { RunEvent } from "../../../../core/event/index.ts";
import { type NodeKind, type Plan, waitsForText } from "../../../../core/plan/index.ts";

/** A plan as far as a page draws it: small enough to be sent from one thread to another with every keystroke. */
export interface DrawnPlan {
  readonly name: string;
  readonly format: Plan["format"];
  readonly args: Readonly<Record<string, ArgField>>;
  readonly nodes: readonly DrawnNode[];
  readonly roles: readonly string[];
}

export interface DrawnNode {
  readonly id: string;
  readonly label: string;
  readonly kind: NodeKind;
  readonly phase: string | null;
  readonly wave: number;
  readonly dependsOn: readonly string[];
  /** The same in words, with how they must have ended. */
  readonly waitsFor: string;
  readonly agent: string | null;
  readonly isForEach: boolean;
  readonly isRepeated: boolean;
}

export interface CheckReport {
  /** Null exactly when there are problems. */
  readonly plan: DrawnPlan | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** The steps of the text, also while it has problems; null when it has none that can be drawn. */
  readonly outline: Outline | null;
}

/** What became of an edit, with the steps of the new text. */
export interface EditAnswer {
  readonly outcome: EditOutcome;
  readonly outline: Outline | null;
}

/** What a page asks of the script that checks beside it. */
export type Question =
  | { readonly type: "check"; readonly id: number; readonly source: string }
  | {
      readonly type: "simulate";
      readonly id: number;
      readonly source: string;
      readonly args: JsonObject;
      readonly answers: AnswerSource;
    }
  | { readonly type: "edit"; readonly id: number; readonly source: string; readonly edit: WorkflowEdit }
  /** Some steps as they are written. */
  | { readonly type: "copy"; readonly id: number; readonly source: string; readonly paths: readonly TreePath[] }
  /** Cancels a simulation that is under way. */
  | { readonly type: "stop"; readonly id: number };

/** Where the answers of nodes come from. */
export type AnswerSource =
  /** YAML; empty: answers are made up. */
  | { readonly kind: "script"; readonly script: string }
  /** A model the page calls itself. The key is kept in the memory of the page, and goes nowhere else. */
  | { readonly kind: "model"; readonly baseUrl: string; readonly model: string; readonly apiKey: string };

/** Why a simulation did not begin. */
export interface SimulationProblem {
  readonly code: string;
  readonly message: string;
  readonly nodeId?: string;
  readonly line?: number;
}

/** How it ended; its events have been sent by then. */
export type PageSimulation =
  | { readonly ok: true }
  | { readonly ok: false; readonly problems: readonly SimulationProblem[] };

export type Reply =
  | { readonly type: "checked"; readonly id: number; readonly report: CheckReport }
  | { readonly type: "edited"; readonly id: number; readonly answer: EditAnswer }
  | { readonly type: "copied"; readonly id: number; readonly text: string }
  /** What became true since the last time. */
  | { readonly type: "progress"; readonly id: number; readonly events: readonly RunEvent[] }
  | { readonly type: "simulated"; readonly id: number; readonly simulation: PageSimulation };

export function drawnPlanOf(plan: Plan): DrawnPlan {
  const idAt = (index: number): string => plan.nodes[index]?.id ?? "";
  return {
    name: plan.name,
    format: plan.format,
    args: plan.args,
    nodes: plan.nodes.map((node) => ({
      id: node.id,
      label: node.label,
      kind: node.kind,
      phase: node.phase,
      wave: node.wave,
      dependsOn: node.parents.map(idAt),
      waitsFor: waitsForText(plan, node),
      agent: node.request.agent,
      isForEach: node.forEach !== null,
      isRepeated: node.repeat !== null,
    })),
    roles: Object.keys(plan.agentByRole),
  };
}
