import { createTransport } from "nodemailer";
import { type Html, html, markdownHtml } from "../../core/text/index.ts";
import { connectGuarded } from "../../outbound/index.ts";
import { hostUrl, type Mail } from "../../registry/index.ts";
import { type Reach, type Sent, sentOfFailure } from "../delivery/index.ts";
import { factLines, headline, type MessageItem } from "./message-item.ts";
import type { SubjectSection } from "./subject-section.ts";

export interface Letter {
  readonly to: string;
  readonly name: string;
  readonly items: readonly MessageItem[];
  /** The same id for every try, so that mail systems can detect duplicates. */
  readonly id: string;
}

/** Time limit of a try, shorter than the lease of a delivery. */
const TRY_MS = 40_000;
const STEP_MS = 15_000;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** Tries once to send a letter to the SMTP server, over a connection to a checked address. */
export async function sendLetter(
  mail: Mail,
  password: string | null,
  letter: Letter,
  { allow, resolve }: Reach,
  signal: AbortSignal,
): Promise<Sent> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]);
  const connected = await connectGuarded(hostUrl(mail.host, mail.port), {
    signal: limit,
    ...(allow === undefined ? {} : { allow }),
    ...(resolve === undefined ? {} : { resolve }),
  });
  if (signal.aborted) return { kind: "aborted" };
  if (!connected.ok) return sentOfFailure(connected.failure);
  const socket = connected.value;
  const end = (): void => void socket.destroy();
  limit.addEventListener("abort", end, { once: true });
  // Traffic on this machine needs no encryption, and a valid certificate for it hardly exists.
  const isLocal = LOOPBACK.test(socket.remoteAddress ?? "");
  const transport = createTransport({
    connection: socket,
    host: mail.host,
    port: mail.port,
    secure: mail.isSecure,
    ...(isLocal ? { ignoreTLS: !mail.isSecure } : { requireTLS: mail.user !== null && !mail.isSecure }),
    tls: { rejectUnauthorized: !isLocal },
    ...(mail.user === null ? {} : { auth: { user: mail.user, pass: password ?? "" } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ ...partsOf(letter), from: mail.from });
    return { kind: "delivered", status: null };
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" };
    return failureOf(error);
  } finally {
    limit.removeEventListener("abort", end);
    transport.close();
    socket.destroy();
  }
}

/** A 5xx reply to the recipient or the message is permanent. All other errors are retried. */
function failureOf(error: unknown): Sent {
  const message = error instanceof Error ? error.message : String(error);
  const status =
    error instanceof Error && "responseCode" in error && typeof error.responseCode === "number"
      ? error.responseCode
      : null;
  const command = error instanceof Error && "command" in error ? String(error.command) : "";
  const isFinal = status !== null && status >= 500 && /^(?:RCPT TO|DATA)$/.test(command);
  return isFinal ? { kind: "refused", error: message } : { kind: "failed", status, error: message };
}

function partsOf({ to, name, items, id }: Letter) {
  return {
    to: name === "" || name === to ? to : { address: to, name },
    subject: headline(items),
    text: textOf(items),
    html: pageOf(items).text,
    messageId: `<${id}@sluice>`,
    headers: { "auto-submitted": "auto-generated", "x-auto-response-suppress": "All" },
  };
}

const ADVICE = "The link works once, for 24 hours, and only for you. Opening it decides nothing.";

function textOf(items: readonly MessageItem[]): string {
  const parts = items.map((item) => {
    const { notice, link, sections, approval } = item;
    const { decisive, background } = partedSections(sections);
    return [
      notice.title,
      ...factLines(item, sections.length > 0),
      ...decisive.map(sectionText),
      ...(link === null ? [] : [`${linkWords(approval)}: ${link}`]),
      ...background.map(sectionText),
    ].join("\n\n");
  });
  return `${[...parts, ...(hasTickets(items) ? [ADVICE] : [])].join("\n\n--\n\n")}\n`;
}

