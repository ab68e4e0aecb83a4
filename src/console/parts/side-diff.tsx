import type { JSX } from "react";
import { type DiffLine, diffLines, diffWords, plainText, type WordPart } from "../../core/text/index.ts";
import "./diff.css";

interface SideDiffProps {
  /** Description of the comparison for screen readers. */
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
          {sidesOf(diffLines(plainText(left), plainText(right))).map((row, index) => {
            const words = wordsOf(row);
            return (
              <tr key={index}>
                <Side line={row.left} number={row.left?.before ?? null} words={words} />
                <Side line={row.right} number={row.right?.after ?? null} words={words} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const WORDS = { same: "", added: "only here: ", removed: "only here: " } as const;

interface SideProps {
  readonly line: DiffLine | null;
  readonly number: number | null;
  /** Parts of the line by word, when it replaces another line. */
  readonly words: readonly WordPart[] | null;
}

function Side({ line, number, words }: SideProps): JSX.Element {
  const look = line === null ? "is-absent" : line.kind === "same" ? "" : `is-${line.kind}`;
  return (
    <>
      <td className={`num ${look}`}>{number}</td>
      <td className={look}>
        {line !== null && line.kind !== "same" && <span className="hidden-text">{WORDS[line.kind]}</span>}
        {line !== null && words !== null ? <Words kind={line.kind} words={words} /> : line?.text}
      </td>
    </>
  );
}

function Words({ kind, words }: { readonly kind: DiffLine["kind"]; readonly words: readonly WordPart[] }): JSX.Element {
  return (
    <>
      {words
        .filter((word) => word.kind === "same" || word.kind === kind)
        .map((word, index) =>
          word.kind === "same" ? (
            word.text
          ) : (
            <mark key={index} className={`diff-word diff-word-${kind}`}>
              {word.text}
            </mark>
          ),
        )}
    </>
  );
}

function wordsOf({ left, right }: SideRow): readonly WordPart[] | null {
  if (left?.kind !== "removed" || right?.kind !== "added") return null;
  return diffWords(left.text, right.text);
}

export interface SideRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Arranges lines in two columns, with removed lines beside the lines that replace them. */
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
