import type { ButtonHTMLAttributes, JSX, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import "./button.css";

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  /** Default: `plain`. Use one `primary` per screen, and `danger` for actions that cannot be undone. */
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly size?: "small" | "normal";
  readonly icon?: IconName;
  readonly isBusy?: boolean;
  /** Label of the icon. Required when the button has no text. */
  readonly label?: string;
  readonly children?: ReactNode;
}

export function Button(props: ButtonProps): JSX.Element {
  const { kind = "plain", size = "normal", icon, isBusy = false, label, children, className = "", ...rest } = props;
  const isBare = children === undefined;
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${kind} button-${size} ${isBare ? "button-bare" : ""} ${className}`}
      aria-label={label}
      title={rest.title ?? label}
      aria-busy={isBusy || undefined}
      disabled={rest.disabled === true || isBusy}
    >
      {isBusy ? <Icon name="spin" className="spinning" /> : icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
