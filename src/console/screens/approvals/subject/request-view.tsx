import type { JSX } from "react";
import type { Approval } from "../../../../client/index.ts";
import { requestText, withoutRequest } from "../../../../core/view/index.ts";
import { ValueTable, ValueView } from "./value-view.tsx";

/** Shows exactly what will happen when the request is approved. */
export function RequestView({ subject }: { readonly subject: NonNullable<Approval["subject"]> }): JSX.Element {
  const { request, action } = subject;
  if (request === null) {
    return <p>{withoutRequest(subject)}</p>;
  }
  const { sentence, heading } = requestText(request);
  const hasInputs = Object.keys(request.inputs).length > 0;
  return (
    <div className="stack">
      <p>
        {sentence}
        {action !== null && (
          <>
            {" "}
            Its kind is <strong>{action}</strong>.
          </>
        )}
      </p>
      <ValueView label={heading} value={request.message} />
      {request.stdin !== null && (
        <div>
          <p className="subject-name">Standard input</p>
          <ValueView label="Standard input" value={request.stdin} />
        </div>
      )}
      {hasInputs && (
        <div>
          <p className="subject-name">Inputs</p>
          <ValueTable label="Inputs" values={request.inputs} />
        </div>
      )}
      {request.tools.length > 0 && <p className="muted">Tools it may use: {request.tools.join(", ")}</p>}
    </div>
  );
}
