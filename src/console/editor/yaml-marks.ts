import { syntaxTree } from "@codemirror/language";
import { type Range, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const KEY = Decoration.mark({ class: "cm-key" });
const QUOTED = Decoration.mark({ class: "cm-quoted" });
const COMMENT = Decoration.mark({ class: "cm-comment" });
const WORD = Decoration.mark({ class: "cm-word" });
const REFERENCE = Decoration.mark({ class: "cm-reference" });

const BY_NODE: Readonly<Record<string, Decoration>> = {
  QuotedLiteral: QUOTED,
  Comment: COMMENT,
  BlockLiteralHeader: WORD,
};
const BARE_WORD = /^(?:true|false|null|~|[-+]?\d[\d_.eE+-]*)$/;
const REFERENCES = /\$\{[^}\n]*\}|\$[a-z][\w.]*|\[\[[^\]\n]*\]\]/g;

/** Highlights YAML with CSS classes, since the page's policy allows only its own styles. */
export const yamlMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = marksIn(view);
    }

    update(update: ViewUpdate): void {
      const isParsedFurther = syntaxTree(update.startState) !== syntaxTree(update.state);
      if (update.docChanged || update.viewportChanged || isParsedFurther) this.decorations = marksIn(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function marksIn(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  const { state } = view;
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        if (node.name === "Key") {
          marks.push(KEY.range(node.from, node.to));
          return false;
        }
        const mark = BY_NODE[node.name];
        if (mark !== undefined && node.to > node.from) marks.push(mark.range(node.from, node.to));
        const isBare = node.name === "Literal" && node.to - node.from < 24;
        if (isBare && BARE_WORD.test(state.sliceDoc(node.from, node.to))) marks.push(WORD.range(node.from, node.to));
        return undefined;
      },
    });
    for (const match of state.sliceDoc(from, to).matchAll(REFERENCES)) {
      marks.push(REFERENCE.range(from + match.index, from + match.index + match[0].length));
    }
  }
  const builder = new RangeSetBuilder<Decoration>();
  marks.sort((left, right) => left.from - right.from || left.to - right.to);
  for (const { from, to, value } of marks) builder.add(from, to, value);
  return builder.finish();
}
