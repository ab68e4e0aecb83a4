import type { JSX, ReactNode } from "react";
import { Logo } from "../parts/icon.tsx";
import "./sign-in.css";

/** The whole page of a person who has no organisation open. */
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
