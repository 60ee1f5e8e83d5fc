import { type AnyResource, defaultOf } from "../model/resource.ts";
import type { ApiOption } from "./_api_command.ts";
import { formatDay } from "./_listing.ts";
import { option } from "./_options.ts";
import type { Answer } from "./_request.ts";
import type { Column } from "./_table.ts";

/** Returns the flags by which a record is created, but for its key. */
export function creationOptions(resource: AnyResource): readonly ApiOption[] {
  return changeOptions(resource).map((option) => ({
    ...option,
    required: defaultOf(resource.fields[option.field!]) === undefined,
  }));
}

/** Returns the flags by which a record is changed. */
export function changeOptions({ key, fields }: AnyResource): readonly ApiOption[] {
  const inputs = Object.entries(fields).filter(([name, { parse }]) => parse && name !== key);
  return inputs.map(([field, { description, rules }]) => {
    const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const value = rules?.format === "uri" ? "URL" : "TEXT";
    return option(`${name} ${value}`, description, { field });
  });
}

/** Returns the columns of the table in which records are listed. */
export function fieldColumns({ fields }: AnyResource): readonly Column<Answer>[] {
  const listed = Object.entries(fields).filter(([, { column }]) => column !== undefined);
  return listed.map(([name, { type, column = "" }]) =>
    type.startsWith("time")
      ? { title: column, text: ({ [name]: time }) => formatDay(time), fixed: true }
      : { title: column, text: ({ [name]: value }) => `${value ?? "-"}` }
  );
}
