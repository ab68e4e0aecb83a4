import type { JSX } from "react";
import { api } from "../live/api.ts";
import { useMay } from "../live/session-store.ts";
import { useQuery } from "../live/use-query.ts";
import { Icon, Logo } from "../parts/icon.tsx";
import { Link } from "./router.tsx";
import { SECTIONS } from "./sections.ts";

const COUNTED_MAX = 100;

/** The approvals that wait for somebody. */
export function usePendingApprovals() {
  const mayRead = useMay("governance:read");
  return useQuery(
    mayRead ? "approvals?status=pending" : null,
    () => api.listApprovals({ status: "pending", limit: COUNTED_MAX }),
    { tags: ["approvals"], freshMs: 5_000 },
  );
}

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
                  {count >= COUNTED_MAX ? "99+" : count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