function sectionText({ label, text, rows }: SubjectSection): string {
  const body = rows.length === 0 ? text : rows.map((row) => row.join(" | ")).join("\n");
  return `${label}\n${body.replaceAll(/^/gm, "  ")}`;
}

/** Background sections come after the link, so that the link is near the top. */
function partedSections(sections: readonly SubjectSection[]) {
  return {
    decisive: sections.filter(({ isBackground }) => isBackground !== true),
    background: sections.filter(({ isBackground }) => isBackground === true),
  };
}

function linkWords(approval: MessageItem["approval"]): string {
  return approval === null ? "Look at it" : "Look at it and answer";
}

function hasTickets(items: readonly MessageItem[]): boolean {
  return items.some(({ approval, link }) => approval !== null && link !== null);
}

function pageOf(items: readonly MessageItem[]): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="color-scheme" content="light dark" />
        <title>${headline(items)}</title>
      </head>
      <body style="${STYLES.body}">
        ${items.map(itemHtml)} ${hasTickets(items) ? html`<p style="${STYLES.quiet}">${ADVICE}</p>` : html``}
      </body>
    </html>`;
}

/** Inline styles, because mail programs remove others. Colours are left to the reader's program, except for the button. */
const STYLES = {
  body: "font-family: system-ui, sans-serif; line-height: 1.5; max-width: 40rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere",
  title: "font-size: 1.375rem; line-height: 1.25; margin: 0 0 0.75rem",
  label: "font-size: 1rem; margin: 1.25rem 0 0.25rem",
  fact: "margin: 0.25rem 0",
  quiet: "font-size: 0.875rem; opacity: 0.75",
  link: "display: inline-block; padding: 0.625rem 1.25rem; border-radius: 6px; background: #2251c4; color: #ffffff; font-weight: 600; text-decoration: none",
  table: "border-collapse: collapse; width: 100%",
  // Next to a long text, a narrow name column would break words anywhere.
  name: "width: 30%; ",
  cell: "border-bottom: 1px solid #88888866; padding: 0.375rem 0.75rem 0.375rem 0; text-align: left; vertical-align: top; white-space: pre-wrap",
  exact: "white-space: pre-wrap; border: 1px solid #88888866; border-radius: 6px; padding: 0.75rem; margin: 0.25rem 0",
  prose: "white-space: pre-line; margin: 0.25rem 0",
} as const;

function itemHtml(item: MessageItem): Html {
  const { notice, link, sections, approval } = item;
  const { decisive, background } = partedSections(sections);
  return html`<h2 style="${STYLES.title}">${notice.title}</h2>
    ${factLines(item, sections.length > 0).map((line) => html`<p style="${STYLES.fact}">${line}</p>`)}
    ${decisive.map(sectionHtml)}
    ${link === null ? html`` : html`<p style="margin: 1.25rem 0"><a href="${link}" style="${STYLES.link}">${linkWords(approval)}</a></p>`}
    ${background.map(sectionHtml)}`;
}

function sectionHtml({ label, kind, text, rows }: SubjectSection): Html {
  return html`<h3 style="${STYLES.label}">${label}</h3>
    ${rows.length > 0 ? tableHtml(rows) : kind === "markdown" ? markdownHtml(text) : textHtml(kind, text)}`;
}

function textHtml(kind: SubjectSection["kind"], text: string): Html {
  return kind === "prose"
    ? html`<p style="${STYLES.prose}">${text}</p>`
    : html`<pre style="${STYLES.exact}">${text}</pre>`;
}

function tableHtml(rows: SubjectSection["rows"]): Html {
  return html`<table style="${STYLES.table}">
    ${rows.map(
      (row) =>
        html`<tr>
          ${row.map((cell, at) => html`<td style="${row.length === 2 && at === 0 ? STYLES.name : ""}${STYLES.cell}">${cell}</td>`)}
        </tr>`,
    )}
  </table>`;
}
