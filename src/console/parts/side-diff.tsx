import type { JSX } from "react";
import { type DiffLine, diffLines } from "../../core/text/index.ts";
import "./diff.css";

interface SideDiffProps {
  /** What is compared, for those who cannot see it. */
  readonly label: string;
  readonly left: string;
  readonly right: string;
}

/** Two texts beside each other, line by line. */
export function SideDiff({ label, left, right }: SideDiffProps): JSX.Element {
  return (
    <div className="diff diff-sides" tabIndex={0} role="region" aria-label={label}>
      <table>
        <tbody>
          {sidesOf(diffLines(left, right)).map((row, index) => (
            <tr key={index}>
              <Side line={row.left} number={row.left?.before ?? null} />
              <Side line={row.right} number={row.right?.after ?? null} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const WORDS = { same: "", added: "only here: ", removed: "only here: " } as const;

function Side({ line, number }: { readonly line: DiffLine | null; readonly number: number | null }): JSX.Element {
  const look = line === null ? "is-absent" : line.kind === "same" ? "" : `is-${line.kind}`;
  return (
    <>
      <td className={`num ${look}`}>{number}</td>
      <td className={look}>
        {line !== null && line.kind !== "same" && <span className="hidden-text">{WORDS[line.kind]}</span>}
        {line?.text}
      </td>
    </>
  );
}

export interface SideRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** What was replaced stands beside what replaced it. */
export function sidesOf(lines: readonly DiffLine[]): readonly SideRow[] {
  const rows: SideRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      rows.push({ left: removed[at] ?? null, right: added[at] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}
