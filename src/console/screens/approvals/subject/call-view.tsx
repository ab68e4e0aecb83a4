import type { JSX } from "react";
import type { Approval } from "../../../../client/index.ts";
import { callText } from "../../../../core/view/index.ts";
import { ValueTable, ValueView } from "./value-view.tsx";

interface CallProps {
  readonly call: NonNullable<NonNullable<Approval["subject"]>["call"]>;
  /** Whether the call may already have been made. */
  readonly isUnknown: boolean;
}

/** The tool call that an approval permits, and the model's text before it. */
export function CallView({ call, isUnknown }: CallProps): JSX.Element {
  const { args, words } = call;
  return (
    <div className="stack">
      <p>{callText(call, isUnknown)}</p>
      {Object.keys(args).length === 0 ? (
        <p className="muted">It has no args.</p>
      ) : (
        <div>
          <p className="subject-name">Args</p>
          <ValueTable label="Args of the call" values={args} />
        </div>
      )}
      {words !== "" && (
        <div>
          <p className="subject-name">What the model said before it</p>
          <ValueView label="What the model said" value={words} />
        </div>
      )}
    </div>
  );
}
