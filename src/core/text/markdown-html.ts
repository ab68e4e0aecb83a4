import { Html, html } from "./html.ts";

/*
 * Markdown of authors and models for people who trust neither: everything is escaped, and only headings, paragraphs,
 * lists, quotes, code, emphasis and links to web addresses become markup. An image becomes its address as text, so that
 * opening a page fetches nothing.
 */

const LENGTH_MAX = 200_000;

export function markdownHtml(text: string): Html {
  const lines = text.slice(0, LENGTH_MAX).replaceAll(/\r\n?/g, "\n").split("\n");
  const blocks: Html[] = [];
  for (let at = 0; at < lines.length;) {
    const { block, next } = readBlock(lines, at);
    if (block !== null) blocks.push(block);
    at = next;
  }
  return html`${blocks}`;
}

interface Read {
  readonly block: Html | null;
  readonly next: number;
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^(#{1,6}) +(.*)$/;
const BULLET = /^\s{0,3}[-*+] +(.*)$/;
const NUMBER = /^\s{0,3}\d{1,9}[.)] +(.*)$/;
const QUOTE = /^\s{0,3}> ?(.*)$/;
const RULE = /^\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? "";
  if (line.trim() === "") return { block: null, next: at + 1 };
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return readFence(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) return { block: html`<h4>${inline(heading[2] ?? "")}</h4>`, next: at + 1 };
  if (RULE.test(line)) return { block: html`<hr />`, next: at + 1 };
  if (BULLET.test(line))
    return readList(
      lines,
      at,
      BULLET,
      (items) =>
        html`<ul>
          ${items}
        </ul>`,
    );
  if (NUMBER.test(line))
    return readList(
      lines,
      at,
      NUMBER,
      (items) =>
        html`<ol>
          ${items}
        </ol>`,
    );
  if (QUOTE.test(line)) {
    const next = endOf(lines, at, (one) => QUOTE.test(one));
    const quoted = lines.slice(at, next).map((one) => QUOTE.exec(one)?.[1] ?? "");
    return { block: html`<blockquote>${inline(quoted.join("\n"))}</blockquote>`, next };
  }
  const next = endOf(lines, at, (one) => one.trim() !== "" && !FENCE.test(one) && !HEADING.test(one));
  return { block: html`<p>${inline(lines.slice(at, next).join("\n"))}</p>`, next: Math.max(next, at + 1) };
}

function endOf(lines: readonly string[], from: number, isWithin: (line: string) => boolean): number {
  let next = from;
  while (next < lines.length && isWithin(lines[next] ?? "")) next += 1;
  return next;
}

function readFence(lines: readonly string[], at: number, fence: string): Read {
  const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(fence));
  const last = end === -1 ? lines.length : end;
  return { block: html`<pre><code>${lines.slice(at + 1, last).join("\n")}</code></pre>`, next: last + 1 };
}

function readList(lines: readonly string[], at: number, item: RegExp, wrap: (items: readonly Html[]) => Html): Read {
  const next = endOf(lines, at, (line) => item.test(line));
  const items = lines.slice(at, next).map((line) => html`<li>${inline(item.exec(line)?.[1] ?? "")}</li>`);
  return { block: wrap(items), next };
}

/** Each alternative consumes what it matches, so that the time stays linear in the length of the text. */
const INLINE =
  /`([^`\n]{1,2000})`|!\[([^\]\n]{0,500})\]\(([^()\s]{1,2000})\)|\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)|\*\*([^*\n]{1,2000})\*\*|\*([^*\n]{1,2000})\*/g;
const WEB = /^https?:\/\//i;

function inline(text: string): Html {
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(html`${text.slice(at, match.index)}`, spanOf(match));
    at = match.index + match[0].length;
  }
  parts.push(html`${text.slice(at)}`);
  return new Html(parts.map((part) => part.text).join(""));
}

function spanOf([whole, code, alt, image, label, link, strong, soft]: RegExpMatchArray): Html {
  if (code !== undefined) return html`<code>${code}</code>`;
  if (image !== undefined) return html`[image: ${alt ?? ""} ${image}]`;
  if (label !== undefined && link !== undefined) {
    if (!WEB.test(link)) return html`${label} (${link})`;
    return html`<a href="${link}" rel="noopener noreferrer nofollow">${label}</a>`;
  }
  if (strong !== undefined) return html`<strong>${strong}</strong>`;
  return soft === undefined ? html`${whole}` : html`<em>${soft}</em>`;
}
