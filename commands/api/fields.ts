import { type AnyShownField, type Described, shownFields } from "../../model/resource.ts";
import { type Operation, operationsOf } from "../../routes/operations.ts";
import { type Option, option } from "../shell/options.ts";
import { formatDay } from "./listing.ts";
import type { JsonObject } from "./request.ts";
import type { Column } from "./table.ts";

/** A flag that fills a field of the call, or makes another call. */
export interface ApiOption extends Option {
  /** The field that it fills. Default: that of its name. */
  readonly field?: string;
  /** What a flag without value fills it with. Default: `true`. */
  readonly sends?: boolean;
  /** Whether the value is the path of a file with the text of the field; `-` is standard input. */
  readonly isFile?: boolean;
  /** The `operationId` of the other call. */
  readonly operation?: string;
  /** An example of its value. */
  readonly sample?: unknown;
  /** Whether it is for the command alone, and fills no field. */
  readonly isOwn?: boolean;
  /** The media type that is asked for by each value of a flag that fills no field. */
  readonly accepts?: Readonly<Record<string, string>>;
}

type Field = NonNullable<Operation["body"]>[string];

// With all that a server may have.
const OPERATIONS = new Map(
  operationsOf({ publicUrl: "https://example.com" }).map((one) => [one.operationId, one]),
);

/** Returns an operation by its `operationId`. */
export function operationOf(operationId: string): Operation {
  const operation = OPERATIONS.get(operationId);
  if (operation === undefined) throw new TypeError(`There is no operation ${operationId}`);
  return operation;
}

/**
 * Returns the flags for the fields of an operation that `isFilled` doesn't tell to be filled. Those of
 * `own` take the place of the flag that follows from their field, or stand beside it if they take a file.
 */
export function flagsOf(
  { method, query, body }: Operation,
  { own, isFilled }: {
    readonly own: readonly ApiOption[];
    readonly isFilled: (field: string) => boolean;
  },
): readonly ApiOption[] {
  const inputs = Object.entries({ ...query, ...body }).filter(([name]) => !isFilled(name));
  const flags = inputs.flatMap(([name, field]) => {
    const found = own.filter((option) => fieldOf(option) === name);
    if (found.some(({ isFile }) => !isFile)) return found;
    const required = field.required && method !== "PATCH" && found.length === 0;
    // A query that asks for something is told apart from one that says how something is done.
    const flag = flagOf(name, field, { isBare: method !== "GET" });
    return [{ ...flag, required }, ...found];
  });
  const all = [...flags, ...own.filter((option) => !flags.includes(option))];
  return all.map((option) => ({ ...option, description: nameFlags(option.description, all) }));
}

/** Puts flags in place of the fields that a text names in backticks, as the reference does. */
function nameFlags(text: string, options: readonly ApiOption[]): string {
  return text.replace(/`([^`]*)`/g, (_, word) => {
    const named = options.find((option) => fieldOf(option) === word);
    return named === undefined ? word : `--${named.name}`;
  });
}

/** Returns the field that a flag fills. */
export function fieldOf({ name, field = name }: ApiOption): string {
  return field;
}

function flagOf(
  field: string,
  { type, schema, shown = {} }: Field,
  { isBare }: { readonly isBare: boolean },
): ApiOption {
  const { description, format, default: preset } = schema;
  const { flag, choices = schema.enum as readonly string[] | undefined } = shown;
  const isList = type === "words" && flag !== undefined;
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const value = choices === undefined ? VALUES[format ?? type] ?? "TEXT" : name.toUpperCase();
  const help = [
    (shown.help ?? description).replace(/^Return only/, "Only"),
    choices && `One of ${choices.join(", ")}${isList ? "; repeat it for more" : ""}.`,
    preset !== undefined && preset !== false &&
    `[default: ${preset === choices?.join(" ") ? "all" : `${preset}`.replaceAll(" ", " and ")}]`,
  ];
  const synopsis = type === "boolean" && isBare ? name : `${name} ${value}`;
  return option(flag ?? synopsis, help.filter(Boolean).join(" "), {
    field,
    multiple: isList,
    choices,
    sample: schema.examples?.[0] ?? choices?.[0],
  });
}

const VALUES: Readonly<Record<string, string>> = {
  "date-time": "TIME",
  uri: "URL",
  words: "WORDS",
  boolean: "true | false",
};

/**
 * Returns the columns of the table in which records are listed; `cells` has those that don't show the
 * value of their field.
 */
export function columnsOf(
  { fields }: Described,
  cells: Readonly<Record<string, (record: JsonObject) => string>> = {},
): readonly Column<JsonObject>[] {
  return shownFields(fields).flatMap(([name, field], at) => {
    if (field.column === undefined) return [];
    const format = field.type.startsWith("time") ? formatDay : formatCell;
    const text = cells[name] ?? (({ [name]: value }: JsonObject) => format(value));
    // What is long is what people wrote.
    const fixed = at === 0 ? field.parse === undefined : isShort(field);
    return [{ title: field.column, text, fixed }];
  });
}

function isShort({ type, rules }: AnyShownField): boolean {
  return /^(?:time|boolean|integer)/.test(type) || (type === "text" && rules?.enum !== undefined);
}

function formatCell(value: unknown): string {
  return Array.isArray(value) ? value.join(" ") : `${value ?? "-"}`;
}
