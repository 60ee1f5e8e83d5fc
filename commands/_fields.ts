import { type AnyResource, type AnyShownField, defaultOf } from "../model/resource.ts";
import { inputFields, shownFields } from "../model/resource.ts";
import type { ApiOption } from "./_api_command.ts";
import { formatDay } from "./_listing.ts";
import { option } from "./_options.ts";
import type { Answer } from "./_request.ts";
import type { Column } from "./_table.ts";

/** Returns the flags by which a record is created, but for its key. */
export function creationOptions(
  resource: AnyResource,
  others: readonly ApiOption[] = [],
): readonly ApiOption[] {
  return changeOptions(resource, others).map((option, _, all) => {
    const isAlone = all.filter(({ field }) => field === option.field).length === 1;
    const field = resource.fields[option.field!];
    return { ...option, required: isAlone && defaultOf(field) === undefined };
  });
}

/** Returns the flags by which a record is changed, each followed by `others` that fill its field, too. */
export function changeOptions(
  { key, fields }: AnyResource,
  others: readonly ApiOption[] = [],
): readonly ApiOption[] {
  return inputFields(fields).filter(([name]) => name !== key).flatMap(([name, field]) => [
    flagOf(name, field),
    ...others.filter((other) => other.field === name),
  ]);
}

/** Returns the flag that sets a field of a record. */
export function flagOf(
  field: string,
  { description, type, rules, flag }: AnyShownField,
): ApiOption {
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const value = rules?.format === "uri" ? "URL" : VALUES[type.replace("?", "")] ?? "TEXT";
  const multiple = type === "texts" && flag !== undefined;
  return option(flag ?? `${name} ${value}`, plain(description), { field, multiple });
}

/** Returns the columns of the table in which records are listed. */
export function fieldColumns({ fields, key }: AnyResource): readonly Column<Answer>[] {
  return shownFields(fields).flatMap(([name, field]) => {
    if (field.column === undefined) return [];
    const format = field.type.startsWith("time") ? formatDay : formatCell;
    // What is long is what people wrote.
    const fixed = name === key ? field.parse === undefined : isShort(field);
    return [{ title: field.column, text: ({ [name]: value }: Answer) => format(value), fixed }];
  });
}

const VALUES: Readonly<Record<string, string>> = { time: "TIME", texts: "WORDS" };

function isShort({ type, rules }: AnyShownField): boolean {
  return /^(?:time|boolean|integer)/.test(type) || (type === "text" && rules?.enum !== undefined);
}

function formatCell(value: unknown): string {
  return Array.isArray(value) ? value.join(" ") : `${value ?? "-"}`;
}

function plain(markdown: string): string {
  return markdown.replaceAll("`", "");
}
