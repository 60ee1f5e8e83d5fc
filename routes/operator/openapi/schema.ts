import type { JsonType, Schema } from "../../../model/values/json_schema.ts";
import type { AnyFields, AnyResource, AnyShownField } from "../../../model/resource.ts";
import { isNullable, shownFields } from "../../../model/resource.ts";

type Rules = Omit<Schema, "description">;

/** Describes a value, which is text unless `rules` say otherwise. */
export function describe(description: string, rules: Rules = {}): Schema {
  return { description, type: "string", ...rules };
}

/** Returns the reference to a schema. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Describes records by the names of their schemas, and pages of a listing of each. */
export function describeRecords<R extends Readonly<Record<string, Described>>>(
  records: R,
): Readonly<Record<keyof R | `${keyof R & string}Page`, Schema>> {
  return Object.fromEntries(
    Object.entries(records).flatMap(([name, record]) => {
      const schema = describeRecord(record);
      return [[name, schema], [`${name}Page`, describePage(name, schema)]];
    }),
  ) as ReturnType<typeof describeRecords<R>>;
}

function describePage(name: string, { examples = [] }: Schema): Schema {
  return describeRecord({
    description: "A page of a listing.",
    fields: {
      data: listOf(name, { examples }),
      nextCursor: {
        type: "text?",
        description: "What to send as `cursor` for the next page; `null` on the last one.",
        example: null,
      },
    },
  });
}

/** Declares a list of records that have a schema of their own. */
export function listOf(name: string, { examples = [] }: Schema, description = ""): AnyShownField {
  return {
    ...{ type: "json", description, example: examples },
    rules: { type: "array", items: schemaRef(name) },
  };
}

/** Declares an object within a record. */
export function part(description: string, fields: AnyFields): AnyShownField {
  const { examples, ...rules } = describeRecord({ description, fields });
  return { type: "json", description, example: examples![0], rules };
}

/** Declares a number of something. */
export function count(description: string, example: number): AnyShownField {
  return { type: "integer", description, example };
}

/** Declares whether something is so. */
export function flag(description: string): AnyShownField {
  return { type: "boolean", description, example: true };
}

/** Declares a text; one that may be `null` has `null` as its example, unless `type` tells. */
export function text(
  description: string,
  example: string | null,
  rest: Partial<AnyShownField> = {},
): AnyShownField {
  return { type: example === null ? "text?" : "text", description, example, ...rest };
}

/** Describes an object that always has all of these fields. */
export function describeRecord({ description, fields }: Described): Schema {
  const shown = shownFields(fields);
  return {
    description,
    type: "object",
    properties: Object.fromEntries(shown.map(([name, field]) => [name, describeField(field)])),
    required: shown.map(([name]) => name),
    examples: [Object.fromEntries(shown.map(([name, { example }]) => [name, example]))],
  };
}

/** A resource, or what else has fields. */
type Described = Pick<AnyResource, "description" | "fields">;

const TYPES: Readonly<Record<string, Schema & { readonly type: JsonType }>> = {
  text: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer", minimum: 0 },
  time: { type: "string", format: "date-time" },
  texts: { type: "array" },
  json: { type: "object" },
};

function describeField(field: AnyShownField): Schema {
  const { description, rules = {} } = field;
  const { type, ...implied } = TYPES[field.type.replace("?", "")];
  const isList = type === "array";
  return {
    ...(description && { description }),
    type: isNullable(field) ? [type, "null"] : type,
    ...implied,
    ...(isList ? { items: { type: "string", ...rules } } : rules),
  };
}
