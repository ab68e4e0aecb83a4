import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A real SMTP server on this machine that keeps what it is handed. */
export interface PostOffice {
  readonly port: number;
  readonly letters: ParsedMail[];
  close(): Promise<void>;
}

export async function openPostOffice(options: SMTPServerOptions = {}): Promise<PostOffice> {
  const letters: ParsedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    ...options,
    onData(stream, _session, done) {
      simpleParser(stream).then(
        (mail) => {
          letters.push(mail);
          done();
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, letters, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Where the button of a letter leads. */
export function linkOf({ text = "" }: ParsedMail): string {
  const link = /https?:\/\/\S+\/t\/\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`the letter has no link: ${text}`);
  return link;
}

export function addressesOf({ to }: ParsedMail): string {
  return [to]
    .flat()
    .map((one) => one?.text ?? "")
    .join(", ");
}
