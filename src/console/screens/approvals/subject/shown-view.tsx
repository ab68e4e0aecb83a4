import type { JSX } from "react";
import type { Approval } from "../../../../client/index.ts";
import { diffLines, hunksOf, plainText } from "../../../../core/text/index.ts";
import { largeValueOf, NOTHING_SHOWN, shownTable, shownText } from "../../../../core/view/index.ts";
import { DiffView } from "../../../parts/diff-view.tsx";
import { InlineImage } from "../../../parts/inline-image.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { FileView } from "./file-view.tsx";
import { ColumnHeads } from "./column-heads.tsx";
import { LargeNote, ValueView } from "./value-view.tsx";

export type Shown = NonNullable<Approval["subject"]>["shown"][number];

const ROWS_SHOWN = 200;

/** One value that the author chose to show, in the form of its kind. */
export function ShownView({ shown }: { readonly shown: Shown }): JSX.Element {
  return (
    <section className="shown" aria-label={shown.label}>
      <h4>{shown.label}</h4>
      <Content shown={shown} />
    </section>
  );
}

function Content({ shown }: { readonly shown: Shown }): JSX.Element {
  const { label, kind, value } = shown;
  const large = largeValueOf(value);
  if (kind !== "diff" && (value === undefined || value === null)) return <p className="muted">{NOTHING_SHOWN}</p>;
  switch (kind) {
    case "markdown":
      return (
        <>
          <Markdown text={shownText(value)} label={label} />
          {large !== null && <LargeNote large={large} />}
        </>
      );
    case "table":
      return <TableContent shown={shown} />;
    case "image":
      return large === null ? (
        <InlineImage address={shownText(value)} label={label} />
      ) : (
        <p className="note">
          The image <code>{large.$ref}</code> is too large to be shown here.
        </p>
      );
    case "file":
      return <FileView label={label} value={value} />;
    case "diff":
      return <DiffContent shown={shown} />;
    case "text":
    case "value":
      return <ValueView label={`Text of ${label}`} value={value} />;
  }
}

function TableContent({ shown: { label, value } }: { readonly shown: Shown }): JSX.Element {
  const table = shownTable(value);
  if (table === null) return <ValueView label={label} value={value} />;
  return (
    <div className="subject-table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <ColumnHeads names={table.head} />
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, ROWS_SHOWN).map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>{plainText(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > ROWS_SHOWN && <p className="muted">… {table.rows.length - ROWS_SHOWN} more rows</p>}
    </div>
  );
}

function DiffContent({ shown: { before, after } }: { readonly shown: Shown }): JSX.Element {
  const lines = diffLines(shownText(before), shownText(after));
  const large = [before, after].flatMap((side) => largeValueOf(side) ?? []);
  return (
    <>
      {lines.every(({ kind }) => kind === "same") ? (
        <p className="muted">Both are the same.</p>
      ) : (
        <DiffView hunks={hunksOf(lines)} />
      )}
      {large.map((each) => (
        <LargeNote key={each.$ref} large={each} />
      ))}
    </>
  );
}
