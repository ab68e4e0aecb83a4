import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  insertCompletionText,
  pickedCompletion,
  startCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Offer, Offers } from "./complete.ts";

/** Shows completions while a person types, and the possible values after a key was chosen. */
export function completionOf(complete: (text: string, offset: number) => Offers | null): Extension {
  const source = ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const found = complete(state.doc.toString(), pos);
    if (found === null) return null;
    const isBegun = pos > found.from || /[\s{[.]/.test(state.sliceDoc(Math.max(0, pos - 1), pos));
    if (!explicit && !isBegun) return null;
    const isEmptyLine = state.doc.lineAt(pos).text.trim() === "";
    if (!explicit && isEmptyLine) return null;
    return { from: found.from, options: found.options.map(completionFor), validFor: /^[\w-]*$/ };
  };
  return autocompletion({ override: [source], icons: false, closeOnBlur: true });
}

function completionFor({ label, text, detail, info, kind }: Offer): Completion {
  return {
    label,
    detail,
    ...(info === "" ? {} : { info }),
    type: kind,
    apply: (view: EditorView, completion: Completion, from: number, to: number) => {
      const { changes, selection, ...rest } = insertCompletionText(view.state, text, from, to);
      view.dispatch({
        ...rest,
        ...(changes === undefined ? {} : { changes }),
        ...(selection === undefined ? {} : { selection }),
        annotations: pickedCompletion.of(completion),
      });
      if (kind === "key") startCompletion(view);
    },
  };
}
