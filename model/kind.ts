/**
 * The type of a field's values; with `?` they may be `null`. Times are RFC 3339 texts in UTC with
 * milliseconds.
 */
export type FieldType = BaseFieldType | `${BaseFieldType}?`;

/** The type of a field's values that are never `null`. */
export type BaseFieldType = "text" | "boolean" | "integer" | "time" | "texts" | "json";

/**
 * A kind of record, as a table is to a database. Kinds are data, so that an adapter keeps records
 * without knowing their kinds. A kind is declared once and never changed.
 */
export interface Kind<T> {
  /** The name of the kind in camelCase; it names tables, and records in files. */
  readonly name: string;
  /** The field that identifies a record. */
  readonly key: FieldOf<T, "text">;
  /** The type of every field, in the order in which records show them. */
  readonly fields: FieldTypes<T>;
  /** Values for the fields that a record lacks because it is older than them. */
  readonly defaults?: Partial<T> | undefined;
  /** The orders of lists, besides the order of keys. */
  readonly indexes?: { readonly [name: string]: Index<T> } | undefined;
  /**
   * The fields that name a record. Whatever they name exists, unless they are `null`; a name that
   * may outlive its record is no reference.
   */
  readonly references?: { readonly [F in keyof T]?: RecordReference<T> } | undefined;
  /** The words that a field, or each text of a list, may be. */
  readonly words?: { readonly [F in keyof T]?: readonly unknown[] } | undefined;
  /** The limits of fields, for databases that check what they store. */
  readonly limits?: { readonly [F in keyof T]?: Limits } | undefined;
  /** Whether its records change often, so that a database leaves room for their next versions. */
  readonly changesOften?: boolean | undefined;
  /** The texts that are compressed already. */
  readonly compressed?: readonly FieldOf<T, "text">[] | undefined;
  /** Whether removed records must leave no trace after a compaction. */
  readonly personal?: boolean | undefined;
  /** Whether storage maintains the number of records in each index. */
  readonly counted?: boolean | undefined;
  /**
   * The maximum age of a read, in milliseconds, that may miss another instance's change. Absent: 0.
   * A read never misses a change through the same instance.
   */
  readonly staleMs?: number | undefined;
}

/** The kind of the record that a field names. */
export interface RecordReference<T> {
  /** The name of the kind. */
  readonly to: string;
  /** The values of the records whose field names one. Absent: all records. */
  readonly where?: Index<T>["where"];
}

/** The limits of a value in storage that is not `null`. */
export interface Limits {
  /** The least number of code points of a text. */
  readonly minLength?: number | undefined;
  /** The greatest number of code points of a text. */
  readonly maxLength?: number | undefined;
  /** The greatest length of a text in bytes of UTF-8. */
  readonly maxBytes?: number | undefined;
  /** A regular expression, of the syntax that JavaScript and PostgreSQL share. */
  readonly pattern?: string | undefined;
  /** The least number of texts in a list. */
  readonly minItems?: number | undefined;
  /** The greatest number of texts in a list. */
  readonly maxItems?: number | undefined;
  /** The least number. */
  readonly minimum?: number | undefined;
}

/** An order of the records that match `where`: by a field, then by key. */
export interface Index<T> {
  /**
   * The values, except lists and JSON, that a record in the index has. Absent: all records are in
   * it.
   */
  readonly where?: { readonly [F in keyof T]?: T[F] } | undefined;
  /**
   * The field to order by: a time, or a text of characters that keys may have. The index omits
   * records with `null`. Absent: the key.
   */
  readonly by?: FieldOf<T, "text" | "time" | "text?" | "time?"> | undefined;
}

/** The types of all fields of a record, which must fit the fields' values. */
export type FieldTypes<T> = { readonly [F in keyof T]-?: FieldTypeOf<T[F]> };

/** The field types for values of a type. */
export type FieldTypeOf<V> = unknown extends V ? FieldType
  : null extends V ? `${FieldTypeOf<NonNullable<V>> & BaseFieldType}?`
  : V extends boolean ? "boolean"
  : V extends string ? "text" | "time"
  : V extends number ? "integer"
  : V extends readonly string[] ? "texts"
  : "json";

/** The names of the fields of a record that have one of these types. */
export type FieldOf<T, Type extends FieldType> =
  & string
  & {
    [F in keyof T]: FieldTypeOf<T[F]> & Type extends never ? never : F;
  }[keyof T];

/**
 * A kind with records of any type, as adapters use it. (With `Pick`, the compiler does not compare
 * the types of records.)
 */
export type AnyKind = Pick<Kind<Item>, keyof Kind<Item>>;

/** An index of such a kind. */
export type AnyIndex = Pick<Index<Item>, keyof Index<Item>>;

/** A record of any kind: plain data by field name. */
export interface Item {
  /** The value of a field. */
  readonly [field: string]: unknown;
}
