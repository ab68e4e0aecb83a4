import type { JSX } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { shownShortcuts, useModLabel } from "../page/keyboard.ts";

/** Lists the shortcuts that work on the current screen. */
export function ShortcutsOverlay({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const mod = useModLabel();
  const all = shownShortcuts();
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <Dialog title="Keyboard shortcuts" width="wide" onClose={onClose}>
      <div className="shortcuts">
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {all
                .filter((shortcut) => shortcut.group === group)
                .map(({ keys, label }) => (
                  <div key={keys + label}>
                    <dt>{label}</dt>
                    <dd>
                      {keys.split(" ").map((key, index) => (
                        <kbd key={index}>{key.replace("mod+", `${mod} `)}</kbd>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
