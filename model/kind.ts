/** What a field holds; with `?` it may be `null`. Times are RFC 3339 texts, UTC with milliseconds. */
export type FieldType = BaseFieldType | `${BaseFieldType}?`;

/** What a field holds that is never `null`. */
export type BaseFieldType = "text" | "boolean" | "integer" | "time" | "texts" | "json";

/**
 * One kind of record: what a table is to a database. Kinds are data, so that an adapter keeps
 * records without knowing which kinds there are. A kind is declared once and never changed.
 */
export interface Kind<T> {
  /** The name of the kind, in camelCase, from which tables are named, and records in files. */
  readonly name: string;
  /** The field that identifies a record. */
  readonly key: FieldOf<T, "text">;
  /** The type of every field, in the order in which records show them. */
  readonly fields: FieldTypes<T>;
  /** What a stored record reads as where it lacks a field, since it is older than the field. */
  readonly defaults?: Partial<T> | undefined;
  /** The orders, beside that of the keys, in which records can be listed. */
  readonly indexes?: { readonly [name: string]: Index<T> } | undefined;
  /** Whether what is removed must leave no trace, once the storage has been compacted. */
  readonly personal?: boolean | undefined;
  /** Whether storage keeps the number of records in each index, so that it need not count them. */
  readonly counted?: boolean | undefined;
  /**
   * How old a read may be that did not see a change made by another instance, in milliseconds.
   * Absent: 0. A change through the same instance is always seen.
   */
  readonly staleMs?: number | undefined;
}

/** An order of some records: those that match `where`, by a field and, where it is equal, by key. */
export interface Index<T> {
  /** The values, no lists or JSON, that a record must have to be in the index. Absent: all are in it. */
  readonly where?: { readonly [F in keyof T]?: T[F] } | undefined;
  /**
   * The time to order by, or a text of what keys may have; a record where it is `null` is left out.
   * Absent: the key.
   */
  readonly by?: FieldOf<T, "text" | "time" | "text?" | "time?"> | undefined;
}

/** The types of all fields of a record, which must fit what the fields hold. */
export type FieldTypes<T> = { readonly [F in keyof T]-?: FieldTypeOf<T[F]> };

/** The types that a field may have whose values are these. */
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
 * A kind whose records' type is not known: what an adapter works with. (`Pick`, as the compiler would else
 * compare the types of records, and not the kinds.)
 */
export type AnyKind = Pick<Kind<Item>, keyof Kind<Item>>;

/** An index of a kind whose records' type is not known. */
export type AnyIndex = Pick<Index<Item>, keyof Index<Item>>;

/** A record whose type is not known: plain data by the name of its field. */
export interface Item {
  /** The value of a field. */
  readonly [field: string]: unknown;
}
