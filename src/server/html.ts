import { Html, html } from "../core/text/index.ts";

export { Html, html };

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // With the policy "no-referrer", a browser sends forms with the origin "null", which the origin check refuses.
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

/** Texts wrap and never scroll sideways, so that nothing a person approves is out of sight. */
export const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif;
--ground:#f5f7fa;--card:#fff;--ink:#15181d;--quiet:#505a66;--line:#d9dee5;--sunk:#f1f3f6;--accent:#2251c4;--on-accent:#fff;
--bad:#b42318;--note:#fff7e0}
@media (prefers-color-scheme:dark){:root{--ground:#0d1015;--card:#15191f;--ink:#e8ebf0;--quiet:#a2acb9;--line:#2c333d;
--sunk:#1c222a;--accent:#84a9ff;--on-accent:#0b1533;--bad:#ff9488;--note:#332b12}}
body{margin:0;background:var(--ground);color:var(--ink)}
main{max-width:44rem;margin:2rem auto;padding:1.5rem 2rem;background:var(--card);border:1px solid var(--line);border-radius:10px;
overflow-wrap:anywhere}
@media (max-width:30rem){main{margin:0;padding:1rem;border:0;border-radius:0;min-height:100vh;box-sizing:border-box}}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1rem;margin:1.5rem 0 .5rem}
p{margin:.75rem 0}
a{color:var(--accent)}
small,.quiet{color:var(--quiet)}
[role=alert]{padding:.5rem .75rem;background:var(--note);border:1px solid var(--line);border-radius:6px}
.lines{white-space:pre-line;margin:.5rem 0}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line);vertical-align:top;white-space:pre-wrap}
table.values td:first-child{width:30%;color:var(--quiet)}
summary{cursor:pointer;font-weight:600}
details{margin:1.5rem 0 .5rem}
code,pre{font:.875rem/1.5 ui-monospace,monospace}
pre{margin:.5rem 0;padding:.75rem;background:var(--sunk);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap}
fieldset{border:1px solid var(--line);border-radius:6px;margin:1rem 0;padding:.25rem 1rem}
input,button,select,textarea{font:inherit;padding:.375rem .625rem;color:inherit;background:var(--card);border:1px solid var(--quiet);
border-radius:6px}
input:not([type=checkbox]),select,textarea{width:100%;box-sizing:border-box}
button{cursor:pointer;min-height:2.75rem;padding:.375rem 1rem}
button.main,a.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent);font-weight:600}
button.bad{border-color:var(--bad);color:var(--bad)}
a.main{display:inline-block;padding:.625rem 1rem;border-radius:6px;text-decoration:none}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.choice{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem}
.choice button{min-width:8rem}
.choice span{flex:1 1 14rem}
.fields label{display:block;font-weight:600}
.fields small{display:block}
`;
