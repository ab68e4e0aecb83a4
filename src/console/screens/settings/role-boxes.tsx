import type { JSX } from "react";
import type { MemberRole } from "../../../client/index.ts";
import { ROLE_TEXTS } from "./roles.ts";

interface RoleBoxesProps {
  readonly chosen: ReadonlySet<MemberRole>;
  readonly onChange: (chosen: ReadonlySet<MemberRole>) => void;
  /** Roles that the identity provider assigns to the person. They cannot be removed here. */
  readonly claimed?: ReadonlySet<string>;
}

/** Selects several roles. The person has the permissions of all of them. */
export function RoleBoxes({ chosen, onChange, claimed = new Set() }: RoleBoxesProps): JSX.Element {
  return (
    <fieldset className="role-boxes">
      <legend>Roles</legend>
      {ROLE_TEXTS.map(([role, may]) => (
        <label key={role}>
          <input
            type="checkbox"
            checked={chosen.has(role)}
            onChange={({ target }) =>
              onChange(new Set(target.checked ? [...chosen, role] : [...chosen].filter((one) => one !== role)))
            }
          />
          <span>
            {role}: <span className="muted">{may}</span>
            {claimed.has(role) && <span className="muted"> (also from the provider)</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
