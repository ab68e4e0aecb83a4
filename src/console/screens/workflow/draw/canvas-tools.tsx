import type { JSX } from "react";
import type { TreePath } from "../../../../core/base/index.ts";
import { Button } from "../../../parts/button.tsx";
import { toast } from "../../../parts/toast.tsx";
import type { DrawnStep } from "./drawing.ts";
import { showFailure, type WorkflowDocument } from "./use-workflow-document.ts";

/** The last copied text. With it, pasting works in the page even without permission to read the clipboard. */
let copied = "";

export interface CanvasActions {
  readonly copy: () => void;
  readonly paste: () => void;
  readonly remove: () => void;
  readonly group: () => void;
}

export function canvasActions(doc: WorkflowDocument, cards: readonly DrawnStep[]): CanvasActions {
  const { selected, outline, edit } = doc;
  const steps = cards.filter(({ step }) => step !== null);
  return {
    copy: () => {
      if (steps.length === 0) return;
      const copying = doc.copy(steps.map(({ path }) => path)).then(async (text) => {
        copied = text;
        await navigator.clipboard.writeText(text).catch(() => undefined);
        toast(`Copied ${steps.length === 1 ? (steps[0]?.step?.id ?? "a step") : `${steps.length} steps`}.`, "info");
      });
      void copying.catch(showFailure);
    },
    paste: () => {
      if (outline === null) return;
      const list: TreePath =
        selected === null ? outline.main.path : ((selected.step === null ? selected.inner : selected.list) ?? []);
      const after =
        selected === null ? (outline.main.steps.at(-1)?.id ?? null) : (selected.step?.id ?? selected.innerLast);
      edit({ kind: "paste", list, after, entries: copied });
    },
    remove: () => {
      if (cards.length > 0) edit({ kind: "delete", paths: cards.map(({ path }) => path) });
    },
    group: () => {
      const [first] = steps;
      if (first === undefined) return;
      edit({ kind: "group", list: first.list, ids: steps.map(({ step }) => step?.id ?? "") });
    },
  };
}

interface CanvasToolsProps {
  readonly document: WorkflowDocument;
  readonly cards: readonly DrawnStep[];
  readonly actions: CanvasActions;
}

/** The actions for the selected cards. */
export function CanvasTools({ document: doc, cards, actions }: CanvasToolsProps): JSX.Element {
  const isNone = cards.length === 0 || doc.isReadOnly;
  const hasSteps = cards.some(({ step }) => step !== null);
  return (
    <div className="draw-tools" role="toolbar" aria-label="Canvas">
      <Button kind="quiet" size="small" icon="undo" label="Undo" disabled={!doc.canUndo} onClick={doc.undo} />
      <Button kind="quiet" size="small" icon="redo" label="Redo" disabled={!doc.canRedo} onClick={doc.redo} />
      <span className="draw-tools-gap" />
      <Button kind="quiet" size="small" icon="copy" label="Copy" disabled={!hasSteps} onClick={actions.copy} />
      <Button
        kind="quiet"
        size="small"
        icon="download"
        label="Paste"
        disabled={doc.isReadOnly}
        onClick={actions.paste}
      />
      <Button
        kind="quiet"
        size="small"
        icon="stop"
        label="Group into a block"
        disabled={isNone || !hasSteps}
        onClick={actions.group}
      />
      <Button kind="quiet" size="small" icon="cross" label="Delete" disabled={isNone} onClick={actions.remove} />
      {cards.length > 1 && <span className="muted num">{cards.length} selected</span>}
    </div>
  );
}
