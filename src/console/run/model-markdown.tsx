import type { JSX } from "react";
import { CopyButton } from "../parts/code-block.tsx";
import { grouped } from "../parts/figures.ts";
import { Markdown } from "../parts/markdown.tsx";
import { ModelText } from "./model-text.tsx";
import { excerptOf } from "./model/excerpt.ts";
import "./model-text.css";

interface ModelMarkdownProps {
  readonly text: string;
  readonly label: string;
  /** Shows the original text in place of formatted Markdown. */
  readonly isRaw: boolean;
}

/** Shows text written by a model, as inert Markdown or as the original text. */
export function ModelMarkdown({ text, label, isRaw }: ModelMarkdownProps): JSX.Element {
  if (isRaw) return <ModelText label={label} text={text} />;
  const { text: shown, after } = excerptOf(text, "start");
  return (
    <div className="model-markdown">
      <Markdown label={label} text={shown} />
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      {after > 0 && <p className="muted num">{grouped(after)} characters more: show the raw text</p>}
    </div>
  );
}
