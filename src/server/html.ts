import { Html, html } from "../core/text/index.ts";

export { Html, html };

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // Without any referrer a browser sends its forms with the origin "null", which is no origin of ours.
  "referrer-policy": "same-origin",
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
form p{margin:.75rem 0}
textarea,select{font:inherit;width:100%;box-sizing:border-box}
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
