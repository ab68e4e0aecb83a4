import { syntaxTree } from "@codemirror/language";
import { type Extension, type Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const HIDDEN = Decoration.mark({ class: "cm-hidden-value" });

/** Draws the values of secret keys as dots. A value is readable while the cursor is in it, so that it can be written. */
export function hiddenValues(isSecret: (key: string) => boolean): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = hiddenIn(view, isSecret);
      }

      update(update: ViewUpdate): void {
        const isParsedFurther = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (update.docChanged || update.selectionSet || update.focusChanged || isParsedFurther)
          this.decorations = hiddenIn(update.view, isSecret);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

function hiddenIn(view: EditorView, isSecret: (key: string) => boolean): DecorationSet {
  const { state, hasFocus } = view;
  const { head } = state.selection.main;
  const found: Range<Decoration>[] = [];
  syntaxTree(state).iterate({
    enter: ({ name, node }) => {
      const [key, value] = name === "Pair" ? [node.getChild("Key"), node.lastChild] : [null, null];
      if (key === null || value === null || value.from < key.to) return;
      // Two quotes, and nothing in them.
      if (value.to - value.from <= 2) return;
      const isWritten = hasFocus && head >= value.from && head <= value.to;
      if (!isWritten && isSecret(state.sliceDoc(key.from, key.to))) found.push(HIDDEN.range(value.from, value.to));
    },
  });
  return Decoration.set(found, true);
}
