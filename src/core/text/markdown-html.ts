import { Html, html } from "./html.ts";
import { type MarkdownBlock, blocksOf, type ListItem } from "./markdown-blocks.ts";
import { type Inline, inlinesOf } from "./markdown-inline.ts";

const LENGTH_MAX = 200_000;

/**
 * Renders untrusted Markdown of authors and models: everything is escaped, links cannot be followed, and an image is shown as
 * its address, so that opening a page fetches nothing.
 */
export function markdownHtml(text: string): Html {
  return html`${blocksOf(text.slice(0, LENGTH_MAX)).map(blockHtml)}`;
}

function blockHtml(block: MarkdownBlock): Html {
  switch (block.kind) {
    case "heading":
      return html`<h4>${inlineHtml(block.text)}</h4>`;
    case "paragraph":
      return html`<p>${inlineHtml(block.text)}</p>`;
    case "code":
      return html`<pre><code>${block.text}</code></pre>`;
    case "list":
      return listHtml(block.isOrdered, block.items);
    case "quote":
      return html`<blockquote>${inlineHtml(block.text)}</blockquote>`;
    case "table":
      return tableHtml(block.head, block.rows);
    case "rule":
      return html`<hr />`;
  }
}

function listHtml(isOrdered: boolean, items: readonly ListItem[]): Html {
  const lines = items.map(({ depth, number, text }) => {
    const value = number === null ? html`` : html` value="${number}"`;
    const style = depth === 0 ? html`` : html` style="margin-left: ${depth * 16}px"`;
    return html`<li${value}${style}>${inlineHtml(text)}</li>`;
  });
  return isOrdered
    ? html`<ol>
        ${lines}
      </ol>`
    : html`<ul>
        ${lines}
      </ul>`;
}

/** A row may have more cells than the head: whatever was written is shown. */
function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): Html {
  const titles = head.map((cell) => html`<th>${inlineHtml(cell)}</th>`);
  const lines = rows.map(
    (row) =>
      html`<tr>
        ${row.map((cell) => html`<td>${inlineHtml(cell)}</td>`)}
      </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        ${titles}
      </tr>
    </thead>
    <tbody>
      ${lines}
    </tbody>
  </table>`;
}

function inlineHtml(text: string): Html {
  return joined(inlinesOf(text).map(partHtml));
}

function partHtml(part: Inline): Html {
  switch (part.kind) {
    case "text":
      return html`${part.text}`;
    case "code":
      return html`<code>${part.text}</code>`;
    case "strong":
      return html`<strong>${joined(part.parts.map(partHtml))}</strong>`;
    case "emphasis":
      return html`<em>${joined(part.parts.map(partHtml))}</em>`;
    // A link may lead elsewhere than its text claims, so the address is shown.
    case "link":
      return html`${part.text} <code>${part.address}</code>`;
    case "image":
      return html`[image: ${part.text} ${part.address}]`;
  }
}

function joined(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join(""));
}
