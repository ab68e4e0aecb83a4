import type { JSX } from "react";
import { useMay } from "../../live/session-store.ts";
import type { Funding, Where } from "./funding.ts";

interface FundingChoiceProps {
  readonly funding: Funding | null;
  readonly onChange: (funding: Funding) => void;
  /** Whether the operator has named services that pages may call. */
  readonly mayCall: boolean;
}

/** The first question, without a default answer, because only the person may decide about costs and the key that is used. */
export function FundingChoice({ funding, onChange, mayCall }: FundingChoiceProps): JSX.Element {
  const choices: readonly (readonly [Funding, string, boolean])[] = [
    ["none", "No one: scripted answers, nothing is called", false],
    ["own_key", "Your own key: in this page, with a model of yours", !mayCall],
    ["server", "The server: a real run, with its keys, gates and budgets", false],
  ];
  return (
    <fieldset className="workflow-where">
      <legend>Who pays</legend>
      {choices.map(([each, label, isDisabled]) => (
        <label key={each} className="row">
          <input
            type="radio"
            name="funding"
            disabled={isDisabled}
            checked={funding === each}
            onChange={() => onChange(each)}
          />
          {label}
        </label>
      ))}
      {!mayCall && (
        <p className="muted">
          Your own key can be used once the operator names the service in <code>SLUICE_CONSOLE_CONNECT</code>.
        </p>
      )}
    </fieldset>
  );
}

interface WhereChoiceProps {
  readonly where: Where;
  readonly onChange: (where: Where) => void;
}

export function WhereChoice({ where, onChange }: WhereChoiceProps): JSX.Element {
  const isGoverning = useMay("governance:read");
  return (
    <fieldset className="workflow-where">
      <legend>Where</legend>
      <label className="row">
        <input type="radio" name="where" checked={where === "page"} onChange={() => onChange("page")} />
        In this page
      </label>
      <label className="row">
        <input
          type="radio"
          name="where"
          disabled={!isGoverning}
          checked={where === "server"}
          onChange={() => onChange("server")}
        />
        On the server, with today's gates, budgets and policies
      </label>
    </fieldset>
  );
}
