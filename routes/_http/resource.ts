import type { Schema } from "../../model/values/json_schema.ts";
import type { BaseFieldType } from "../../model/kind.ts";
import { type AnyResource, type AnyShownField, defaultOf } from "../../model/resource.ts";
import { inputFields, type InputOf, isClearable, type ValueOf } from "../../model/resource.ts";
import type { Field, NeverNull, Required } from "./fields.ts";

/** The fields by which callers create a record of a resource. */
export type CreationFields<R extends AnyResource> = {
  readonly [F in keyof InputOf<R>]: F extends R["key"] ? InputField<R, F>
    : R["fields"][F] extends { readonly type: `${string}?` } | { readonly default: unknown }
      ? InputField<R, F>
    : InputField<R, F> & Required;
};

/** The fields by which callers change a record of a resource. */
export type ChangeFields<R extends AnyResource> = {
  readonly [F in Exclude<keyof InputOf<R>, R["key"]>]:
    & InputField<R, F>
    & (R["fields"][F] extends { readonly type: `${string}?` } | { readonly default: readonly [] }
      ? unknown
      : NeverNull);
};

type InputField<R extends AnyResource, F extends keyof R["fields"]> = Field<
  NonNullable<ValueOf<R["fields"][F]>>
>;

/** A declared field that callers set. */
type Input<V> = AnyShownField & { readonly parse: (text: string) => V };

/** Returns the fields by which callers create a record; its key is generated where it is absent. */
export function creationFields<R extends AnyResource>({ fields, key }: R): CreationFields<R> {
  const inputs: Record<string, Field<unknown>> = {};
  for (const [name, field] of inputFields(fields)) {
    const required = name !== key && defaultOf(field) === undefined;
    const input = { ...inputOf(field), required, nullable: !required };
    inputs[name] = field.default === undefined || isClearable(field)
      ? input
      : { ...input, schema: { ...input.schema, default: textOf(field.default) } };
  }
  return inputs as CreationFields<R>;
}

/** Returns the fields by which callers change a record; those that are absent stay as they are. */
export function changeFields<R extends AnyResource>({ fields, key }: R): ChangeFields<R> {
  const inputs = inputFields(fields).filter(([name]) => name !== key);
  return Object.fromEntries(
    inputs.map(([name, field]) => [name, inputOf(field)]),
  ) as ChangeFields<R>;
}

/** Returns a declared field as one that has to be there. */
export function requiredInput<V>(field: Input<V>): Field<ValueOf<Input<V>>> & Required {
  return { ...inputOf(field), required: true, nullable: false } as ReturnType<
    typeof requiredInput<V>
  >;
}

/** Returns a declared field as one that may be absent or `null`. */
export function optionalInput<V>(field: Input<V>): Field<NonNullable<ValueOf<Input<V>>>> {
  return { ...inputOf(field), nullable: true } as ReturnType<typeof optionalInput<V>>;
}

function inputOf(field: AnyShownField): Field<unknown> {
  const { parse, type: stored, description, example, maxBytes, rules = {} } = field;
  const { type, ...implied } = INPUT_TYPES[stored.replace("?", "") as BaseFieldType];
  const isList = type === "words";
  const words = isList && rules.enum ? `Words of these: ${rules.enum.join(", ")}.` : "";
  const remarks = [description, words, field.inputRemark].filter(Boolean);
  return {
    required: false,
    nullable: isClearable(field),
    type,
    parse: parse!,
    shown: { flag: field.flag, help: description, choices: rules.enum as readonly string[] },
    maxBytes,
    schema: {
      description: remarks.join(" "),
      ...implied,
      // What is true of each word is not true of all of them in one text.
      ...(field.inputRules ?? (isList ? {} : rules)),
      examples: [textOf(example)],
    },
  };
}

function textOf(value: unknown): unknown {
  return Array.isArray(value) ? value.join(" ") : value ?? "";
}

const INPUT_TYPES: Readonly<
  Record<BaseFieldType, Pick<Field<unknown>, "type"> & Pick<Schema, "format">>
> = {
  text: { type: "string" },
  time: { type: "string", format: "date-time" },
  boolean: { type: "boolean" },
  integer: { type: "integer" },
  texts: { type: "words" },
  json: { type: "string" },
};
