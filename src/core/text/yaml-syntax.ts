import { startOfLexeme } from "./yaml-lexemes.ts";

/** A fault reported by the YAML package, before it is reworded. */
export interface SyntaxFault {
  readonly code: string;
  readonly offset: number;
  readonly end: number;
  readonly message: string;
}

export interface SyntaxAdvice {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

interface Wording {
  readonly finds: RegExp;
  readonly message: string;
  readonly hint: string;
}

/** Matched in order against "CODE message". */
const WORDINGS: readonly Wording[] = [
  {
    finds: /^TAB_AS_INDENT/,
    message: "A tab is used as indentation.",
    hint: "YAML is indented with spaces: replace the tab by spaces.",
  },
  {
    finds: /Missing closing ["']quote/,
    message: "This quoted text is never closed.",
    hint: "Add the closing quote; inside single quotes write '' for an apostrophe, inside double quotes \\\" for a quote.",
  },
  {
    finds: /Flow sequence .*must/,
    message: "A list that was opened with [ is not closed before this place.",
    hint: "Add the missing ], and indent the lines inside the brackets.",
  },
  {
    finds: /Flow map .*must/,
    message: "A map that was opened with { is not closed before this place.",
    hint: "Add the missing }, and indent the lines inside the braces.",
  },
  {
    finds: /^BLOCK_AS_IMPLICIT_KEY Nested/,
    message: "A second key starts on the line of another key.",
    hint: "Put a text that contains ': ' in quotes, or move nested keys to lines of their own, indented deeper.",
  },
  {
    finds: /^MULTILINE_IMPLICIT_KEY|Implicit map keys need/,
    message: "This line is neither a key with its ':' nor part of the value above.",
    hint: "A key is written 'key: value', with a space after the colon; check the indentation as well.",
  },
  {
    finds: /^BAD_INDENT All mapping/,
    message: "This key does not start at the column of the other keys of its map.",
    hint: "Align it with the keys it belongs to.",
  },
  {
    finds: /^BAD_INDENT All sequence|Sequence item without/,
    message: "This line does not start with '- ' at the column of the other items of its list.",
    hint: "Align it with the items it belongs to.",
  },
  {
    finds: /^BAD_SCALAR_START/,
    message: "A text without quotes cannot start with this character.",
    hint: "Put the text in quotes.",
  },
  {
    finds: /block-seq-ind|seq-item-ind/,
    message: "A list item cannot start here.",
    hint: "Start the list on the line after its key, each item with '- '.",
  },
  {
    finds: /(scalar|alias|flow-(seq|map)-start|map-value-ind).*(at node end|in YAML stream)/,
    message: "There is more text here after a value that had already ended.",
    hint: "Put the whole text in quotes, and check that every quote above is closed.",
  },
  {
    finds: /flow-(seq|map)-end/,
    message: "This closing bracket has no opening one.",
    hint: "Remove it, or put the text in quotes.",
  },
  {
    finds: /^BAD_DQ_ESCAPE/,
    message: "This is not a known escape inside double quotes.",
    hint: "Write \\\\ for a backslash, or use single quotes, which know no escapes.",
  },
  {
    finds: /^KEY_OVER_1024_CHARS/,
    message: "A key is longer than 1024 characters.",
    hint: "Shorten it; long text belongs into the value.",
  },
  {
    finds: /Unexpected (, in|empty item)|Missing , /,
    message: "The commas in this list or map do not fit.",
    hint: "Write one comma between two items.",
  },
  {
    finds: /Block scalar|block scalar/,
    message: "The lines of this text block are not indented as its first line is.",
    hint: "Indent every line under | or > deeper than its key.",
  },
];

/** Returns one line per fault that names the error and its fix. */
export function adviceFor(
  faults: readonly SyntaxFault[],
  text: string,
  lexemes: readonly string[],
): readonly SyntaxAdvice[] {
  const templates = faults.filter((fault) => isUnquotedTemplate(fault, text));
  const [first] = templates;
  // Behind its braces the parser takes correct lines for wrong ones.
  const meant =
    first === undefined ? faults : faults.filter((one) => one.offset < first.offset || templates.includes(one));
  return meant.flatMap((fault, index) => {
    if (isIndentedKey(meant[index + 1], fault)) return [];
    if (isIndentedKey(fault, meant[index - 1])) return [indentedKey(fault, text)];
    return [adviceForOne(fault, text, lexemes)];
  });
}

/** A key indented under a complete value causes two faults about the value, because the key seems to continue it. */
function isIndentedKey(fault: SyntaxFault | undefined, before: SyntaxFault | undefined): boolean {
  if (fault?.code !== "MULTILINE_IMPLICIT_KEY" || before?.code !== "BLOCK_AS_IMPLICIT_KEY") return false;
  return fault.offset === before.offset;
}

function indentedKey(fault: SyntaxFault, text: string): SyntaxAdvice {
  const lineEnd = text.lastIndexOf("\n", fault.end - 1);
  return {
    offset: skipSpaces(text, lineEnd + 1),
    message: "This key is indented under a value that is already complete.",
    hint: "Align it with the keys it belongs to.",
  };
}

/** Inside brackets, the brace after `$` opens a map. */
const UNQUOTED_TEMPLATE = {
  message: "A text with ${…} stands inside {…} or […] without quotes.",
  hint: 'Put it in quotes, as in {order_id: "${order.id}"}, or write one key per line.',
};

function isUnquotedTemplate({ offset }: SyntaxFault, text: string): boolean {
  return text.startsWith("${", offset - 1);
}

function adviceForOne(fault: SyntaxFault, text: string, lexemes: readonly string[]): SyntaxAdvice {
  if (isUnquotedTemplate(fault, text)) return { offset: fault.offset - 1, ...UNQUOTED_TEMPLATE };
  const found = `${fault.code} ${fault.message}`;
  const wording = WORDINGS.find(({ finds }) => finds.test(found));
  const offset = offsetToShow(fault, text, lexemes);
  if (wording !== undefined) return { offset, message: wording.message, hint: wording.hint };
  const [firstLine = ""] = fault.message.split("\n");
  return { offset, message: `This is not valid YAML: ${firstLine.slice(0, 160)}.` };
}

function offsetToShow(fault: SyntaxFault, text: string, lexemes: readonly string[]): number {
  if (fault.message.startsWith("Missing closing")) return startOfLexeme(lexemes, fault.offset);
  return fault.code === "BAD_INDENT" ? skipSpaces(text, fault.offset) : fault.offset;
}

function skipSpaces(text: string, from: number): number {
  let position = from;
  while (text.charCodeAt(position) === 0x20) position += 1;
  return position;
}
