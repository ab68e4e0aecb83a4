import { type JSX, type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { JsonObject } from "../../core/base/index.ts";
import { useLeaveGuard } from "../page/router.tsx";
import { api } from "../live/api.ts";
import { cache } from "../live/cache.ts";
import { useMay } from "../live/session-store.ts";
import { type Action, useAction } from "../page/use-action.ts";
import { Button } from "../parts/button.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { Field } from "../parts/field.tsx";
import { Panel } from "../parts/panel.tsx";
import { ProblemView } from "../parts/problem-view.tsx";
import { toast } from "../parts/toast.tsx";
import type { EditorHandle } from "../editor/code-editor.tsx";
import type { EditorProblem } from "../editor/diagnostics.ts";
import { Editor } from "../editor/lazy-editor.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { type Insertion, withField } from "./field-insertion.ts";
import { FieldList } from "./field-list.tsx";
import { type ManifestKind, nounOf } from "./manifest-kind.ts";
import { readSpecText } from "./spec-text.ts";
import { SpecForm, type SpecFormParts } from "./spec-form.tsx";
import { fieldsOf, type SpecField } from "./spec-fields.ts";
import { SPEC_WORDS } from "./spec-words.ts";
import { useSpecSchema } from "./use-spec-schema.ts";
import { useTrial } from "./use-trial.ts";

export interface SpecEditorProps extends SpecFormParts {
  readonly kind: ManifestKind;
  /** Name of the entry. Null for a new one. */
  readonly id: string | null;
  readonly initial: string;
  /** True for a built-in entry, which can be overwritten but not deleted. */
  readonly isBuiltIn?: boolean;
  readonly title: string;
  /** A link back to the list. */
  readonly back: ReactNode;
  /** Content beside the editor: facts that the spec does not contain. */
  readonly beside?: ReactNode;
  readonly onSaved: (id: string) => void;
  readonly onDeleted: () => void;
  /** Called with every readable spec, to update the content beside the editor. */
  readonly onSpec?: (spec: JsonObject | null) => void;
}

/**
 * Editor for the spec of a manifest, as a form and as YAML. The server checks it while it is written, and changes are shown before saving.
 */
export function SpecEditor(props: SpecEditorProps): JSX.Element {
  const { kind, id, initial, isBuiltIn = false, title, back, beside = null, onSpec } = props;
  const [text, setText] = useState(initial);
  const [name, setName] = useState(id ?? "");
  const written = useMemo(() => readSpecText(text), [text]);
  const mayWrite = useMay(kind.permission);
  const isChanged = text !== initial || id === null;
  const trial = useTrial(kind, id ?? (name === "" ? "name" : name), written, mayWrite && isChanged);
  const [setDone, forget] = useLeaving(props, text !== initial);
  useEffect(() => onSpec?.(written.spec), [written.spec]);
  const saving = useSaving(kind, name, written.spec, setDone);
  const change = (next: string): void => {
    forget();
    setText(next);
  };
  const handle = useRef<EditorHandle>(null);
  const insert = useInsertion(handle, text, change);
  const read = useSpecSchema(kind);
  const problems = written.problems.length > 0 ? written.problems : trial.problems;
  const save = (): void => void saving.run();
  const isReadOnly = !mayWrite;
  const yaml = <YamlPanel {...{ kind, text, problems, handle, isReadOnly }} onText={change} onSave={save} />;
  return (
    <div className="manifest-split">
      <Panel title={title} actions={back}>
        <div className="stack">
          {id === null && <NameField kind={kind} name={name} onChange={setName} />}
          <SpecForm
            {...props}
            text={text}
            onText={change}
            read={read}
            spec={written.spec}
            problems={trial.problems}
            isReadOnly={isReadOnly}
          />
          {trial.refusal !== null && <ProblemView problem={trial.refusal} />}
          {trial.diff !== null && id !== null && <Changes diff={trial.diff} />}
          {saving.problem !== null && <ProblemView problem={saving.problem} />}
          <div className="row">
            <Button
              kind="primary"
              icon="check"
              disabled={!mayWrite || written.spec === null || name === "" || !isChanged}
              isBusy={saving.isBusy}
              onClick={save}
            >
              Save
            </Button>
            {id !== null && !isBuiltIn && mayWrite && (
              <DeleteButton kind={kind} id={id} onDeleted={() => setDone("deleted")} />
            )}
            {!mayWrite && <span className="muted">You may look at it; writing needs {kind.permission}.</span>}
          </div>
        </div>
      </Panel>
      {/* Of a new entry there is only the text; later, its state comes first. */}
      <div className="stack">
        {id === null && yaml}
        {beside}
        {id !== null && yaml}
        <Fields kind={kind} schema={read.data ?? null} spec={written.spec} onInsert={mayWrite ? insert : undefined} />
      </div>
    </div>
  );
}

interface YamlPanelProps {
  readonly kind: ManifestKind;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly problems: readonly EditorProblem[];
  readonly handle: RefObject<EditorHandle | null>;
  readonly onSave: () => void;
  readonly isReadOnly: boolean;
}

function YamlPanel({ kind, text, onText, problems, handle, onSave, isReadOnly }: YamlPanelProps): JSX.Element {
  return (
    <Panel title="YAML">
      <div className="stack">
        <div className="manifest-editor">
          <Editor
            label={`Spec of ${kind.title}`}
            value={text}
            onChange={onText}
            problems={problems}
            handle={handle}
            onSave={onSave}
            isReadOnly={isReadOnly}
            isSecret={SPEC_WORDS.isSecret}
          />
        </div>
        <SpecProblems problems={problems} onGo={(line, column) => handle.current?.goTo(line, column)} />
      </div>
    </Panel>
  );
}

interface NameFieldProps {
  readonly kind: ManifestKind;
  readonly name: string;
  readonly onChange: (name: string) => void;
}

function NameField({ kind, name, onChange }: NameFieldProps): JSX.Element {
  return (
    <Field label="Name" isRequired hint={`What ${kind.title} is referred to by.`}>
      <input value={name} autoComplete="off" onChange={(event) => onChange(event.target.value)} />
    </Field>
  );
}

function useSaving(
  kind: ManifestKind,
  name: string,
  spec: JsonObject | null,
  setDone: (done: Done) => void,
): Action<[]> {
  return useAction<[]>(async () => {
    if (spec === null || name === "") return;
    await save(kind, name, spec);
    cache.invalidate(kind.collection);
    toast(`Saved ${nounOf(kind)} ${name}.`);
    setDone({ saved: name });
  });
}

/** Inserts a field into the text, and moves the cursor to its value once the editor shows it. */
function useInsertion(
  handle: RefObject<EditorHandle | null>,
  text: string,
  change: (text: string) => void,
): (field: SpecField) => void {
  const [place, setPlace] = useState<Insertion | null>(null);
  useEffect(() => {
    if (place !== null) handle.current?.goTo(place.line, place.column);
  }, [handle, place]);
  const newest = useRef({ text, change });
  newest.current = { text, change };
  return useCallback(({ name, sample }: SpecField): void => {
    const insertion = withField(newest.current.text, name, sample);
    if (insertion.text !== newest.current.text) newest.current.change(insertion.text);
    setPlace(insertion);
  }, []);
}

interface FieldsProps {
  readonly kind: ManifestKind;
  readonly schema: JsonObject | null;
  readonly spec: JsonObject | null;
  readonly onInsert: ((field: SpecField) => void) | undefined;
}

function Fields({ kind, schema, spec, onInsert }: FieldsProps): JSX.Element {
  const fields = useMemo(() => (schema === null ? null : fieldsOf(schema)), [schema]);
  const names = Object.keys(spec ?? {}).join("\n");
  const written = useMemo(() => new Set(names.split("\n")), [names]);
  return <FieldList title={kind.title} fields={fields} written={written} onInsert={onInsert} />;
}

type Done = { readonly saved: string } | "deleted" | null;

/** Asks before unsaved changes are left. After saving or deleting, the callbacks run only when the question has been removed. */
function useLeaving(
  { kind, onSaved, onDeleted }: SpecEditorProps,
  isChanged: boolean,
): readonly [setDone: (done: Done) => void, forget: () => void] {
  const [done, setDone] = useState<Done>(null);
  useLeaveGuard(done === null && isChanged ? `The changes of this ${nounOf(kind)} are not saved.` : null);
  useEffect(() => {
    if (done === "deleted") onDeleted();
    else if (done !== null) onSaved(done.saved);
  }, [done]);
  return [setDone, () => setDone(null)];
}

function Changes({ diff }: { readonly diff: string }): JSX.Element {
  return (
    <details open>
      <summary>What would change</summary>
      <CodeBlock label="Changes" text={diff} maxHeight={240} />
    </details>
  );
}

interface SpecProblemsProps {
  readonly problems: readonly EditorProblem[];
  readonly onGo: (line: number, column: number) => void;
}

/** Lists the problems, each with a link to its line. */
function SpecProblems({ problems, onGo }: SpecProblemsProps): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <ul className="manifest-problems" aria-label="Problems">
      {problems.map(({ line, column, message, hint, code }, index) => (
        <li key={index}>
          <button type="button" onClick={() => onGo(line, column)}>
            <span className="num muted nowrap">line {line}</span> {message}{" "}
            {hint !== undefined && <span className="muted">{hint}</span>} <code className="muted">{code}</code>
          </button>
        </li>
      ))}
    </ul>
  );
}

async function save(kind: ManifestKind, id: string, spec: JsonObject): Promise<void> {
  if (kind.collection === "gateways") await api.putGateway(id, spec);
  else await api.putRegistered(kind.collection, id, spec);
}
