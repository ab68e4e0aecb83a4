import { type JSX, useState } from "react";
import type { TurnView } from "../../../../../client/index.ts";
import { ModelMarkdown } from "../../../../run/model-markdown.tsx";
import type { DetailedNode, Instruction } from "../../../../run/model/node-detail.ts";
import { EditedNote } from "../edit-button.tsx";
import { EditPromptButton } from "../prompt-tab.tsx";
import { Message } from "./message.tsx";

interface OpeningProps {
  readonly detail: DetailedNode;
  readonly turn: TurnView | undefined;
  readonly isRaw: boolean;
}

/** The beginning of a conversation: the instructions, layer by layer, and the prompt. */
export function Opening({ detail, turn, isRaw }: OpeningProps): JSX.Element {
  const instructions = detail.attempts.at(-1)?.instructions ?? [];
  const { request } = detail;
  return (
    <>
      {instructions.length > 0 && (
        <li>
          <Message
            role="system"
            label="System message"
            aside={`${instructions.length} ${instructions.length === 1 ? "layer" : "layers"}`}
          >
            {() => (
              <ol className="layers">
                {instructions.map((instruction, index) => (
                  <Layer key={index} instruction={instruction} isRaw={isRaw} />
                ))}
              </ol>
            )}
          </Message>
        </li>
      )}
      {request !== null && (
        <li>
          <Message role="user" label="User message">
            {() => (
              <>
                <ModelMarkdown label="What was asked" text={request.message} isRaw={isRaw} />
                <EditedNote by={detail.promptBy} what="this message" />
                <EditPromptButton nodeId={detail.node.nodeId} detail={detail} turn={turn} />
              </>
            )}
          </Message>
        </li>
      )}
    </>
  );
}

/** One layer of the instructions. Initially folded, with only its source shown. */
function Layer({ instruction, isRaw }: { readonly instruction: Instruction; readonly isRaw: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { layer, source, text } = instruction;
  return (
    <li>
      <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Layer {layer} · {source}
      </button>
      {isOpen && <ModelMarkdown label={`Instructions of ${source}`} text={text} isRaw={isRaw} />}
    </li>
  );
}
