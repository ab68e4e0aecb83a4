import { Select as Base } from "@base-ui/react/select";
import { type JSX, useContext } from "react";
import { DialogBox } from "./dialog-box.ts";
import { Icon } from "./icon.tsx";
import "./select.css";

/** A value, with a text for people if it differs from the value. */
export type SelectOption<T extends string> = T | readonly [value: T, text: string, ...rest: readonly unknown[]];

interface SelectProps<T extends string> {
  readonly value: T;
  readonly options: readonly SelectOption<T>[];
  readonly onChange: (value: T) => void;
  readonly id?: string;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly "aria-label"?: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: boolean;
}

/** Selects one value with a button that opens a list. Arrow keys and letters move, Enter selects, Escape closes. */
export function Select<T extends string>(props: SelectProps<T>): JSX.Element {
  const { value, options, onChange, disabled = false, className = "", ...rest } = props;
  const dialog = useContext(DialogBox);
  const items = options.map(itemOf);
  return (
    <Base.Root
      value={value}
      items={items}
      modal={false}
      disabled={disabled}
      onValueChange={(chosen) => {
        if (chosen !== null) onChange(chosen);
      }}
    >
      <Base.Trigger {...rest} className={`select ${className}`}>
        <span className="select-value cut">{items.find((item) => item.value === value)?.label ?? value}</span>
        <Icon name="down" size={14} />
      </Base.Trigger>
      <Base.Portal container={dialog}>
        <Base.Positioner className="select-place" positionMethod="fixed" sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className="select-list">
            {items.map((item) => (
              <Base.Item key={item.value} value={item.value} className="select-option">
                <Base.ItemIndicator className="select-mark">
                  <Icon name="check" size={13} />
                </Base.ItemIndicator>
                <Base.ItemText>{item.label}</Base.ItemText>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function itemOf<T extends string>(option: SelectOption<T>): { readonly value: T; readonly label: string } {
  return typeof option === "string" ? { value: option, label: option } : { value: option[0], label: option[1] };
}

/** Option of a filter that matches everything. */
export const ANY: readonly [value: "", text: string] = ["", "Any"];

/** A select for a filter above a list. */
export function FilterSelect<T extends string>({
  label,
  ...rest
}: SelectProps<T> & { readonly label: string }): JSX.Element {
  return (
    <label>
      <span className="muted">{label}</span> <Select aria-label={label} {...rest} />
    </label>
  );
}
