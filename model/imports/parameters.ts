import type { Schema } from "../values/json_schema.ts";
import type { Refusal } from "../values/refusal.ts";
import { parseBoolean } from "../values/text.ts";

/** A parameter of an import or an export: a field of the query, and a flag of the command. */
export interface FileParameter<V = unknown> {
  /** The name of the flag, and the placeholder of its value; absent if the command has none. */
  readonly flag?: string | undefined;
  readonly schema: Schema;
  readonly parse: (text: string) => V | Refusal;
}

/** Declares a parameter that is true if it is present without a value. */
export function flagParameter(description: string, flag?: string): FileParameter<boolean> {
  return {
    flag,
    schema: { description, type: "boolean", default: false, examples: [true] },
    parse: (text) => text === "" || parseBoolean(text),
  };
}

/** Declares a parameter whose text is accepted by `parse`. */
export function textParameter<V>(
  description: string,
  { flag, example, parse, format }: {
    readonly flag?: string;
    readonly example: string;
    readonly parse: (text: string) => V | Refusal;
    readonly format?: string;
  },
): FileParameter<V> {
  const form = format === undefined ? {} : { format };
  return { flag, schema: { description, type: "string", ...form, examples: [example] }, parse };
}

/** The parameter of a dry run, which every import has. */
export const DRY_RUN: FileParameter<boolean> = flagParameter(
  "Change nothing, and report what would change.",
  "dry-run",
);
