import { type JSX, useState } from "react";
import { Button } from "./button.tsx";
import "./code-block.css";

export interface CodeBlockProps {
  readonly text: string;
  /** Its name for screen readers. */
  readonly label?: string;
  /** Wrap long lines. Otherwise they scroll. */
  readonly isWrapped?: boolean;
  /** Maximum height in pixels before the content scrolls. */
  readonly maxHeight?: number;
}

/** Shows unformatted text, never as markup, with a copy button. */
export function CodeBlock({ text, label = "Code", isWrapped = false, maxHeight }: CodeBlockProps): JSX.Element {
  return (
    <div className="code-block">
      <pre
        className={isWrapped ? "is-wrapped" : ""}
        tabIndex={0}
        role="region"
        aria-label={label}
        style={maxHeight === undefined ? undefined : { maxHeight }}
      >
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <Button
      kind="quiet"
      size="small"
      className="copy"
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? "Copied" : label}
      onClick={() => void copy()}
    />
  );
}
