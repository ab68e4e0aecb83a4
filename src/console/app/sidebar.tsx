import type { JSX } from "react";
import { useApprovalCounts } from "../live/use-approval-counts.ts";
import { Icon, Logo } from "../parts/icon.tsx";
import { Link } from "../page/router.tsx";
import { SECTIONS } from "./sections.ts";

const COUNT_MAX = 999;

export function Sidebar({ section }: { readonly section: string }): JSX.Element {
  const count = useApprovalCounts().data?.waiting ?? 0;
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
                  {count > COUNT_MAX ? `${COUNT_MAX}+` : count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
