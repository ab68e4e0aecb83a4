import { type JSX, useState } from "react";
import type { FileReference } from "../../client/index.ts";
import { useAction } from "../page/use-action.ts";
import { fileSize } from "./file-size.ts";
import "./file-input.css";

/** Uploads a file to the server. `onProgress` receives the number of bytes that have arrived. */
export type SendFile = (file: File, onProgress: (sentBytes: number) => void) => Promise<FileReference>;

interface FileInputProps {
  /** The value as JSON. Empty when no file is chosen. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly send: SendFile;
  /** Set by the surrounding `Field`. */
  readonly id?: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: boolean;
}

/** File input for an arg. The file is uploaded when it is chosen, and the value refers to it. */
export function FileInput({ text, onChange, send, ...described }: FileInputProps): JSX.Element {
  const [sent, setSent] = useState(0);
  const [size, setSize] = useState(1);
  const sending = useAction(async (file: File) => {
    setSize(file.size);
    setSent(0);
    onChange(JSON.stringify(await send(file, setSent)));
  });
  const chosen = text === "" ? null : (JSON.parse(text) as FileReference);
  return (
    <div className="file-input">
      <input
        type="file"
        {...described}
        disabled={sending.isBusy}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file === undefined) onChange("");
          else void sending.run(file);
        }}
      />
      {sending.isBusy && <progress value={sent} max={size} aria-label="Sending the file" />}
      {!sending.isBusy && chosen !== null && (
        <span className="muted">
          {chosen.name}, {fileSize(chosen.size)}
        </span>
      )}
      {sending.problem !== null && (
        <div role="alert" className="field-problem">
          {sending.problem.message}
        </div>
      )}
    </div>
  );
}
