import { type AnyField, type AnyResource, defaultOf } from "../model/resource.ts";
import { type InputOf, isNullable, type ValueOf } from "../model/resource.ts";
import type { Field, NeverNull, Required } from "./_fields.ts";

/** The fields by which callers create a record of a resource. */
export type CreationFields<R extends AnyResource> = {
  readonly [F in keyof InputOf<R>]: F extends R["key"] ? Field<string>
    : R["fields"][F] extends { readonly type: `${string}?` } | { readonly default: unknown }
      ? InputField<R, F>
    : InputField<R, F> & Required;
};

/** The fields by which callers change a record of a resource. */
export type ChangeFields<R extends AnyResource> = {
  readonly [F in Exclude<keyof InputOf<R>, R["key"]>]: InputField<R, F>;
};

type InputField<R extends AnyResource, F extends keyof R["fields"]> =
  & Field<NonNullable<ValueOf<R["fields"][F]>>>
  & (R["fields"][F] extends { readonly type: `${string}?` } ? unknown : NeverNull);

/** Returns the fields by which callers create a record; its key is generated where it is absent. */
export function creationFields<R extends AnyResource>({ fields, key }: R): CreationFields<R> {
  const inputs: Record<string, Field<unknown>> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.parse === undefined) continue;
    const isKey = name === key;
    const required = !isKey && defaultOf(field) === undefined;
    inputs[name] = { ...inputOf(field), required, nullable: isKey || isNullable(field) };
  }
  return inputs as CreationFields<R>;
}

/** Returns the fields by which callers change a record; those that are absent stay as they are. */
export function changeFields<R extends AnyResource>({ fields, key }: R): ChangeFields<R> {
  const inputs: Record<string, Field<unknown>> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.parse !== undefined && name !== key) inputs[name] = inputOf(field);
  }
  return inputs as ChangeFields<R>;
}

function inputOf(field: AnyField): Field<unknown> {
  const { parse, type, description, inputRemark = "", example, rules } = field;
  return {
    required: false,
    nullable: isNullable(field),
    type: INPUT_TYPES[type.replace("?", "")] ?? "string",
    parse: parse!,
    schema: {
      description: `${description} ${inputRemark}`.trim(),
      ...rules,
      examples: [example],
    },
  };
}

const INPUT_TYPES: Readonly<Record<string, Field<unknown>["type"]>> = {
  boolean: "boolean",
  integer: "integer",
  texts: "words",
};
