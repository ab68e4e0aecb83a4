import { fetchGuarded } from "../../outbound/index.ts";
import { type Reach, type Sent, sentOfFailure } from "../delivery/index.ts";
import { factLines, headline, type MessageItem } from "./message-item.ts";

const SEND_MS = 15_000;
const ANSWER_BYTES_MAX = 65_536;
const TEXT_MAX = 4_000;
const ITEMS_MAX = 10;
/** Status by which Teams temporarily refuses more messages. */
const TOO_MANY = 429;

/** Posts a card to the address of an incoming webhook. */
export async function postCard(
  url: string,
  items: readonly MessageItem[],
  { allow, resolve }: Reach,
  signal: AbortSignal,
): Promise<Sent> {
  const reply = await fetchGuarded(url, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "sluice-channels" },
    body: JSON.stringify(messageOf(items)),
    signal,
    timeoutMs: SEND_MS,
    bytesMax: ANSWER_BYTES_MAX,
    redirectsMax: 0,
    ...(allow === undefined ? {} : { allow }),
    ...(resolve === undefined ? {} : { resolve }),
  });
  if (!reply.ok) return sentOfFailure(reply);
  const { status, headers } = reply;
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { kind: "gone", status };
  const retryMs = status === TOO_MANY ? Number(headers["retry-after"] ?? 0) * 1_000 : 0;
  return { kind: "failed", status, error: `It answered ${status}.`, ...(retryMs > 0 ? { retryMs } : {}) };
}

/** Builds the message that incoming webhooks of Teams accept: one Adaptive Card. */
export function messageOf(items: readonly MessageItem[]): object {
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            textBlock(headline(items), { weight: "Bolder", size: "Medium" }),
            ...items.slice(0, ITEMS_MAX).flatMap((item) => itemBlocks(item, items.length > 1)),
            ...moreBlocks(items.slice(ITEMS_MAX)),
          ],
          actions: items.slice(0, ITEMS_MAX).flatMap(({ link, notice }) => {
            if (link === null) return [];
            const title = items.length > 1 ? notice.title.slice(0, 40) : "Look at it";
            return [{ type: "Action.OpenUrl", title, url: link }];
          }),
        },
      },
    ],
  };
}

/** Names what a card has no room for. */
function moreBlocks({ length, 0: next }: readonly MessageItem[]): readonly object[] {
  if (next === undefined) return [];
  const place = next.approval === null ? "in the runs" : "in the inbox";
  return [textBlock(`${length} more are ${place} of the console.`, { separator: true })];
}

function itemBlocks(item: MessageItem, isOneOfMany: boolean): readonly object[] {
  return [
    ...(isOneOfMany ? [textBlock(item.notice.title, { weight: "Bolder", separator: true })] : []),
    ...factLines(item, item.sections.length > 0).map((line) => textBlock(line)),
    ...item.sections.flatMap(({ label, text, rows }) => [
      textBlock(label, { weight: "Bolder" }),
      textBlock(rows.length === 0 ? text : rows.map((row) => row.join(" | ")).join("\n\n"), { fontType: "Monospace" }),
    ]),
  ];
}

function textBlock(words: string, more: object = {}): object {
  return { type: "TextBlock", text: plain(words).slice(0, TEXT_MAX), wrap: true, ...more };
}

/** Escapes Markdown, which cards render: links written by authors must not look like links of Sluice. */
function plain(text: string): string {
  return text.replaceAll(/[[\]()*_~`#>]/g, (sign) => `\\${sign}`);
}
