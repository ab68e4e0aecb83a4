import type { JSX } from "react";
import { PENDING_MAX, usePendingApprovals } from "../live/use-pending-approvals.ts";
import { Icon, Logo } from "../parts/icon.tsx";
import { Link } from "../page/router.tsx";
import { SECTIONS } from "./sections.ts";

export function Sidebar({ section }: { readonly section: string }): JSX.Element {
  const pending = usePendingApprovals().data;
  const count = pending?.data.length ?? 0;
  return (
    <nav className="sidebar" aria-label="Main">
      <Link to="/" className="sidebar-logo" aria-label="Sluice, home">
        <Logo />
        <span>Sluice</span>
      </Link>
      <ul>
        {SECTIONS.map(({ id, label, path, icon }) => (
          <li key={id}>
            <Link to={path} className="sidebar-link" aria-current={section === id ? "page" : undefined} title={label}>
              <Icon name={icon} />
              <span className="sidebar-label">{label}</span>
              {id === "approvals" && count > 0 && (
                <span className="sidebar-count num" aria-label={`${count} waiting`}>
                  {count >= PENDING_MAX ? "99+" : count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
