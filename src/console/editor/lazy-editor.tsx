import { type JSX, lazy, Suspense } from "react";
import { Skeleton } from "../parts/skeleton.tsx";
import type { CodeEditorProps } from "./code-editor.tsx";
import "./editor.css";

const Loaded = lazy(async () => ({ default: (await import("./code-editor.tsx")).CodeEditor }));

/** The editor, loaded when it is first shown. */
export function Editor(props: CodeEditorProps): JSX.Element {
  return (
    <div className="editor-box">
      <Suspense fallback={<Skeleton lines={8} />}>
        <Loaded {...props} />
      </Suspense>
    </div>
  );
}
