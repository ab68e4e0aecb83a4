import type { JSX } from "react";
import type { Answer, Approval } from "../../../client/index.ts";
import { Field } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";

const HOUR_MS = 3_600_000;
const SPANS = { none: 0, hour: HOUR_MS, day: 24 * HOUR_MS } as const;

/** The person's choice about further calls of the tool. */
export interface GrantChoice {
  readonly span: keyof typeof SPANS;
  readonly where: string;
}

export const NO_GRANT: GrantChoice = { span: "none", where: "" };

export function grantOf({ span, where }: GrantChoice, now: number): Answer["grant"] {
  if (span === "none") return undefined;
  const until = new Date(now + SPANS[span]).toISOString();
  return { for: "run", until, ...(where.trim() === "" ? {} : { where: where.trim() }) };
}

interface GrantFieldProps {
  readonly call: NonNullable<NonNullable<Approval["subject"]>["call"]>;
  readonly choice: GrantChoice;
  readonly onChange: (choice: GrantChoice) => void;
}

/** Asks whether further calls of the tool also need a person, and shows the grant that will be created. */
export function GrantField({ call: { tool, server }, choice, onChange }: GrantFieldProps): JSX.Element {
  const name = server === null ? tool : `${server}/${tool}`;
  return (
    <>
      <Field label="Further calls of this tool in this run">
        <Select
          value={choice.span}
          options={[
            ["none", "Ask again each time"],
            ["hour", "Need no approval for an hour"],
            ["day", "Need no approval for a day"],
          ]}
          onChange={(span) => onChange({ ...choice, span })}
        />
      </Field>
      {choice.span !== "none" && (
        <>
          <Field label="Only when" hint="An expression over tool.args, such as tool.args.amount <= 50; empty: always">
            <input
              className="mono"
              value={choice.where}
              onChange={(event) => onChange({ ...choice, where: event.target.value })}
            />
          </Field>
          <p className="note">
            A grant will be made: calls of <code>{name}</code> in this run
            {choice.where.trim() === "" ? "" : " for which the condition holds"} need no further approval for{" "}
            {choice.span === "hour" ? "an hour" : "a day"}. Every other gate still judges them. It is listed under
            Settings, Grants, and can be revoked there.
          </p>
        </>
      )}
    </>
  );
}
