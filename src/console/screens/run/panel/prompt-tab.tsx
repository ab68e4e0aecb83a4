import { type JSX, useState } from "react";
import type { TurnView } from "../../../../client/index.ts";
import { isJsonObject, type Json } from "../../../../core/base/index.ts";
import { Empty } from "../../../parts/empty.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { useRunPage } from "../run-page.ts";
import { ModelText } from "../../../run/model-text.tsx";
import type { DetailedNode } from "../../../run/model/node-detail.ts";
import { openCallOf } from "../run-action.ts";
import { EditButton, EditedNote } from "./edit-button.tsx";
import { Pairs, Section } from "./section.tsx";

interface TabProps {
  readonly nodeId: string;
  readonly detail: DetailedNode | undefined;
  readonly turn: TurnView | undefined;
}

/** The content sent to the newest attempt: its agent, the instructions layer by layer, the text and the inputs. */
export function PromptTab({ nodeId, detail, turn }: TabProps): JSX.Element {
  if (detail === undefined) return <Skeleton lines={5} />;
  const attempt = detail.attempts.at(-1);
  const { request } = detail;
  if (attempt === undefined && request === null) {
    return (
      <Empty icon="clock" title="Nothing was sent yet">
        The prompt is made when the node has passed the gates.
      </Empty>
    );
  }
  return (
    <>
      {attempt !== undefined && (
        <Section title="Route">
          <Pairs
            pairs={[
              ["Agent", attempt.route.agentId ?? "–"],
              ["Gateway", attempt.route.gatewayId ?? "–"],
              ["Provider", attempt.route.provider ?? "–"],
              ["Model", attempt.route.model ?? "–"],
              ["Path", attempt.route.executionPath ?? "–"],
            ]}
          />
        </Section>
      )}
      {attempt !== undefined && attempt.instructions.length > 0 && (
        <Section title="Instructions">
          <ol className="layers">
            {attempt.instructions.map(({ layer, source, text }, index) => (
              <Layer key={index} layer={layer} source={source} text={text} />
            ))}
          </ol>
        </Section>
      )}
      {request !== null && (
        <>
          <Section title="Message">
            <EditedNote by={detail.promptBy} what="this prompt" />
            <ModelText label="Message" text={request.message} />
            <EditPromptButton nodeId={nodeId} detail={detail} turn={turn} />
          </Section>
          {request.stdin !== null && request.stdin !== "" && (
            <Section title="Standard input">
              <ModelText label="Standard input" text={request.stdin} />
            </Section>
          )}
          {Object.keys(request.inputs).length > 0 && (
            <Section title="Inputs">
              <Values values={request.inputs} />
            </Section>
          )}
        </>
      )}
      {detail.inputs.length > 0 && <Origins inputs={detail.inputs} />}
    </>
  );
}

/** Edits the text sent to an agent. Not shown for a script, because a script is not a prompt. */
export function EditPromptButton({
  nodeId,
  detail: { request, attempts },
  turn,
}: {
  readonly nodeId: string;
  readonly detail: DetailedNode;
  readonly turn: TurnView | undefined;
}): JSX.Element | null {
  if (request === null || (attempts.at(-1)?.route.agentId ?? null) === null) return null;
  const closed = (turn?.rounds ?? []).filter((round) => openCallOf(round) === undefined && round.at !== null);
  const rounds = closed.map(({ round }) => round);
  return <EditButton action={{ kind: "edit-prompt", nodeId, text: request.message, rounds }} />;
}

function Origins({ inputs }: Pick<DetailedNode, "inputs">): JSX.Element {
  const { selectNode } = useRunPage();
  return (
    <Section title="Where its inputs came from">
      <ul className="handoffs">
        {inputs.map(({ sourceNodeId, sourceOutputPath, targetInputPath, transform }, index) => (
          <li key={index}>
            {sourceNodeId === null ? (
              <code>{sourceOutputPath}</code>
            ) : (
              <>
                <button type="button" className="link-button" onClick={() => selectNode(sourceNodeId)}>
                  {sourceNodeId}
                </button>{" "}
                <code>{sourceOutputPath}</code>
              </>
            )}{" "}
            → <code>{targetInputPath}</code> {transform !== undefined && <span className="muted">({transform})</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Layer({
  layer,
  source,
  text,
}: {
  readonly layer: number;
  readonly source: string;
  readonly text: string;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Layer {layer} · {source}
      </button>
      {isOpen && <ModelText label={`Instructions of ${source}`} text={text} />}
    </li>
  );
}

/** One value per name: text as it is, everything else as JSON. */
export function Values({ values }: { readonly values: Json }): JSX.Element {
  if (!isJsonObject(values)) return <ModelText label="Value" text={textOf(values)} />;
  return (
    <div className="stack">
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <p className="muted">
            <code>{name}</code>
          </p>
          <ModelText label={name} text={textOf(value)} />
        </div>
      ))}
    </div>
  );
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
