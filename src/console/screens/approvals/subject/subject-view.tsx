import { type JSX, type ReactNode, useId } from "react";
import type { Approval } from "../../../../client/index.ts";
import { isSentInput, NOTHING_SENT, OUTCOME_UNKNOWN, shownGroups, SOURCE_TEXTS } from "../../../../core/view/index.ts";
import { CodeBlock } from "../../../parts/code-block.tsx";
import { Money } from "../../../parts/money.tsx";
import { verbOf } from "../../../parts/approval-texts.ts";
import { CallView } from "./call-view.tsx";
import { RequestView } from "./request-view.tsx";
import { ShownView } from "./shown-view.tsx";
import { ValueTable } from "./value-view.tsx";
import "./subject.css";

type Subject = NonNullable<Approval["subject"]>;

/** Everything an answer depends on, most important first: what will happen, its content, and the reason for the approval. */
export function SubjectView({ approval }: { readonly approval: Approval }): JSX.Element {
  const { subject, source, rendered, choices } = approval;
  if (subject === null) return <OldSubject rendered={rendered} source={source} />;
  const { args, parents, answers, request, call } = subject;
  const shown = subject.shown.filter((item) => !isSentInput(item, subject));
  const isUnknown = call !== undefined && choices.includes("retry");
  const given = Object.entries(parents).filter(([, outputs]) => Object.keys(outputs).length > 0);
  return (
    <>
      <Part title="What exactly will happen">
        {call === undefined ? <RequestView subject={subject} /> : <CallView call={call} isUnknown={isUnknown} />}
      </Part>
      {shown.length > 0 && (
        <Part title="What it is about">
          {shownGroups(shown).map((group, index) =>
            group.kind === "short" ? (
              <ValueTable key={index} label="What it is about" values={group.values} />
            ) : (
              <ShownView key={index} shown={group.shown} />
            ),
          )}
        </Part>
      )}
      <Part title="What each answer does">
        <dl className="subject-effects">
          {answers.map(({ decision, effect }) => (
            <div key={decision}>
              <dt>{verbOf(decision, isUnknown)}</dt>
              <dd>{effect}</dd>
            </div>
          ))}
        </dl>
      </Part>
      <Part title="Why it is asked">
        <Reasons subject={subject} why={isUnknown ? OUTCOME_UNKNOWN : SOURCE_TEXTS[source]} />
      </Part>
      {Object.keys(args).length > 0 && (
        <Part title="Args of the run">
          <ValueTable label="Args of the run" values={args} />
        </Part>
      )}
      {given.map(([nodeId, outputs]) => (
        <Part
          key={nodeId}
          title={`What ${nodeId} gave`}
          isFolded={shown.length > 0 || request !== null || call !== undefined}
        >
          <ValueTable label={`What ${nodeId} gave`} values={outputs} />
        </Part>
      ))}
    </>
  );
}

/** The text covered by the digest, for an approval opened before subjects were stored. */
function OldSubject({ rendered, source }: Pick<Approval, "rendered" | "source">): JSX.Element {
  return (
    <>
      <Part title="What exactly will happen">
        {rendered === "" ? (
          <p>{NOTHING_SENT}</p>
        ) : (
          <CodeBlock text={rendered} label="What will happen" isWrapped maxHeight={320} />
        )}
      </Part>
      <Part title="Why it is asked">
        <p>{SOURCE_TEXTS[source]}</p>
      </Part>
    </>
  );
}

function Reasons({ subject, why }: { readonly subject: Subject; readonly why: string }): JSX.Element {
  const { policies, agent, costMicros, estimateMicros } = subject;
  return (
    <div className="stack">
      <p>{why}</p>
      {policies.length > 0 && (
        <ul className="subject-policies">
          {policies.map(({ name, reason }) => (
            <li key={name}>
              <strong>{name}</strong>: {reason}
            </li>
          ))}
        </ul>
      )}
      <p>
        {agent !== null && (
          <>
            It would act as the agent <strong>{agent.id}</strong>
            {agent.trust !== null && <> (trust {agent.trust})</>}.{" "}
          </>
        )}
        The run has cost <Money micros={costMicros} /> so far
        {estimateMicros !== null && (
          <>
            ; this step is estimated at <Money micros={estimateMicros} />
          </>
        )}
        .
      </p>
    </div>
  );
}

interface PartProps {
  readonly title: string;
  /** Whether the part is initially closed. Used for content that is rarely needed. */
  readonly isFolded?: boolean;
  readonly children: ReactNode;
}

function Part({ title, isFolded = false, children }: PartProps): JSX.Element {
  const id = useId();
  if (isFolded) {
    return (
      <details className="subject-part">
        <summary>{title}</summary>
        {children}
      </details>
    );
  }
  return (
    <section className="subject-part" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}
