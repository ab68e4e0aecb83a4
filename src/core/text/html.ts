/** Escaped HTML text. Pages are composed only of such text. */
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

/** Escapes all inserted values except other `Html`, which is inserted unchanged. */
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
