/** Checks a repeated step for conflicting fields, and defines the names that its rounds can use. */
import { ANY, closedObject, type Known, NUMBER, TEXT } from "../expression/index.ts";
import { ownOutputsOf } from "./declared.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import type { MentionField } from "./mention.ts";
import type { StepDraft } from "./step-draft.ts";
import type { RawStep } from "./step-shape.ts";
import { hasWork } from "./work-fields.ts";

/** Outputs that every repeated step has without declaring them. */
const OWN_OUTPUTS = ["rounds", "exhausted"];

export function checkRepeat({ read, raw, path }: Located<RawStep>, isOpen: boolean, report: Report): void {
  if (!isWritten(raw, "repeat")) return;
  const at = [...path, "repeat"];
  if (isWritten(raw, "for_each")) {
    const message = `A step has either "for_each" or "repeat".`;
    const hint = "Put the repeated step into a block, steps: [ … ], and write for_each there.";
    report.problem("conflicting_fields", at, message, { isAtKey: true, hint });
  }
  const isGate = read.approval === "required" || read.hitl === true;
  if (isGate && !isOpen && !hasWork(read)) {
    const message = `A gate without a command is asked once, so that there is nothing to repeat.`;
    report.problem("bad_repeat", at, message, { isAtKey: true, hint: "Give the step a command, or remove repeat." });
  }
  for (const [field, names] of [["outputs", read.outputs ?? {}] as const, ["set", read.set?.values ?? {}] as const]) {
    for (const name of OWN_OUTPUTS.filter((own) => Object.hasOwn(names, own))) {
      const message = `A repeated step has the output "${name}" by itself.`;
      const hint = "Give this one another name.";
      report.problem("bad_repeat", [...path, field, name], message, { isAtKey: true, hint });
    }
  }
}

/** Fields that are evaluated before the first round. */
const BEFORE_ROUNDS: ReadonlySet<MentionField> = new Set(["condition", "for_each", "outputs"]);

export function hasRounds(field: MentionField, { raw }: Pick<StepDraft, "raw">): boolean {
  return raw.repeat !== undefined && !BEFORE_ROUNDS.has(field);
}

/** Returns the known type of `previous` or `round` in fields that are evaluated in a round. */
export function roundKnown(head: string, field: MentionField, draft: StepDraft): Known | undefined {
  if (!hasRounds(field, draft)) return undefined;
  if (head === "round") return NUMBER;
  return head === "previous" ? previousKnown(draft) : undefined;
}

/** Returns the known fields of `previous`, as for a step: its outputs, `stdout` and `json`. */
function previousKnown(draft: StepDraft): Known {
  const outputs = roundOutputs(draft);
  if (outputs.kind !== "object") return outputs;
  const fields = new Map<string, Known>([["stdout", TEXT], ["json", ANY], ["outputs", outputs], ...outputs.fields]);
  return { kind: "object", fields, isOpen: outputs.isOpen };
}

/** Returns the outputs of a round. Of set values only the names are known, because a value may be calculated from itself. */
function roundOutputs(draft: StepDraft): Known {
  if (draft.work?.kind !== "set") return ownOutputsOf(draft);
  return closedObject(Object.keys(draft.with).map((name) => [name, ANY]));
}
