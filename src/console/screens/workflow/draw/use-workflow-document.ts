import { useEffect, useMemo, useRef, useState } from "react";
import type { TreePath } from "../../../../core/base/index.ts";
import type { Outline, WorkflowEdit } from "../../../../core/edit/index.ts";
import { toast } from "../../../parts/toast.tsx";
import type { Checker } from "../check/checker.ts";
import type { Checked } from "../check/use-checker.ts";
import { type Drawing, type DrawnStep, drawingOf, keyOfPath } from "./drawing.ts";
import { inOrder } from "./in-order.ts";
import { TextHistory } from "./text-history.ts";

/** One document with two views: the text, and the canvas with its forms. */
export interface WorkflowDocument {
  readonly text: string;
  readonly outline: Outline | null;
  readonly drawing: Drawing | null;
  /** The card that is selected. */
  readonly selected: DrawnStep | null;
  readonly select: (key: string | null) => void;
  /** Changes the document by drawing or by a form. Typed changes in quick succession are undone together. */
  readonly edit: (edit: WorkflowEdit, isTyped?: boolean) => void;
  /** Changes the document by typing. */
  readonly write: (text: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly copy: (paths: readonly TreePath[]) => Promise<string>;
  readonly isReadOnly: boolean;
  /** Groups of a large drawing whose cards are shown individually. */
  readonly opened: ReadonlySet<string>;
  /** Opens or closes a block or a group. */
  readonly toggle: (key: string) => void;
}

interface Given {
  readonly checker: Checker;
  readonly draft: string;
  readonly checked: Checked;
  readonly onChange: (text: string) => void;
  readonly isReadOnly: boolean;
}

interface Selection {
  readonly path: TreePath;
  /** The id of the step, with which it is found again when steps above it are added or removed. */
  readonly id: string | null;
}

export function useWorkflowDocument(given: Given): WorkflowDocument {
  const { checker, draft, checked, isReadOnly } = given;
  const { history, put, note } = useHistory(given);
  const outline = useOutline(draft, checked, note.known);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const drawing = useMemo(() => (outline === null ? null : drawingOf(outline, closed)), [outline, closed]);
  const [selection, setSelection] = useState<Selection | null>(null);
  const selected = useMemo(() => found(drawing, selection), [drawing, selection]);
  const [queue] = useState(() => inOrder(showFailure));
  const edit = (wanted: WorkflowEdit, isTyped = false): void => {
    if (isReadOnly) return;
    const run = async (): Promise<void> => {
      const source = history.now;
      const { outcome, outline: after } = await checker.edit(source, wanted);
      // If the person typed meanwhile, the edit is repeated on the new text.
      if (history.now !== source) return run();
      if (!outcome.ok) return toast(outcome.failure, "bad");
      const { text, select } = outcome.value;
      note.keep(text, after);
      put(text, isTyped);
      if (select !== null) setSelection({ path: select, id: null });
      else if (wanted.kind === "delete") setSelection(null);
      return undefined;
    };
    void queue(run);
  };
  return {
    text: draft,
    outline,
    drawing,
    selected,
    select: (key) => {
      const card = key === null ? undefined : drawing?.byKey.get(key);
      setSelection(card === undefined ? null : { path: card.path, id: card.step?.id ?? null });
    },
    edit,
    write: (text) => put(text, true),
    undo: () => put(history.undo(), false),
    redo: () => put(history.redo(), false),
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    copy: (paths) => checker.copy(history.now, paths),
    isReadOnly,
    opened,
    toggle: (key) => {
      if (drawing?.byKey.has(key) === true) setClosed(toggled(closed, key));
      else setOpened(toggled(opened, key));
    },
  };
}

/** A bug in an edit or in copying: the text is as before. */
export function showFailure(failure: unknown): void {
  toast(`Not done, the editor failed: ${failure instanceof Error ? failure.message : String(failure)}`, "bad");
}

/** Returns the keys with one more, or with one less when it is among them. */
export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

interface Note {
  readonly known: { readonly text: string; readonly outline: Outline | null } | null;
  readonly keep: (text: string, outline: Outline | null) => void;
}

function useHistory({ draft, onChange }: Given): {
  readonly history: TextHistory;
  readonly put: (text: string, isTyped: boolean) => void;
  readonly note: Note;
} {
  const history = useMemo(() => new TextHistory(draft), []);
  const [known, setKnown] = useState<Note["known"]>(null);
  // Discarding a draft or loading another version can be undone too.
  useEffect(() => history.put(draft, performance.now(), false), [history, draft]);
  const put = (text: string, isTyped: boolean): void => {
    history.put(text, performance.now(), isTyped);
    onChange(text);
  };
  return { history, put, note: { known, keep: (text, outline) => setKnown({ text, outline }) } };
}

/** Returns the outline. While the text cannot be parsed, returns the last outline that could be. */
function useOutline(draft: string, { report, isCurrent }: Checked, known: Note["known"]): Outline | null {
  const last = useRef<Outline | null>(null);
  if (known !== null && known.text === draft && known.outline !== null) last.current = known.outline;
  else if (isCurrent && report?.outline !== null && report?.outline !== undefined) last.current = report.outline;
  else if (last.current === null) last.current = report?.outline ?? null;
  return last.current;
}

function found(drawing: Drawing | null, selection: Selection | null): DrawnStep | null {
  if (drawing === null || selection === null) return null;
  const key = keyOfPath(drawing, selection.path);
  const there = key === null ? undefined : drawing.byKey.get(key);
  if (there !== undefined && (selection.id === null || there.step === null || there.step.id === selection.id))
    return there;
  const moved = [...drawing.byKey.values()].find(({ step }) => step !== null && step.id === selection.id);
  return moved ?? there ?? null;
}
