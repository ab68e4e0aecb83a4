import { type FormEvent, type JSX, useState } from "react";
import type { Json, JsonObject } from "../../../../core/base/index.ts";
import type { NodeView } from "../../../../core/view/index.ts";
import { api } from "../../../live/api.ts";
import { cache } from "../../../live/cache.ts";
import { useMay } from "../../../live/session-store.ts";
import { useAction } from "../../../page/use-action.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { ProblemView } from "../../../parts/problem-view.tsx";
import { toast } from "../../../parts/toast.tsx";
import { useRunPage } from "../run-page.ts";
import { AgentField } from "./agent-field.tsx";

/** Resolves a blocked node: asks for the values of its placeholders, or for an agent. */
export function ResolveBox({ node }: { readonly node: NodeView }): JSX.Element | null {
  const { run } = useRunPage();
  const mayExecute = useMay("workflow:execute");
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const [agent, setAgent] = useState("");
  const needsAgent = node.missing.length === 0;
  const resolving = useAction(async () => {
    await api.resolveNode(run.id, node.id, needsAgent ? { assignTo: agent } : { values: valuesOf(node, texts) });
    cache.invalidate("approvals");
    toast(needsAgent ? `${agent} takes ${node.id}.` : `${node.id} continues.`);
  });
  if (!mayExecute) return <p className="muted">To unblock it a key needs workflow:execute.</p>;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    void resolving.run();
  };
  return (
    <form className="approval" onSubmit={send} aria-label={`Unblock ${node.id}`}>
      <h3>{needsAgent ? "Who takes it" : "What it needs"}</h3>
      {needsAgent ? (
        <AgentField value={agent} onChange={setAgent} />
      ) : (
        node.missing.map((name) => (
          <Field key={name} label={name} hint="Text, or JSON." isRequired>
            <input
              required
              value={texts.get(name) ?? ""}
              onChange={(event) => setTexts(new Map([...texts, [name, event.target.value]]))}
            />
          </Field>
        ))
      )}
      <div>
        <Button kind="primary" type="submit" isBusy={resolving.isBusy} disabled={needsAgent && agent === ""}>
          {needsAgent ? "Assign it" : "Continue with these values"}
        </Button>
      </div>
      {resolving.problem !== null && <ProblemView problem={resolving.problem} />}
    </form>
  );
}

function valuesOf({ missing }: NodeView, texts: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(missing.map((name) => [name, valueOf(texts.get(name) ?? "")]));
}

/** Parses the text as JSON. Text that is not JSON is used as it is. */
function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
