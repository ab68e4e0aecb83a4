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
  lineNumbers,
} from "@codemirror/view";
import { type JSX, type RefObject, useEffect, useImperativeHandle, useRef } from "react";
import type { Offers } from "./complete.ts";
import { completionOf } from "./completion.ts";
import { diagnosticsOf, type EditorProblem } from "./diagnostics.ts";
import { editorLook } from "./editor-look.ts";
import { yamlMarks } from "./yaml-marks.ts";

export interface EditorHandle {
  /** Puts the cursor there, in sight. */
  readonly goTo: (line: number, column: number) => void;
}

export interface CodeEditorProps {
  /** What it holds, for those who cannot see it. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly problems: readonly EditorProblem[];
  readonly complete?: (text: string, offset: number) => Offers | null;
  /** Mod+S. */
  readonly onSave?: () => void;
  readonly handle?: RefObject<EditorHandle | null>;
  readonly isReadOnly?: boolean;
}

/** A text editor for YAML. It lives in a shadow tree, where its styles are set by script and the page's policy holds. */
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
    shown.current = value;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== null) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, problems)));
  }, [problems]);
  useImperativeHandle(handle, () => ({
    goTo: (line, column) => {
      const editor = view.current;
      if (editor === null) return;
      const found = editor.state.doc.line(Math.min(Math.max(line, 1), editor.state.doc.lines));
      const anchor = Math.min(found.from + Math.max(column - 1, 0), found.to);
      editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      editor.focus();
    },
  }));
  return (
    <div
      ref={host}
      className="code-editor"
      // The shadow tree hides from the page that a person is typing: single letters are no shortcuts here.
      onKeyDown={(event) => {
        if (!event.metaKey && !event.ctrlKey) event.nativeEvent.stopPropagation();
      }}
    />
  );
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
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    yaml(),
    yamlMarks,
    editorLook,
    completionOf((text, offset) => newest.current.complete?.(text, offset) ?? null),
    EditorState.readOnly.of(isReadOnly),
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      shown.current = update.state.doc.toString();
      newest.current.onChange(shown.current);
    }),
    keymap.of([
      { key: "Mod-s", run: save, preventDefault: true },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap.filter(({ key }) => key !== "Mod-k"),
      indentWithTab,
    ]),
  ];
}
