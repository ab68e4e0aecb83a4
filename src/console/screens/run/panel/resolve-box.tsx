import { type FormEvent, type JSX, useState } from "react";
import type { Json } from "../../../../core/base/index.ts";
import type { NodeView } from "../../../../core/view/index.ts";
import { api } from "../../../live/api.ts";
import { useMay } from "../../../live/session-store.ts";
import { useAction } from "../../../live/use-query.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { ProblemView } from "../../../parts/problem-view.tsx";
import { useRunPage } from "../run-page.ts";

/** Values a node cannot go on without. */
export function ResolveBox({ node }: { readonly node: NodeView }): JSX.Element | null {
  const { run } = useRunPage();
  const mayExecute = useMay("workflow:execute");
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const resolving = useAction(() =>
    api.resolveNode(run.id, node.id, {
      values: Object.fromEntries(node.missing.map((name) => [name, valueOf(texts.get(name) ?? "")])),
    }),
  );
  if (!mayExecute) return null;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    void resolving.run();
  };
  return (
    <form className="approval" onSubmit={send}>
      {node.missing.map((name) => (
        <Field key={name} label={name} hint="Text, or JSON." isRequired>
          <input
            required
            value={texts.get(name) ?? ""}
            onChange={(event) => setTexts(new Map([...texts, [name, event.target.value]]))}
          />
        </Field>
      ))}
      <Button kind="primary" type="submit" isBusy={resolving.isBusy}>
        Go on with these values
      </Button>
      {resolving.problem !== null && <ProblemView problem={resolving.problem} />}
    </form>
  );
}

/** Whatever reads as JSON is JSON, anything else is the text itself. */
function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
