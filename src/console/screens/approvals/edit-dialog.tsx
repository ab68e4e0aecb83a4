import { type JSX, useMemo, useState } from "react";
import type { Approval } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import { diffLines, hunksOf } from "../../../core/text/index.ts";
import { shownText } from "../../../core/view/index.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { DiffView } from "../../parts/diff-view.tsx";
import { Field } from "../../parts/field.tsx";
import { type Edited, type EditField, editFields, initialEdits, modificationsOf, readEdits } from "./edit-values.ts";
import { sendAnswer } from "./send-answer.ts";

interface EditProps {
  readonly approval: Approval;
  readonly edited: Edited;
  readonly values: JsonObject;
  readonly onClose: () => void;
}

const TITLES: Readonly<Record<Edited, string>> = {
  inputs: "Change what is sent",
  outputs: "Give the result",
  args: "Change the args of the call",
  result: "Give what the call returned",
};

const EFFECTS: Readonly<Record<Edited, string>> = {
  inputs: "The request is made anew with these values and passes the gates again; exactly that is sent.",
  outputs: "This stands as the result, and the node is not run again.",
  args: "The call passes the gates again and is made with exactly these args; the model learns of the change.",
  result: "The call is not made again; the agent continues with this as its result.",
};

/** Edits values before they are approved, in three stages: the fields, then the differences, then the answer. */
export function EditDialog({ approval, edited, values, onClose }: EditProps): JSX.Element {
  const fields = useMemo(() => editFields(values), [values]);
  const [texts, setTexts] = useState(() => initialEdits(fields));
  const [isReviewed, setReviewed] = useState(false);
  const { changed, problems } = useMemo(() => readEdits(fields, texts), [fields, texts]);
  if (isReviewed) {
    const modifications = modificationsOf(edited, values, changed);
    return (
      <Confirm
        title="Approve with these changes?"
        verb="Approve changes"
        reason="optional"
        isDangerous={false}
        onConfirm={(reason) =>
          sendAnswer(approval, { decision: "approve", modifications, ...(reason === "" ? {} : { reason }) })
        }
        onClose={onClose}
      >
        <Changes fields={fields} changed={changed} />
        <p className="muted">
          {EFFECTS[edited]}
          {approval.answers.length > 0 && " Those who have approved before have to approve again."}
        </p>
      </Confirm>
    );
  }
  return (
    <Dialog
      title={TITLES[edited]}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            kind="primary"
            disabled={problems.size > 0 || (edited !== "result" && Object.keys(changed).length === 0)}
            onClick={() => setReviewed(true)}
          >
            Review changes
          </Button>
        </>
      }
    >
      {fields.map(({ name, isText }) => (
        <Field key={name} label={name} hint={isText ? undefined : "JSON"} problem={problems.get(name) ?? null}>
          <textarea
            className={isText ? "" : "mono"}
            rows={Math.min(8, (texts[name] ?? "").split("\n").length + 1)}
            spellCheck={false}
            value={texts[name] ?? ""}
            onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
          />
        </Field>
      ))}
      {fields.length < Object.keys(values).length && (
        <p className="note">Values that are too large to be shown here cannot be changed here.</p>
      )}
    </Dialog>
  );
}

function Changes({ fields, changed }: { readonly fields: readonly EditField[]; readonly changed: JsonObject }) {
  return (
    <div className="stack">
      {fields
        .filter(({ name }) => Object.hasOwn(changed, name))
        .map(({ name, before }) => (
          <section key={name} aria-label={`Change of ${name}`}>
            <h3>{name}</h3>
            <DiffView hunks={hunksOf(diffLines(shownText(before), shownText(changed[name])))} />
          </section>
        ))}
    </div>
  );
}
