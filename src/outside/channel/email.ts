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
  /** The same however often it is tried, so that mail systems can recognise a repetition. */
  readonly id: string;
}

/** Within the lease of a delivery. */
const TRY_MS = 40_000;
const STEP_MS = 15_000;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** One try to hand a letter to the SMTP server, over a connection to an address that was checked. */
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
  // What stays on this machine needs no encryption, and a certificate for it hardly exists.
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

/** An answer of 5xx to the recipient or the message will not change; everything else is tried again. */
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
    const { notice, link, sections } = item;
    const shown = sections.map(({ label, text, rows }) => {
      const body = rows.length === 0 ? text : rows.map((row) => row.join(" | ")).join("\n");
      return `${label}\n${body.replaceAll(/^/gm, "  ")}`;
    });
    return [
      notice.title,
      ...factLines(item),
      ...shown,
      ...(link === null ? [] : [`Look at it and answer: ${link}`]),
    ].join("\n\n");
  });
  return `${[...parts, ...(hasTickets(items) ? [ADVICE] : [])].join("\n\n--\n\n")}\n`;
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
      <body style="font-family: sans-serif; line-height: 1.5; max-width: 40rem">
        ${items.map(itemHtml)} ${hasTickets(items) ? html`<p><small>${ADVICE}</small></p>` : html``}
      </body>
    </html>`;
}

function itemHtml(item: MessageItem): Html {
  const { notice, link, sections, approval } = item;
  const words = approval === null ? "Look at it" : "Look at it and answer";
  return html`<h2>${notice.title}</h2>
    ${factLines(item).map((line) => html`<p>${line}</p>`)} ${sections.map(sectionHtml)}
    ${
      link === null
        ? html``
        : html`<p>
            <a href="${link}" style="display: inline-block; padding: 0.5rem 1rem; border: 1px solid">${words}</a>
          </p>`
    }`;
}

function sectionHtml({ label, kind, text, rows }: SubjectSection): Html {
  const body =
    rows.length > 0
      ? html`<table border="1" cellpadding="4">
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${cell}</td>`)}
              </tr>`,
          )}
        </table>`
      : kind === "markdown"
        ? markdownHtml(text)
        : html`<pre style="white-space: pre-wrap">${text}</pre>`;
  return html`<h3>${label}</h3>
    ${body}`;
}
