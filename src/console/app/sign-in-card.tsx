import type { JSX, ReactNode } from "react";
import { Logo } from "../parts/icon.tsx";
import "./sign-in.css";

/** Page layout used when no organisation is open. */
export function SignInCard({ children }: { readonly children: ReactNode }): JSX.Element {
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>
          <Logo /> Sluice
        </h1>
        {children}
      </div>
    </main>
  );
}
