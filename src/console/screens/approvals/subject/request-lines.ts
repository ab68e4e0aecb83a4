import type { Approval } from "../../../../client/index.ts";
import { valueText } from "./value-view.tsx";

export type Subject = NonNullable<Approval["subject"]>;
export type SentRequest = NonNullable<Subject["request"]>;

/** What is sent, in the words of what receives it. */
export interface RequestText {
  readonly sentence: string;
  /** Heading of the exact text. */
  readonly heading: string;
}

/** How each adapter understands a request. */
export function requestText({ provider, model, message }: SentRequest): RequestText {
  const text = valueText(message).trim();
  const [first = ""] = text.split(/\s/, 1);
  switch (provider) {
    case "process":
      return {
        sentence: `The gateway runs the program it has configured as “${first}”, with exactly this command line and input.`,
        heading: "Command line",
      };
    case "http":
      return { sentence: "An HTTP request is sent to this address, with these inputs.", heading: "Address" };
    case "mcp":
      return { sentence: `The tool ${first} is called with exactly these inputs.`, heading: "Tool" };
    default: {
      const receiver = [model, provider].filter((name) => name !== null).join(" by ");
      const to = receiver === "" ? "the default adapter" : receiver;
      return { sentence: `Exactly this message is sent to ${to}.`, heading: "Message" };
    }
  }
}
