import { type AnyResource, type AnyShownField, defaultOf } from "../model/resource.ts";
import { inputFields, shownFields } from "../model/resource.ts";
import type { ApiOption } from "./_api_command.ts";
import { formatDay } from "./_listing.ts";
import { option } from "./_options.ts";
import type { Answer } from "./_request.ts";
import type { Column } from "./_table.ts";

/** Returns the flags by which a record is created, but for its key. */
export function creationOptions(resource: AnyResource): readonly ApiOption[] {
  return inputsOf(resource).map(([name, field]) => ({
    ...flagOf(name, field),
    required: defaultOf(field) === undefined,
  }));
}

/** Returns the flags by which a record is changed. */
export function changeOptions(resource: AnyResource): readonly ApiOption[] {
  return inputsOf(resource).map(([name, field]) => flagOf(name, field));
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

function inputsOf({ key, fields }: AnyResource): ReturnType<typeof inputFields> {
  return inputFields(fields).filter(([name]) => name !== key);
}

function isShort({ type, rules }: AnyShownField): boolean {
  return /^(?:time|boolean|integer)/.test(type) || (type === "text" && rules?.enum !== undefined);
}

function formatCell(value: unknown): string {
  return Array.isArray(value) ? value.join(" ") : `${value ?? "-"}`;
}

function plain(markdown: string): string {
  return markdown.replaceAll("`", "");
}
