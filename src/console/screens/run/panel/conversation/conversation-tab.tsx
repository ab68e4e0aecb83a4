import { type JSX, useState } from "react";
import type { TurnView } from "../../../../../client/index.ts";
import type { Json, JsonObject } from "../../../../../core/base/index.ts";
import { Button } from "../../../../parts/button.tsx";
import { grouped } from "../../../../parts/figures.ts";
import { Money } from "../../../../parts/money.tsx";
import { ModelMarkdown } from "../../../../run/model-markdown.tsx";
import type { DetailedAttempt, DetailedNode } from "../../../../run/model/node-detail.ts";
import { plainText } from "../../../../../core/text/index.ts";
import { useRunPage } from "../../run-page.ts";
import { CompareRounds } from "./compare-rounds.tsx";
import { Message, type Role } from "./message.tsx";
import { Opening } from "./opening.tsx";
import { Round } from "./round.tsx";
import "./conversation.css";

interface ConversationTabProps {
  /** The turn with its rounds. No rounds when the adapter reported whole messages or nothing. */
  readonly turn: TurnView | undefined;
  readonly detail: DetailedNode | undefined;
}

/** Checks whether there is a conversation to show: rounds, or messages reported by an adapter. */
export function hasConversation({ turn, detail }: ConversationTabProps): boolean {
  return (turn?.rounds.length ?? 0) > 0 || (detail?.attempts ?? []).some(({ conversation }) => conversation.length > 0);
}

/** The messages of the system, the prompt, the model and its tools, in order. */
export function ConversationTab({ turn, detail }: ConversationTabProps): JSX.Element {
  const [isRaw, setRaw] = useState(false);
  const [isComparing, setComparing] = useState(false);
  const rounds = turn?.rounds ?? [];
  return (
    <>
      <div className="conversation-bar spread">
        {turn !== undefined && rounds.length > 0 ? <Totals turn={turn} /> : <span />}
        <span className="row">
          {rounds.length > 1 && (
            <Button size="small" icon="compare" onClick={() => setComparing(true)}>
              Compare rounds
            </Button>
          )}
          <span className="segments" role="group" aria-label="How texts are shown">
            <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
              Rendered
            </button>
            <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
              Raw
            </button>
          </span>
        </span>
      </div>
      <ol className="conversation" aria-label="Conversation">
        {detail !== undefined && rounds.length > 0 && <Opening detail={detail} turn={turn} isRaw={isRaw} />}
        {turn !== undefined &&
          rounds.map((round) => (
            <li key={round.round}>
              <Round round={round} nodeId={turn.nodeId} isRaw={isRaw} />
            </li>
          ))}
        {rounds.length === 0 &&
          detail?.attempts.map((attempt) => <Reported key={attempt.attempt} attempt={attempt} isRaw={isRaw} />)}
      </ol>
      {isComparing && <CompareRounds rounds={rounds} onClose={() => setComparing(false)} />}
    </>
  );
}

function Totals({ turn: { rounds, costMicros } }: { readonly turn: TurnView }): JSX.Element {
  const { feed } = useRunPage();
  const calls = rounds.reduce((sum, round) => sum + round.calls.length, 0);
  return (
    <p className="muted num">
      {grouped(rounds.length)} {rounds.length === 1 ? "round" : "rounds"}, {grouped(calls)}{" "}
      {calls === 1 ? "call" : "calls"}, <Money micros={costMicros} />
      {feed.pinnedAt !== null && ", as it is now"}
    </p>
  );
}

const ROLES: readonly Role[] = ["system", "user", "assistant", "tool"];

/** Messages as an adapter reported them, with any role names. */
function Reported({ attempt, isRaw }: { readonly attempt: DetailedAttempt; readonly isRaw: boolean }): JSX.Element {
  return (
    <>
      {attempt.conversation.map((message, index) => {
        const role = roleOf(message);
        return (
          <li key={index}>
            <Message
              role={ROLES.find((each) => each === role) ?? "assistant"}
              label={`Message of ${role}`}
              {...(attempt.attempt > 1 ? { aside: `attempt ${attempt.attempt}` } : {})}
            >
              {() => <ModelMarkdown label={`Message of ${role}`} text={contentOf(message)} isRaw={isRaw} />}
            </Message>
          </li>
        );
      })}
    </>
  );
}

function roleOf({ role }: JsonObject): string {
  return typeof role === "string" ? plainText(role) : "message";
}

function contentOf(message: JsonObject): string {
  const content: Json = message["content"] ?? message;
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}
