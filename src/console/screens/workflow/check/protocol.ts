import type { JsonObject, Problem, TreePath } from "../../../../core/base/index.ts";
import type { ArgField } from "../../../../core/definition/index.ts";
import type { EditOutcome, Outline, WorkflowEdit } from "../../../../core/edit/index.ts";
import type { RunEvent } from "../../../../core/event/index.ts";
import { type NodeKind, type Plan, waitsForText } from "../../../../core/plan/index.ts";

/** The part of a plan that the page draws. It is small enough to be sent between threads at every keystroke. */
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
  /** The same dependencies in words, with the required end states. */
  readonly waitsFor: string;
  readonly agent: string | null;
  readonly isForEach: boolean;
  readonly isRepeated: boolean;
}

export interface CheckReport {
  /** Null if and only if there are problems. */
  readonly plan: DrawnPlan | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** The steps of the text, also when it has problems. Null when no steps can be drawn. */
  readonly outline: Outline | null;
}

/** The outcome of an edit, with the steps of the new text. */
export interface EditAnswer {
  readonly outcome: EditOutcome;
  readonly outline: Outline | null;
}

/** Request of the page to the web worker. */
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
  /** Copies some steps as they are written. */
  | { readonly type: "copy"; readonly id: number; readonly source: string; readonly paths: readonly TreePath[] }
  /** Cancels a simulation in progress. */
  | { readonly type: "stop"; readonly id: number };

/** The source of the answers of nodes. */
export type AnswerSource =
  /** A YAML script. When it is empty, answers are generated. */
  | { readonly kind: "script"; readonly script: string }
  /** A model that the page calls directly. The key is stored only in the memory of the page and sent only to that model. */
  | { readonly kind: "model"; readonly baseUrl: string; readonly model: string; readonly apiKey: string };

/** The reason why a simulation did not begin. */
export interface SimulationProblem {
  readonly code: string;
  readonly message: string;
  readonly nodeId?: string;
  readonly line?: number;
}

/** The end of a simulation. All its events have been sent before. */
export type PageSimulation =
  | { readonly ok: true }
  | { readonly ok: false; readonly problems: readonly SimulationProblem[] };

export type Reply =
  | { readonly type: "checked"; readonly id: number; readonly report: CheckReport }
  | { readonly type: "edited"; readonly id: number; readonly answer: EditAnswer }
  | { readonly type: "copied"; readonly id: number; readonly text: string }
  /** The events since the last progress message. */
  | { readonly type: "progress"; readonly id: number; readonly events: readonly RunEvent[] }
  | { readonly type: "simulated"; readonly id: number; readonly simulation: PageSimulation }
  /** A bug: the question has no other reply. */
  | { readonly type: "failed"; readonly id: number; readonly message: string };

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
