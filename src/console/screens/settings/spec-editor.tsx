import { type JSX, useEffect, useMemo, useState } from "react";
import type { JsonObject } from "../../../core/base/index.ts";
import { useLeaveGuard } from "../../app/router.tsx";
import { api, asError } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useAction } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { toast } from "../../parts/toast.tsx";
import type { EditorProblem } from "../workflow/editor/diagnostics.ts";
import { Editor } from "../workflow/editor/lazy-editor.tsx";
import type { ManifestKind } from "./manifest-kind.ts";
import { placedProblems, readSpecText, type SpecText } from "./spec-text.ts";

export interface SpecEditorProps {
  readonly kind: ManifestKind;
  /** Null for a new one. */
  readonly id: string | null;
  readonly initial: string;
  /** What was built in can be written over and not deleted. */
  readonly isBuiltIn?: boolean;
  readonly onSaved: (id: string) => void;
  readonly onDeleted: () => void;
  /** Told of every text that can be read, for what goes on beside the editor. */
  readonly onSpec?: (spec: JsonObject | null) => void;
}

/** The spec of a manifest as YAML, checked by the server while it is written; what would change is shown first. */
export function SpecEditor(props: SpecEditorProps): JSX.Element {
  const { kind, id, initial, isBuiltIn = false, onSpec } = props;
  const [text, setText] = useState(initial);
  const [name, setName] = useState(id ?? "");
  const written = useMemo(() => readSpecText(text), [text]);
  const mayWrite = useMay(kind.permission);
  const isChanged = text !== initial || id === null;
  const trial = useTrial(kind, id ?? (name === "" ? "name" : name), written, mayWrite && isChanged);
  const [setDone, forget] = useLeaving(props, text !== initial);
  useEffect(() => onSpec?.(written.spec), [written.spec]);
  const saving = useAction(async () => {
    if (written.spec === null || name === "") return;
    await save(kind, name, written.spec);
    cache.invalidate(kind.collection);
    toast(`Saved ${nounOf(kind)} ${name}.`);
    setDone({ saved: name });
  });
  const change = (next: string): void => {
    forget();
    setText(next);
  };
  const problems = written.problems.length > 0 ? written.problems : trial.problems;
  return (
    <div className="stack">
      {id === null && (
        <Field label="Name" isRequired hint={`What ${kind.title} is referred to by.`}>
          <input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
      )}
      <div className="settings-editor">
        <Editor
          label={`Spec of ${kind.title}`}
          value={text}
          onChange={change}
          problems={problems}
          onSave={() => void saving.run()}
          isReadOnly={!mayWrite}
        />
      </div>
      <SpecProblems problems={problems} />
      {trial.refusal !== null && <ProblemView problem={trial.refusal} />}
      {trial.diff !== null && id !== null && <Changes diff={trial.diff} />}
      {saving.problem !== null && <ProblemView problem={saving.problem} />}
      <div className="row">
        <Button
          kind="primary"
          icon="check"
          disabled={!mayWrite || written.spec === null || name === "" || !isChanged}
          isBusy={saving.isBusy}
          onClick={() => void saving.run()}
        >
          Save
        </Button>
        {id !== null && !isBuiltIn && mayWrite && (
          <DeleteButton kind={kind} id={id} onDeleted={() => setDone("deleted")} />
        )}
        {!mayWrite && <span className="muted">You may look at it; writing needs {kind.permission}.</span>}
      </div>
    </div>
  );
}

type Done = { readonly saved: string } | "deleted" | null;

/** Asks before unsaved work is left. What is to come after saving or deleting comes once that question has gone. */
function useLeaving(
  { kind, onSaved, onDeleted }: SpecEditorProps,
  isChanged: boolean,
): readonly [setDone: (done: Done) => void, forget: () => void] {
  const [done, setDone] = useState<Done>(null);
  useLeaveGuard(done === null && isChanged ? `The changes of this ${nounOf(kind)} are not saved. Leave them?` : null);
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

interface DeleteButtonProps {
  readonly kind: ManifestKind;
  readonly id: string;
  readonly onDeleted: () => void;
}

function DeleteButton({ kind, id, onDeleted }: DeleteButtonProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const remove = async (): Promise<void> => {
    if (kind.collection === "gateways") await api.deleteGateway(id);
    else await api.deleteRegistered(kind.collection, id);
    cache.invalidate(kind.collection);
    toast(`Deleted ${nounOf(kind)} ${id}.`);
    onDeleted();
  };
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <Confirm
          title={`Delete ${nounOf(kind)} ${id}?`}
          verb="Delete"
          phrase={id}
          onClose={() => setAsking(false)}
          onConfirm={remove}
        >
          Runs that have started keep what they were pinned to. The deletion is audited.
        </Confirm>
      )}
    </>
  );
}

function SpecProblems({ problems }: { readonly problems: readonly EditorProblem[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <ul className="settings-problems" aria-label="Problems">
      {problems.map(({ line, message, hint, code }, index) => (
        <li key={index}>
          <span className="num muted">line {line}</span> {message}{" "}
          {hint !== undefined && <span className="muted">{hint}</span>} <code className="muted">{code}</code>
        </li>
      ))}
    </ul>
  );
}

export function nounOf({ title }: ManifestKind): string {
  return title.replace(/^an? /, "");
}

async function save(kind: ManifestKind, id: string, spec: JsonObject): Promise<void> {
  if (kind.collection === "gateways") await api.putGateway(id, spec);
  else await api.putRegistered(kind.collection, id, spec);
}

interface Trial {
  readonly problems: readonly EditorProblem[];
  readonly diff: string | null;
  readonly refusal: Error | null;
}

const NOTHING: Trial = { problems: [], diff: null, refusal: null };
const PAUSE_MS = 350;

/** Applies the text without writing anything, a little after the last change. */
function useTrial(kind: ManifestKind, name: string, { spec, tree }: SpecText, isWanted: boolean): Trial {
  const [trial, setTrial] = useState<Trial>(NOTHING);
  useEffect(() => {
    setTrial((before) => ({ ...before, diff: null, refusal: null }));
    if (!isWanted || spec === null || tree === null) return undefined;
    let isCurrent = true;
    const ask = async (): Promise<void> => {
      const found = await api.apply([{ kind: kind.kind, name, spec }], { dryRun: true }).then(
        ({ applied: [first] }): Trial => ({ problems: [], diff: first?.diff ?? null, refusal: null }),
        (thrown: unknown): Trial => {
          const problem = asError(thrown);
          const problems = placedProblems(problem, tree);
          return problems === null
            ? { problems: [], diff: null, refusal: problem }
            : { problems, diff: null, refusal: null };
        },
      );
      if (isCurrent) setTrial(found);
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [kind, name, spec, tree, isWanted]);
  return trial;
}
