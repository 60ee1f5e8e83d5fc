import { type AnyResource, type AnyShownField, defaultOf } from "../../model/resource.ts";
import { inputFields, shownFields } from "../../model/resource.ts";
import type { ApiOption } from "./api_command.ts";
import { formatDay } from "./listing.ts";
import { option } from "../shell/options.ts";
import type { JsonObject } from "./request.ts";
import type { Column } from "./table.ts";

/** Which flags a command has for the fields of a record. */
export interface FlagChoice {
  /** Flags that fill a field, too. */
  readonly others?: readonly ApiOption[];
  /** The fields that have no flag. */
  readonly except?: readonly string[];
}

/** Returns the flags by which a record is created, but for its key. */
export function creationOptions(resource: AnyResource, choice?: FlagChoice): readonly ApiOption[] {
  return changeOptions(resource, choice).map((option, _, all) => {
    const isAlone = all.filter(({ field }) => field === option.field).length === 1;
    const field = resource.fields[option.field!];
    const value = defaultOf(field);
    const byDefault = Array.isArray(value) && value.length > 0 ? value.join(" and ") : undefined;
    const hint = byDefault === undefined ? "" : ` [default: ${byDefault}]`;
    const description = option.description + hint;
    return { ...option, description, required: isAlone && value === undefined };
  });
}

/** Returns the flags by which a record is changed. */
export function changeOptions(
  { key, fields }: AnyResource,
  { others = [], except = [] }: FlagChoice = {},
): readonly ApiOption[] {
  const inputs = inputFields(fields).filter(([name]) => name !== key && !except.includes(name));
  return inputs.flatMap(([name, field]) => [
    flagOf(name, field),
    ...others.filter((other) => other.field === name),
  ]);
}

/** Returns the flag that sets a field of a record. */
export function flagOf(field: string, declared: AnyShownField): ApiOption {
  const { description, type, rules = {}, flag } = declared;
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const value = rules.format === "uri" ? "URL" : VALUES[type.replace("?", "")] ?? "TEXT";
  const multiple = type === "texts" && flag !== undefined;
  const words = rules.enum === undefined ? "" : ` One of ${rules.enum.join(", ")}`;
  const help = description.replaceAll("`", "") + words +
    (words && (multiple ? "; repeat it for more." : "."));
  return option(flag ?? `${name} ${value}`, help, { field, multiple, choices: rules.enum });
}

/**
 * Returns the columns of the table in which records are listed; `texts` has those that don't show the
 * value of their field.
 */
export function fieldColumns(
  { fields, key }: AnyResource,
  texts: Readonly<Record<string, (record: JsonObject) => string>> = {},
): readonly Column<JsonObject>[] {
  return shownFields(fields).flatMap(([name, field]) => {
    if (field.column === undefined) return [];
    const format = field.type.startsWith("time") ? formatDay : formatCell;
    const text = texts[name] ?? (({ [name]: value }: JsonObject) => format(value));
    // What is long is what people wrote.
    const fixed = name === key ? field.parse === undefined : isShort(field);
    return [{ title: field.column, text, fixed }];
  });
}

const VALUES: Readonly<Record<string, string>> = { time: "TIME", texts: "WORDS" };

function isShort({ type, rules }: AnyShownField): boolean {
  return /^(?:time|boolean|integer)/.test(type) || (type === "text" && rules?.enum !== undefined);
}

function formatCell(value: unknown): string {
  return Array.isArray(value) ? value.join(" ") : `${value ?? "-"}`;
}
