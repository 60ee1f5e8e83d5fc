import { type Html, type HtmlValue, markup, separate } from "../../../model/values/html.ts";
import { parseMarkdown, renderHtml } from "../../../model/entries/markdown.ts";
import type { Schema } from "../../../model/values/json_schema.ts";

/** A field in a table. */
export interface FieldRow {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export function renderDescription(text: string): Html {
  return { html: renderHtml(parseMarkdown(text)) };
}

/** Renders a paragraph of Markdown without its tags, for use within another paragraph. */
export function renderInline(text: string): Html {
  return { html: renderDescription(text).html.replace(/^<p>|<\/p>\n$/g, "") };
}

/** Renders a table of two columns whose headings only screen readers announce. */
export function renderTable(
  caption: string,
  rows: readonly Html[],
  { columns, kind = "fields" }: { readonly columns: readonly string[]; readonly kind?: string },
): Html {
  return markup`<table class="${kind}">
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => markup`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

/** Renders a row of a table, as an anchor if it has an `id`. */
export function renderTableRow(title: HtmlValue, text: Html, id?: string): Html {
  const anchor = id && markup` id="${id}"`;
  return markup`\n<tr${anchor}><th scope="row">${title}</th><td>${text}</td></tr>`;
}

/** Renders a table of fields; returns nothing if there are none. */
export function renderFields(caption: string, fields: readonly FieldRow[]): Html | undefined {
  if (fields.length === 0) return undefined;
  const rows = fields.map(({ name, required, description, schema }) => {
    const mark = required ? markup` <span class="required">required</span>` : undefined;
    const type = markup`<span class="type">${describeType(schema)}</span>`;
    const meaning = markup`${renderInline(description)} ${renderRules(schema)}`;
    return renderTableRow(markup`<code>${name}</code>${mark} ${type}`, meaning);
  });
  return renderTable(caption, rows, { columns: ["Name", "Meaning"] });
}

/** Returns the fields of an object and of nested objects, named like `worker.running`. */
export function fieldRows(
  { properties = {}, required = [] }: Schema,
  before = "",
): readonly FieldRow[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { description = "", items } = schema;
    // All nested fields of a response are required, so that a mark would say nothing.
    const isRequired = before === "" && required.includes(name);
    const row = { name: before + name, required: isRequired, description, schema };
    return [row, ...fieldRows(items ?? schema, `${before}${name}${items ? "[]" : ""}.`)];
  });
}

/** Returns the name of the component that a reference names. */
export function componentNameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function describeType({ $ref, type = [], format, items }: Schema): string {
  if ($ref !== undefined) return componentNameOf($ref);
  const types = [type].flat().map((name) =>
    name === "array" && items !== undefined ? `array of ${describeType(items)}` : name
  );
  return types.join(" or ") + (format === undefined ? "" : ` (${format})`);
}

function renderRules(schema: Schema): Html | undefined {
  const { pattern, default: byDefault, items } = schema;
  const values = schema.enum ?? items?.enum;
  const code = (value: unknown) => markup`<code>${String(value)}</code>`;
  const length = describeRange(schema.minLength, schema.maxLength);
  const rules = [
    length && markup`${length} characters`,
    describeRange(schema.minimum, schema.maximum),
    pattern && markup`matches ${code(pattern)}`,
    values && markup`one of ${separate(", ", values.map(code))}`,
    byDefault === undefined ? undefined : markup`default ${code(byDefault)}`,
  ].filter((rule) => rule !== undefined);
  return rules.length === 0
    ? undefined
    : markup`<span class="rules">${separate(" · ", rules)}</span>`;
}

function describeRange(min: number | undefined, max: number | undefined): string | undefined {
  const format = (value: number) => value.toLocaleString("en");
  if (max === undefined) {
    return min === undefined || min <= 1 ? undefined : `at least ${format(min)}`;
  }
  return min === undefined ? `up to ${format(max)}` : `${format(min)} to ${format(max)}`;
}
