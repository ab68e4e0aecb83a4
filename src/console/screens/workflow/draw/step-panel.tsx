import { type JSX, useMemo } from "react";
import { isJsonObject, type JsonObject } from "../../../../core/base/index.ts";
import { jsonSchema } from "../../../../core/definition/index.ts";
import { valueAt } from "../../../../core/edit/index.ts";
import { schemasAt } from "../../../editor/schema-walk.ts";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { Button } from "../../../parts/button.tsx";
import type { KnownNames } from "../../../editor/names.ts";
import type { DrawnStep } from "./drawing.ts";
import type { PlacedProblem } from "./placed-problems.ts";
import { referencesFor } from "./reference-offers.ts";
import type { WorkflowDocument } from "./use-workflow-document.ts";
import type { FormContext } from "../../../form/form-context.ts";
import { ObjectForm } from "../../../form/object-form.tsx";
import { Problems } from "../../../form/problems.tsx";
import { NameInput } from "../../../form/plain-controls.tsx";
import { ALWAYS, DRAWN, FIELDS_BY_KIND, wordsOfStep } from "./step-fields.ts";

interface StepPanelProps {
  readonly document: WorkflowDocument;
  readonly problems: readonly PlacedProblem[];
  readonly known: KnownNames;
  /** Shows the line of a step in the text. */
  readonly onShowText: (line: number) => void;
}

const SCHEMA = jsonSchema("lobsterx");
const STEP_SCHEMA = (schemasAt(SCHEMA, ["steps", 0])[0] ?? {}) satisfies JsonObject;
const BRANCH_SCHEMA = (schemasAt(SCHEMA, ["steps", 0, "choose", 0])[0] ?? {}) satisfies JsonObject;

/** The form of the selection: a step, a branch, or the workflow itself. */
export function StepPanel(props: StepPanelProps): JSX.Element {
  const { document: doc, problems, known } = props;
  const { outline, selected, edit, isReadOnly } = doc;
  const offers = useMemo(() => (outline === null ? [] : referencesFor(outline, selected)), [outline, selected]);
  const kind = selected?.step?.kind ?? null;
  const siblings = useSiblings(doc);
  const context: FormContext = {
    edit,
    problems,
    offers,
    words: wordsOfStep(kind),
    isReadOnly,
    namesFor: (key) => namesFor(key, known, siblings),
  };
  if (outline === null && problems.length === 0) return <Skeleton lines={8} />;
  if (outline === null) return <p className="muted">The steps appear once the text can be read.</p>;
  if (selected === null || (selected.step === null && selected.path.length === 1)) {
    return <WorkflowForm context={context} value={isJsonObject(outline.value) ? outline.value : {}} />;
  }
  const value = valueAt(outline.value, selected.path);
  if (!isJsonObject(value)) return <p className="muted">It is not there any more.</p>;
  if (selected.step === null) return <BranchForm {...{ selected, value, context }} />;
  return <StepForm key={JSON.stringify(selected.path)} {...props} {...{ selected, value, context }} />;
}

function namesFor(key: string, known: KnownNames, siblings: readonly string[]): readonly string[] {
  switch (key) {
    case "depends_on":
      return siblings;
    case "agent":
      return known.agents;
    case "model":
    case "models":
      return known.models;
    case "workflow_ref":
      return known.workflows;
    case "library_step":
      return known.library;
    case "tools":
      return known.tools;
    default:
      return [];
  }
}

/** Returns the steps of the same list that do not wait for this one. */
function useSiblings({ drawing, selected }: WorkflowDocument): readonly string[] {
  return useMemo(() => {
    if (drawing === null || selected?.step === null || selected === null) return [];
    const list = JSON.stringify(selected.list);
    const all = [...drawing.byKey.values()].flatMap(({ list: own, step }) =>
      step !== null && JSON.stringify(own) === list ? [step] : [],
    );
    const after = new Set([selected.step.id]);
    for (let size = 0; size !== after.size;) {
      size = after.size;
      for (const step of all) if (step.parents.some((id) => after.has(id))) after.add(step.id);
    }
    return all.map(({ id }) => id).filter((id) => id !== "" && !after.has(id));
  }, [drawing, selected]);
}

interface FormProps {
  readonly selected: DrawnStep;
  readonly value: JsonObject;
  readonly context: FormContext;
}

