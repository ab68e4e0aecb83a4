import type { JSX } from "react";
import type { Json, JsonObject } from "../../../../core/base/index.ts";
import type { LargeValue } from "../../../../core/event/index.ts";
import { plainText } from "../../../../core/text/index.ts";
import { isShortValue, largeValueOf, NOTHING_SHOWN, shownText } from "../../../../core/view/index.ts";
import { CodeBlock } from "../../../parts/code-block.tsx";
import { grouped } from "../../../parts/figures.ts";

interface ValueProps {
  readonly label: string;
  readonly value: Json | undefined;
}

/** Shows any value. For a large value: its beginning, its size and its location. */
export function ValueView({ label, value }: ValueProps): JSX.Element {
  const large = largeValueOf(value);
  if (value === undefined || value === null) return <p className="muted">{NOTHING_SHOWN}</p>;
  return (
    <div className="subject-value">
      <CodeBlock text={plainText(shownText(value))} label={label} isWrapped maxHeight={260} />
      {large !== null && <LargeNote large={large} />}
    </div>
  );
}

export function LargeNote({ large }: { readonly large: LargeValue }): JSX.Element {
  return (
    <p className="note">
      Only the beginning of <code>{large.$ref}</code> is shown: it has {grouped(large.bytes)} bytes (SHA-256{" "}
      <code>{large.sha256.slice(0, 16)}…</code>). The answer counts for the whole of it.
    </p>
  );
}

/** Shows short values in a table and long values below each other. */
export function ValueTable({ label, values }: { readonly label: string; readonly values: JsonObject }): JSX.Element {
  const entries = Object.entries(values);
  const short = entries.filter(([, value]) => isShortValue(value));
  const long = entries.filter((entry) => !short.includes(entry));
  return (
    <div className="stack">
      {short.length > 0 && (
        <table className="subject-values" aria-label={label}>
          <tbody>
            {short.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{plainText(name)}</th>
                <td>{plainText(shownText(value))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {long.map(([name, value]) => (
        <div key={name}>
          <p className="subject-name">{plainText(name)}</p>
          <ValueView label={name} value={value} />
        </div>
      ))}
    </div>
  );
}
