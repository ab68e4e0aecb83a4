import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  type KeyBinding,
  lineNumbers,
} from "@codemirror/view";
import { type JSX, type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import type { Offers } from "./complete.ts";
import { completionOf } from "./completion.ts";
import { diagnosticsOf, type EditorProblem } from "./diagnostics.ts";
import { editorLook } from "./editor-look.ts";
import { hiddenValues } from "./hidden-values.ts";
import { yamlMarks } from "./yaml-marks.ts";

export interface EditorHandle {
  /** Moves the cursor to a place and scrolls it into view. */
  readonly goTo: (line: number, column: number) => void;
}

export interface CodeEditorProps {
  /** Accessible name of the content. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly problems: readonly EditorProblem[];
  readonly complete?: (text: string, offset: number) => Offers | null;
  /** Called for Mod+S. */
  readonly onSave?: () => void;
  readonly handle?: RefObject<EditorHandle | null>;
  readonly isReadOnly?: boolean;
  /** Keys whose values are drawn as dots. */
  readonly isSecret?: (key: string) => boolean;
  /** Undo history shared with another view of the same text. Without it the editor has its own. */
  readonly past?: { readonly undo: () => void; readonly redo: () => void };
  /** A place to scroll to whenever the value changes. */
  readonly goal?: { readonly line: number; readonly column: number } | null;
  /** Called with the line into which a person puts the cursor. */
  readonly onLine?: (line: number) => void;
}

/** Text editor for YAML. It is in a shadow tree, where a script may set its styles although the page's policy forbids inline styles. */
export function CodeEditor(props: CodeEditorProps): JSX.Element {
  const { label, value, problems, handle, isReadOnly = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const shown = useRef(value);
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    shown.current = newest.current.value;
    const own = extensionsFor(label, isReadOnly, newest, shown);
    const made = new EditorView({
      state: EditorState.create({ doc: shown.current, extensions: own }),
      root,
      parent: root,
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || value === shown.current) return;
    const changes = changeBetween(shown.current, value);
    shown.current = value;
    editor.dispatch({ changes });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== null) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)));
  }, [problems]);
  const { goal = null } = props;
  useEffect(() => {
    if (view.current !== null && goal !== null) showPlace(view.current, goal.line, goal.column);
  }, [goal]);
  useImperativeHandle(handle, () => ({
    goTo: (line, column) => {
      if (view.current === null) return;
      showPlace(view.current, line, column);
      view.current.focus();
    },
  }));
  return (
    <div
      ref={host}
      className="code-editor"
      // The shadow tree hides from the page that a person is typing, so letters must not reach the page's shortcuts.
      onKeyDown={(event) => {
        if (!event.metaKey && !event.ctrlKey) event.nativeEvent.stopPropagation();
      }}
    />
  );
}

function pastKeymap(newest: RefObject<CodeEditorProps>): readonly KeyBinding[] {
  const undo = (): boolean => {
    newest.current.past?.undo();
    return true;
  };
  const redo = (): boolean => {
    newest.current.past?.redo();
    return true;
  };
  return [
    { key: "Mod-z", run: undo, shift: redo, preventDefault: true },
    { key: "Mod-y", run: redo, preventDefault: true },
  ];
}

function showPlace(editor: EditorView, line: number, column: number): void {
  const found = editor.state.doc.line(Math.min(Math.max(line, 1), editor.state.doc.lines));
  const anchor = Math.min(found.from + Math.max(column - 1, 0), found.to);
  editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
}

/** Returns the part of the text that differs, so that marks and cursor in the unchanged parts keep their place. */
function changeBetween(before: string, after: string): { from: number; to: number; insert: string } {
  const shortest = Math.min(before.length, after.length);
  let from = 0;
  while (from < shortest && before.charCodeAt(from) === after.charCodeAt(from)) from += 1;
  let same = 0;
  while (
    same < shortest - from &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  ) {
    same += 1;
  }
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

function extensionsFor(
  label: string,
  isReadOnly: boolean,
  newest: RefObject<CodeEditorProps>,
  shown: RefObject<string>,
): Extension {
  const save = (): boolean => {
    newest.current.onSave?.();
    return true;
  };
  return [
    lineNumbers(),
    lintGutter(),
    newest.current.past === undefined ? history() : [],
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    yaml(),
    yamlMarks,
    newest.current.isSecret === undefined ? [] : hiddenValues(newest.current.isSecret),
    editorLook,
    completionOf((text, offset) => newest.current.complete?.(text, offset) ?? null),
    EditorState.readOnly.of(isReadOnly),
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (update.transactions.some((each) => each.isUserEvent("select"))) {
        newest.current.onLine?.(update.state.doc.lineAt(update.state.selection.main.head).number);
      }
      if (!update.docChanged) return;
      // A change that came from outside is already known there, so it is not reported.
      if (update.state.doc.eq(update.startState.doc) || update.state.doc.toString() === shown.current) return;
      shown.current = update.state.doc.toString();
      newest.current.onChange(shown.current);
    }),
    keymap.of([
      { key: "Mod-s", run: save, preventDefault: true },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...(newest.current.past === undefined ? historyKeymap : pastKeymap(newest)),
      ...defaultKeymap.filter(({ key }) => key !== "Mod-k"),
      indentWithTab,
    ]),
  ];
}
