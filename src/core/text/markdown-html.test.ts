import { describe, expect, it } from "vitest";
import { markdownHtml } from "./markdown-html.ts";

const show = (text: string): string => markdownHtml(text).text.replaceAll(/\s*\n\s*/g, "\n");

describe("Markdown for pages", () => {
  it.each([
    ["# Title", "<h4>Title</h4>"],
    ["one\ntwo", "<p>one\ntwo</p>"],
    ["- a\n- **b**", "<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>"],
    ["1. a\n2) b", '<ol>\n<li value="1">a</li>\n<li value="2">b</li>\n</ol>'],
    ["> so *it* is", "<blockquote>so <em>it</em> is</blockquote>"],
    ["---", "<hr />"],
    ["```js\n<b>*a*\n```", "<pre><code>&lt;b&gt;*a*</code></pre>"],
    ["```\nopen", "<pre><code>open</code></pre>"],
    [
      "`<i>` and [x](https://example.com/a?b=1&c)",
      "<p><code>&lt;i&gt;</code> and x <code>https://example.com/a?b=1&amp;c</code></p>",
    ],
    [
      "|a|b|\n|-|-|\n|1|*2*|",
      "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td><em>2</em></td>\n</tr>\n</tbody>\n</table>",
    ],
    [
      "|a|\n|-|\n|1|and more|",
      "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>and more</td>\n</tr>\n</tbody>\n</table>",
    ],
    ["- a\n  - b", '<ul>\n<li>a</li>\n<li style="margin-left: 16px">b</li>\n</ul>'],
    ["a\r\n\r\nb", "<p>a</p>\n<p>b</p>"],
  ])("%j", (text, expected) => {
    expect(show(text)).toBe(expected);
  });

  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/x.png)",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>)",
    '[x](https://a"onmouseover="alert(1))',
    "[x](vbscript:x) <svg/onload=alert(1)>",
    "# <iframe src=//evil>",
    "- <style>*{}</style>",
    "**<b onclick=x>**",
  ])("makes nothing of %j that could act or be fetched", (text) => {
    const shown = show(text);
    expect(shown).not.toMatch(/<(?:script|img|iframe|svg|style|b |object|embed|link)/i);
    expect(shown).not.toMatch(/href=/i);
    expect(shown).not.toMatch(/<[^>]*\son\w+=/i);
  });

  it("takes its time linearly", () => {
    for (const part of ["*", "[", "`", "![", "> ", "- ", "**a", "[a]("]) {
      expect(show(part.repeat(20_000)).length).toBeGreaterThan(0);
    }
  });
});
