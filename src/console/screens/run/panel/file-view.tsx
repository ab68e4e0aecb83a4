import type { JSX } from "react";
import { type FileValue, filesIn, type JsonObject } from "../../../../core/base/index.ts";
import { downloadAddress } from "../../../live/api.ts";
import { useQuery } from "../../../live/use-query.ts";
import { fileSize } from "../../../parts/file-size.ts";
import { ModelText } from "../../../run/model-text.tsx";
import { Section } from "./section.tsx";

const SHOWN_IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/;
const SHOWN_TEXTS = /^(?:text\/|application\/(?:json|xml|yaml|x-ndjson)\b)/;
/** Size of the text preview. The rest is in the download. */
const PREVIEW_BYTES = 65_536;

/** The files among the values of a node, each with a preview where possible. */
export function FilesOf({ values }: { readonly values: JsonObject }): JSX.Element | null {
  const files = filesIn(values);
  if (files.length === 0) return null;
  return (
    <Section title="Files">
      {files.map(([output, file]) => (
        <FileView key={`${output} ${file.name} ${file.sha256}`} output={output} file={file} />
      ))}
    </Section>
  );
}

function FileView({ output, file }: { readonly output: string; readonly file: FileValue }): JSX.Element {
  const { name, mime, size } = file;
  return (
    <div className="stack">
      <p>
        <code>{output}</code>{" "}
        <a href={addressOf(file)} download={name}>
          {name}
        </a>{" "}
        <span className="muted">
          {mime}, {fileSize(size)}
        </span>
      </p>
      {SHOWN_IMAGES.test(mime) && <img className="file-image" src={addressOf(file)} alt={`${output}: ${name}`} />}
      {SHOWN_TEXTS.test(mime) && <TextPreview file={file} />}
    </div>
  );
}

function TextPreview({ file }: { readonly file: FileValue }): JSX.Element | null {
  const text = useQuery(`file:${file.sha256}`, () => readStart(file), { freshMs: 3_600_000 });
  if (text.data === undefined) return null;
  return <ModelText label={`Start of ${file.name}`} text={text.data} />;
}

async function readStart(file: FileValue): Promise<string> {
  const headers = { range: `bytes=0-${PREVIEW_BYTES - 1}` };
  const response = await fetch(addressOf(file), { headers, credentials: "same-origin" });
  if (!response.ok) throw new Error(`The file could not be read (${response.status}).`);
  const text = await response.text();
  return file.size > PREVIEW_BYTES ? `${text}…` : text;
}

/** Returns the download address. It carries the type from this value, because equal content may be stored with another type. */
function addressOf({ sha256, name, mime }: FileValue): string {
  const query = new URLSearchParams({ name, mime });
  return `${downloadAddress(`/files/${sha256}`)}&${query.toString()}`;
}
