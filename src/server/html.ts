/** Text made safe for HTML, and pages made only of such text. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes whatever is put into it; only other `Html` goes in as it is. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const written = parts.map((part, index) => {
    const value = values[index - 1];
    return index === 0 || value === undefined ? part : `${markup(value)}${part}`;
  });
  return new Html(written.join(""));
}

function markup(value: string | number | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("\n");
  return String(value).replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");
}

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

export function page(title: string, body: Html, status = 200): Response {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="stylesheet" href="/sluice.css" />
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html>`;
  return new Response(document.text, { status, headers: PAGE_HEADERS });
}

export const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8884;vertical-align:top}
code,pre{font:.875rem/1.5 ui-monospace,monospace}
pre{overflow:auto;padding:.75rem;border:1px solid #8884}
input,button,select,textarea{font:inherit;padding:.25rem .5rem}
.fields label{display:block;font-weight:600}
.fields small{display:block}
.fields textarea{width:100%;box-sizing:border-box}
`;
