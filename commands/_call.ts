/** What the API answered. */
export type Answer = Readonly<Record<string, unknown>>;

/** A call with its fields, which are text, `true` or `false`. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/api/v1`. */
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Adds fields to a path as its query. */
export function withQuery(path: string, fields: Call["fields"]): string {
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return texts.length === 0 ? path : `${path}?${new URLSearchParams(texts)}`;
}
