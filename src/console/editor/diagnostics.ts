import type { Diagnostic } from "@codemirror/lint";
import type { Text } from "@codemirror/state";

/** A message about a place in a text, from the server or from the checker in the page. */
export interface EditorProblem {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** Converts problems to diagnostics from the place to the end of the word. A place outside the text is moved to the nearest valid one. */
export function diagnosticsOf(doc: Text, problems: readonly EditorProblem[]): Diagnostic[] {
  return problems.map(({ severity, message, hint, code, line, column }) => {
    const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const from = Math.min(found.from + Math.max(column - 1, 0), found.to);
    const [word = ""] = /^[^\s,:{}[\]]+/.exec(found.text.slice(from - found.from)) ?? [];
    const to = Math.min(found.to, from + Math.max(word.length, 1));
    const text = hint === undefined ? message : `${message} ${hint}`;
    return { from: from === to && from > found.from ? from - 1 : from, to, severity, source: code, message: text };
  });
}