function StepForm({
  document: doc,
  selected,
  value,
  context,
  onShowText,
}: FormProps & StepPanelProps): JSX.Element | null {
  const { step, path } = selected;
  if (step === null) return null;
  const { edit, isReadOnly } = doc;
  const isEach = step.isForEach ? ["for_each", "as"] : [];
  const first = [
    ...isEach,
    ...(FIELDS_BY_KIND[step.kind] ?? []).filter((key) => key !== "fail" && key !== "cancel"),
    ...ALWAYS,
  ];
  return (
    <section className="draw-panel" aria-label={`Step ${step.id}`}>
      <header className="draw-panel-head">
        <NameInput
          label="Id of the step"
          value={step.id}
          disabled={isReadOnly}
          onCommit={(id) => edit({ kind: "rename", path, id })}
        />
        <Button kind="quiet" size="small" icon="audit" onClick={() => onShowText(step.firstLine)}>
          Line {step.firstLine}
        </Button>
      </header>
      <Problems problems={context.problems} path={path} isExact />
      <Problems problems={context.problems} path={[...path, "id"]} isExact={false} />
      {step.kind === "choose" && <Branches {...{ selected, value, context }} />}
      <Problems problems={context.problems} path={[...path, "steps"]} isExact />
      <ObjectForm path={path} schema={STEP_SCHEMA} value={value} first={first} hidden={DRAWN} context={context} />
    </section>
  );
}

/** The branches of a choice, in the order in which they are tried. */
function Branches({ selected: { step, path }, context }: FormProps): JSX.Element {
  const branches = step?.blocks.filter(({ branch }) => branch !== null) ?? [];
  const hasOtherwise = branches.at(-1)?.branch === "otherwise";
  const last = hasOtherwise ? branches.length - 1 : branches.length;
  const append = (index: number, added: JsonObject): void =>
    context.edit({ kind: "append", list: [...path, "choose"], index, value: added });
  return (
    <div className="draw-branches">
      <p className="field-hint">Branches are tried in this order; select one on the canvas to put steps into it.</p>
      <ol>
        {branches.map(({ branch }, index) => (
          <li key={index}>
            <code>{branch === "otherwise" ? "otherwise" : branch === "" ? "no condition yet" : `when ${branch}`}</code>
          </li>
        ))}
      </ol>
      {!context.isReadOnly && (
        <div className="row">
          <Button size="small" icon="plus" onClick={() => append(last, { when: "", steps: [] })}>
            Add branch
          </Button>
          {!hasOtherwise && (
            <Button size="small" icon="plus" onClick={() => append(last, { else: [] })}>
              Add otherwise
            </Button>
          )}
        </div>
      )}
      <Problems problems={context.problems} path={[...path, "choose"]} isExact />
    </div>
  );
}

const BRANCH_HIDDEN: ReadonlySet<string> = new Set(["steps", "else"]);
const ELSE_HIDDEN: ReadonlySet<string> = new Set(["steps", "else", "when"]);

function BranchForm({ selected: { path }, value, context }: FormProps): JSX.Element {
  const isElse = Object.hasOwn(value, "else");
  return (
    <section className="draw-panel" aria-label="Branch">
      <header className="draw-panel-head">
        <h2>{isElse ? "Otherwise" : "Branch"}</h2>
      </header>
      <p className="muted">
        {isElse ? "Taken when no condition before it holds." : "Taken when its condition holds and none before it did."}
      </p>
      <Problems problems={context.problems} path={path} isExact />
      <Problems problems={context.problems} path={[...path, isElse ? "else" : "steps"]} isExact />
      <ObjectForm
        path={path}
        schema={BRANCH_SCHEMA}
        value={value}
        first={isElse ? [] : ["when"]}
        hidden={isElse ? ELSE_HIDDEN : BRANCH_HIDDEN}
        context={context}
      />
    </section>
  );
}

const DOCUMENT_HIDDEN: ReadonlySet<string> = new Set(["steps", "finally", "format", "name"]);

/** The form when nothing is selected: fields of the whole workflow. */
function WorkflowForm({ value, context }: { readonly value: JsonObject; readonly context: FormContext }): JSX.Element {
  const [document] = schemasAt(SCHEMA, []);
  return (
    <section className="draw-panel" aria-label="Workflow">
      <header className="draw-panel-head">
        <h2>Workflow</h2>
      </header>
      <p className="muted">Select a step to edit it. This holds for the whole workflow.</p>
      <ObjectForm
        path={[]}
        schema={document ?? {}}
        value={value}
        first={["description", "args"]}
        hidden={DOCUMENT_HIDDEN}
        context={context}
      />
    </section>
  );
}
