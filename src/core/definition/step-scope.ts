import { formatPath } from "../base/index.ts";
import { ANY, closedObject, followPath, NUMBER, type DeadEnd, type Known, type Path } from "../expression/index.ts";
import { declaredBy, knownOf, ownOutputsOf, stepKnown } from "./declared.ts";
import { hasRounds, roundKnown } from "./repeat-check.ts";
import type { Value } from "./definition.ts";
import type { ArgField } from "./field.ts";
import { isFinally } from "./finally.ts";
import { factKnown } from "./step-fact.ts";
import { seesErrorOf, withError } from "./step-outcome.ts";
import { valueKnown } from "./value-known.ts";
import type { MentionField } from "./mention.ts";
import type { StepDraft } from "./step-draft.ts";

/** The meaning of a name in a step, found in the same order as in the plan. */
export type Meaning =
  | { readonly kind: HeadKind; readonly known: Known }
  /** The path can never have a value. */
  | { readonly kind: "no_field"; readonly head: HeadKind; readonly deadEnd: DeadEnd }
  /** There is nothing with this name. */
  | { readonly kind: "no_name" };

type HeadKind = "own" | "step" | "element" | "variable" | "arg" | "input" | "around" | "fact" | "open";

interface Head {
  readonly kind: HeadKind;
  readonly known: Known;
}

/** The surroundings of a block: the step that contains it, and the scope of that step. */
export interface Around {
  readonly scope: StepScope;
  readonly draft: StepDraft;
}

/** All names of a file, as seen from one level of steps. */
export class StepScope {
  /** Index of the first step with each id. */
  readonly steps: ReadonlyMap<string, number>;
  readonly args: Readonly<Record<string, ArgField>>;
  /** Ids that are invalid. A reference to one of them is not reported a second time. */
  readonly brokenIds: ReadonlySet<string>;
  /** Whether an unavailable library entry may declare more variables. */
  readonly isOpen: boolean;
  /** Null for the steps of the document itself. */
  readonly around: Around | null;
  readonly #drafts: readonly StepDraft[];
  readonly #variables = new Map<string, Known>();
  readonly #instanceNames = new Map<string, string>();
  readonly #steps = new Map<string, Known>();
  /** The only step that sets a variable. The variable's type is known only after all steps have been read. */
  readonly #setters = new Map<string, StepDraft>();
  readonly #own = new Map<StepDraft, Known>();

  constructor(
    drafts: readonly StepDraft[],
    args: Readonly<Record<string, ArgField>>,
    steps: ReadonlyMap<string, number>,
    brokenIds: ReadonlySet<string>,
    around: Around | null = null,
  ) {
    this.#drafts = drafts;
    this.args = args;
    this.steps = steps;
    this.brokenIds = brokenIds;
    this.around = around;
    this.isOpen = around?.scope.isOpen === true || drafts.some((draft) => draft.unresolvedLibraryStep !== null);
    for (const draft of drafts) {
      const { id, forEach, brokenNames } = draft;
      for (const name of brokenNames) this.#variables.set(name, ANY);
      // The variables of a step with `for_each` exist only in its instances.
      if (forEach !== null) {
        for (const [name] of declaredBy(draft)) this.#instanceNames.set(name, id ?? "");
        continue;
      }
      for (const [name, known] of declaredBy(draft)) {
        const isShared = this.#variables.has(name) || Object.hasOwn(args, name);
        this.#variables.set(name, isShared ? ANY : known);
        if (draft.work?.kind !== "set") continue;
        if (isShared) this.#setters.delete(name);
        else this.#setters.set(name, draft);
      }
    }
  }

  /** Returns the meaning of a path in a field. Only `success_criteria` and `until` can read the step's own outputs. */
  meaningOf(path: Path, field: MentionField, draft: StepDraft): Meaning {
    const [first, ...rest] = path.segments;
    const head = String(first);
    if (rest.length > 0 && this.#variables.has(formatPath(path.segments))) return { kind: "variable", known: ANY };
    const found = this.#headOf(head, field, draft);
    if (found === undefined) return { kind: "no_name" };
    const followed = followPath(found.known, rest);
    if (followed.ok) return { kind: found.kind, known: followed.known };
    return { kind: "no_field", head: found.kind, deadEnd: followed.deadEnd };
  }

  #headOf(head: string, field: MentionField, draft: StepDraft): Head | undefined {
    if (seesOwnOutputs(field) && head === "outputs") return { kind: "own", known: this.#ownOf(draft) };
    if (this.steps.has(head)) {
      const known = this.#step(head);
      return { kind: "step", known: seesErrorOf(draft, head, field) ? withError(known) : known };
    }
    return (
      this.#elementOf(head, field, draft) ??
      this.#variableOf(head) ??
      this.#inputOf(head, field, draft) ??
      this.#aroundOf(head) ??
      this.#factOf(head, field, draft)
    );
  }

  /** Returns the meaning of a name outside the block: the names that the containing step can read when it begins. */
  #aroundOf(head: string): Head | undefined {
    if (this.around === null) return undefined;
    const { scope, draft } = this.around;
    const round = roundKnown(head, "steps", draft);
    if (round !== undefined && !scope.steps.has(head)) return { kind: "around", known: round };
    const found = scope.#headOf(head, "steps", draft);
    return found === undefined || found.kind === "fact" ? undefined : { kind: "around", known: found.known };
  }

