import { type JSX, useState } from "react";
import type { JsonObject } from "../../../core/base/index.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Icon } from "../../parts/icon.tsx";
import { valueLine } from "../../parts/value-line.ts";
import { plainText } from "../../../core/text/index.ts";

interface RunValuesProps {
  readonly name: string;
  readonly values: JsonObject;
}

/** Args or outputs of the run: one line, expandable to the full values. */
export function RunValues({ name, values }: RunValuesProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const count = Object.keys(values).length;
  return (
    <div className="run-values">
      <button type="button" aria-expanded={isOpen} disabled={count === 0} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} size={12} /> {name}
      </button>
      {isOpen ? (
        <CodeBlock label={name} text={plainText(JSON.stringify(values, null, 2))} isWrapped maxHeight={180} />
      ) : (
        <span className="cut">{count === 0 ? <span className="muted">none</span> : plainText(valueLine(values))}</span>
      )}
    </div>
  );
}
