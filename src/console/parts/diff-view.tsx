import type { JSX } from "react";
import { type DiffHunk, type DiffLine, plainText } from "../../core/text/index.ts";
import "./diff.css";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const WORDS = { same: "", added: "added: ", removed: "removed: " } as const;

/** Shows a diff with signs, colours and both line numbers. */
export function DiffView({ hunks }: { readonly hunks: readonly DiffHunk[] }): JSX.Element {
  return (
    <div className="diff" tabIndex={0} role="region" aria-label="Differences">
      <table>
        <tbody>
          {hunks.map((hunk, index) =>
            hunk.kind === "gap" ? (
              <tr key={index} className="diff-gap">
                <td colSpan={4}>
                  {hunk.count} unchanged {hunk.count === 1 ? "line" : "lines"}
                </td>
              </tr>
            ) : (
              hunk.lines.map((line, at) => <Line key={`${index}-${at}`} line={line} />)
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Line({ line }: { readonly line: DiffLine }): JSX.Element {
  return (
    <tr className={`diff-${line.kind}`}>
      <td className="num">{line.before}</td>
      <td className="num">{line.after}</td>
      <td aria-hidden="true">{SIGNS[line.kind]}</td>
      <td>
        <span className="hidden-text">{WORDS[line.kind]}</span>
        {plainText(line.text)}
      </td>
    </tr>
  );
}