  #ownOf(draft: StepDraft): Known {
    const isSet = draft.work?.kind === "set";
    const known = this.#own.get(draft) ?? (isSet ? closedObject(this.#setBy(draft)) : ownOutputsOf(draft));
    this.#own.set(draft, known);
    return known;
  }

  #step(id: string): Known {
    const kept = this.#steps.get(id);
    if (kept !== undefined) return kept;
    const draft = this.draftOf(id);
    // Prevents endless recursion. A step that reads itself has been reported already.
    this.#steps.set(id, ANY);
    const known = draft === undefined ? ANY : stepKnown(draft, this.#setBy(draft));
    this.#steps.set(id, known);
    return known;
  }

  #setBy(draft: StepDraft): readonly (readonly [string, Known])[] {
    if (draft.work?.kind !== "set") return [];
    return Object.entries(draft.with).map(([name, value]) => [name, this.knownOfValue(value, "set", draft)]);
  }

  /** Returns the known element. It is not available in `for_each` itself, because the list is evaluated first. */
  #elementOf(head: string, field: MentionField, draft: StepDraft): Head | undefined {
    const { forEach } = draft;
    if (field === "for_each") return undefined;
    if (draft.isForEachBroken && (head === "index" || head === (draft.raw.as ?? "item"))) {
      return { kind: "element", known: ANY };
    }
    if (forEach === null) return undefined;
    if (head === "index") return { kind: "element", known: NUMBER };
    if (head !== forEach.as) return undefined;
    const list = this.knownOfValue(forEach.list, "for_each", draft);
    return { kind: "element", known: list.kind === "list" ? list.items : ANY };
  }

  #variableOf(head: string): Head | undefined {
    const declared = this.#variables.get(head);
    const setter = this.#setters.get(head)?.id ?? undefined;
    if (setter !== undefined) {
      const followed = followPath(this.#step(setter), ["outputs", head]);
      return { kind: "variable", known: followed.ok ? followed.known : ANY };
    }
    if (declared !== undefined) return { kind: "variable", known: declared };
    if (this.around !== null) return undefined;
    if (!Object.hasOwn(this.args, head)) return undefined;
    return { kind: "arg", known: knownOf(this.args[head] ?? {}) };
  }

  /** Returns the known input. Inputs are bound after the condition and the list have been evaluated. */
  #inputOf(head: string, field: MentionField, draft: StepDraft): Head | undefined {
    if (!isAfterBinding(field) || !Object.hasOwn(draft.inputs, head)) return undefined;
    const input = draft.inputs[head];
    if (input === undefined) return { kind: "input", known: ANY };
    const isValue = input.from !== null && input.type === null;
    return { kind: "input", known: isValue ? this.knownOfValue(input.from, "inputs", draft) : knownOf(input) };
  }

  /** Returns the known type of a value before it is filled in. */
  knownOfValue(value: Value, field: MentionField, draft: StepDraft): Known {
    return valueKnown(value, (path) => {
      const meaning = this.meaningOf(path, field, draft);
      return "known" in meaning ? meaning.known : ANY;
    });
  }

  #factOf(head: string, field: MentionField, draft: StepDraft): Head | undefined {
    const known =
      roundKnown(head, field, draft) ?? factKnown(head, this.#isFinally(draft) ? "finally" : field, this.args);
    return known === undefined ? undefined : { kind: "fact", known };
  }

  #isFinally(draft: StepDraft): boolean {
    return this.around === null ? isFinally(draft) : this.around.scope.#isFinally(this.around.draft);
  }

  draftOf(id: string): StepDraft | undefined {
    return this.#drafts[this.steps.get(id) ?? -1];
  }

  isVariable(name: string): boolean {
    if (this.#variables.has(name) || Object.hasOwn(this.args, name)) return true;
    return this.around !== null && (this.around.scope.isVariable(name) || isElementOf(this.around, name));
  }

  /** Returns the id of the step that declares the name only for its instances. */
  instanceDeclarer(name: string): string | undefined {
    return this.#instanceNames.get(name);
  }

  /** Returns every name that is available at this place, for suggestions. */
  namesAt(field: MentionField, draft: StepDraft): readonly string[] {
    const { forEach } = draft;
    return [
      ...this.steps.keys(),
      ...Object.keys(this.args),
      ...this.#variables.keys(),
      ...(forEach === null || field === "for_each" ? [] : [forEach.as, "index"]),
      ...(hasRounds(field, draft) ? ["previous", "round"] : []),
      ...(isAfterBinding(field) ? Object.keys(draft.inputs) : []),
      ...(field === "on_failure" ? ["error"] : []),
      ...(this.around === null ? [] : this.around.scope.namesAt("steps", this.around.draft)),
    ];
  }
}

/** Checks whether the field can read the step's own outputs, which exist only after the step has run. */
export function seesOwnOutputs(field: MentionField): boolean {
  return field === "success_criteria" || field === "until";
}

function isElementOf({ draft }: Around, name: string): boolean {
  return draft.forEach !== null && (name === draft.forEach.as || name === "index");
}

export function isAfterBinding(field: MentionField): boolean {
  return AFTER_BINDING.has(field);
}

const AFTER_BINDING: ReadonlySet<MentionField> = new Set([
  "command",
  "stdin",
  "with",
  "success_criteria",
  "until",
  "show",
  "form",
  "name",
  "on_failure",
]);
