import { Fragment, type JSX } from "react";
import { InlineImage } from "./inline-image.tsx";
import {
  blocksOf,
  type Inline,
  inlinesOf,
  type ListItem,
  type MarkdownBlock,
  plainText,
} from "../../core/text/index.ts";
import "./markdown.css";

const BLOCKS_SHOWN = 2_000;

/**
 * Shows Markdown of authors and models as inert text: no HTML, no links that can be followed, and only embedded images.
 * Nothing is loaded and nothing is executed.
 */
export function Markdown({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const blocks = blocksOf(plainText(text));
  return (
    <div className="markdown" role="group" aria-label={label}>
      {blocks.slice(0, BLOCKS_SHOWN).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
      {blocks.length > BLOCKS_SHOWN && <p className="muted">… {blocks.length - BLOCKS_SHOWN} more parts</p>}
    </div>
  );
}

function BlockView({ block }: { readonly block: MarkdownBlock }): JSX.Element {
  switch (block.kind) {
    case "heading":
      // Not a heading element, since headings in the text are not part of the page's outline.
      return (
        <p className={`markdown-heading markdown-heading-${block.level}`}>
          <Inlines text={block.text} />
        </p>
      );
    case "paragraph":
      return (
        <p>
          <Inlines text={block.text} />
        </p>
      );
    case "code":
      return <pre tabIndex={0}>{block.text}</pre>;
    case "list":
      return <ListView isOrdered={block.isOrdered} items={block.items} />;
    case "quote":
      return (
        <blockquote>
          <Inlines text={block.text} />
        </blockquote>
      );
    case "table":
      return <TableView head={block.head} rows={block.rows} />;
    case "rule":
      return <hr />;
  }
}

function ListView({ isOrdered, items }: { readonly isOrdered: boolean; readonly items: readonly ListItem[] }) {
  const List = isOrdered ? "ol" : "ul";
  return (
    <List>
      {items.map(({ depth, number, text }, index) => (
        <li key={index} value={number ?? undefined} style={{ marginLeft: `${depth * 16}px` }}>
          <Inlines text={text} />
        </li>
      ))}
    </List>
  );
}

/** A row may have more cells than the head: whatever was written is shown. */
function TableView({
  head,
  rows,
}: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): JSX.Element {
  return (
    <div className="markdown-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <Inlines text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>
                  <Inlines text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ text }: { readonly text: string }): JSX.Element {
  return <Parts parts={inlinesOf(text)} />;
}

function Parts({ parts }: { readonly parts: readonly Inline[] }): JSX.Element {
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>
          <Part part={part} />
        </Fragment>
      ))}
    </>
  );
}

function Part({ part }: { readonly part: Inline }): JSX.Element {
  switch (part.kind) {
    case "text":
      return <>{part.text}</>;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return (
        <strong>
          <Parts parts={part.parts} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Parts parts={part.parts} />
        </em>
      );
    case "link":
      return (
        <>
          {part.text} <code className="markdown-address">{part.address}</code>
        </>
      );
    case "image":
      return <InlineImage address={part.address} label={part.text} />;
  }
}
