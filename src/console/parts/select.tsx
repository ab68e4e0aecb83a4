import type { ComponentProps, JSX } from "react";

/** A value, with the text people read where that is another one. */
export type SelectOption<T extends string> = T | readonly [value: T, text: string, ...rest: readonly unknown[]];

interface SelectProps<T extends string> extends Omit<ComponentProps<"select">, "value" | "onChange" | "children"> {
  readonly value: T;
  readonly options: readonly SelectOption<T>[];
  readonly onChange: (value: T) => void;
}

/** The browser's own list of choices. */
export function Select<T extends string>({ value, options, onChange, ...rest }: SelectProps<T>): JSX.Element {
  const values = options.map((option) => (typeof option === "string" ? option : option[0]));
  return (
    <select
      {...rest}
      value={value}
      onChange={({ target }) => {
        const chosen = values[target.selectedIndex];
        if (chosen !== undefined) onChange(chosen);
      }}
    >
      {options.map((option, index) => (
        <option key={values[index]} value={values[index]}>
          {typeof option === "string" ? option : option[1]}
        </option>
      ))}
    </select>
  );
}

/** For a filter that lets everything pass. */
export const ANY: readonly [value: "", text: string] = ["", "Any"];

/** One of the filters above a list. */
export function FilterSelect<T extends string>({
  label,
  ...rest
}: SelectProps<T> & { readonly label: string }): JSX.Element {
  return (
    <label>
      <span className="muted">{label}</span>
      <Select aria-label={label} {...rest} />
    </label>
  );
}
